package renderer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
)

const schemaID = "https://www.designtokens.org/schemas/2025.10/format.json"

// formatSchema compiles the official schemas (DTCG 2025.10), which live outside the project.
func formatSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	for name, text := range documents(t, suitesDir+"/dtcg-schemas-2025.10/format*.json") {
		addSchema(t, compiler, name, text)
	}
	for _, folder := range []string{"format", "format/values"} {
		for name, text := range documents(t, suitesDir+"/dtcg-schemas-2025.10/"+folder+"/*.json") {
			addSchema(t, compiler, name, text)
		}
	}
	schema, err := compiler.Compile(schemaID)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func addSchema(t *testing.T, compiler *jsonschema.Compiler, name, text string) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	id, _ := doc.(map[string]any)["$id"].(string)
	if err := compiler.AddResource(id, doc); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func validate(schema *jsonschema.Schema, text string) error {
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return schema.Validate(doc)
}

// schemaSources are the documents that are held to the schemas: real ones, those of the
// specification, and ours.
func schemaSources(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{corpusDir + "/*.tokens.json", suitesDir + "/dtcg-spec-examples/0*.json", suitesDir + "/livery-edge-cases/*.json"} {
		for name, text := range documents(t, pattern) {
			texts[name] = text
		}
	}
	folders, err := filepath.Glob("testdata/*/theme.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range folders {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts["golden "+filepath.Base(filepath.Dir(name))] = string(text)
	}
	return texts
}

// olderForm is why tokens.json may be refused: the schemas look at a token's value only if the token
// itself has a $type, so an older string form ("4px", "#f00") under a group's type passes them. Our
// file says the type of every token and keeps the value in the shape in which it was written.
const olderForm = "an older string form whose type the document leaves to a group, or to its shape"

// refusedByTheSchemas names the files that the schemas refuse although they accept the document, and
// why that is as it has to be.
var refusedByTheSchemas = []struct{ document, file, reason string }{
	{"golden alias-to-group", "tokens.json", olderForm},
	{"golden color-spaces", "tokens.json", olderForm},
	{"golden prefix", "tokens.json", olderForm},
	{"golden quantities", "tokens.json", olderForm},
	{"golden root-token", "tokens.json", olderForm},
	{"golden type-inheritance", "tokens.json", olderForm},
	{"034-groups-inheritance-semantics", "tokens.json", olderForm},
}

// If the official schemas accept a document they accept tokens.json and tokens.dtcg.json of
// it: alone, with its own values as overrides, and with a token that is left out.
func TestSchemas_AcceptFilesOfAcceptedDocuments(t *testing.T) {
	t.Parallel()
	schema := formatSchema(t)
	accepted := 0
	met := make([]bool, len(refusedByTheSchemas))
	for name, text := range schemaSources(t) {
		if len(text) > 500_000 || validate(schema, text) != nil { // larger ones repeat the same forms for seconds
			continue
		}
		accepted++
		theme := parse(t, text)
		for variant, overrides := range schemaVariants(theme) {
			s := renderer.LoadTree(theme, overrides, "")
			for _, f := range []renderer.File{renderer.TokensJSON, renderer.TokensDTCGJSON} {
				err := validate(schema, string(s.Append(nil, f)))
				if err == nil {
					continue
				}
				i := slices.IndexFunc(refusedByTheSchemas, func(r struct{ document, file, reason string }) bool {
					return r.document == name && r.file == f.Name()
				})
				if i < 0 {
					t.Errorf("%s %s: %s: %.2000v", name, variant, f.Name(), err)
					continue
				}
				met[i] = true
			}
		}
	}
	if accepted < 60 {
		t.Errorf("the schemas accept %d documents only", accepted)
	}
	for i, r := range refusedByTheSchemas {
		if !met[i] {
			t.Errorf("the schemas accept %s of %s again: %s", r.file, r.document, r.reason)
		}
	}
}

// schemaVariants returns overrides of a Theme that keep every token's shape or leave tokens out.
func schemaVariants(theme *jsontree.Node) map[string]*jsontree.Node {
	alone := renderer.LoadTree(theme, nil, "")
	flat, err := jsontree.Parse(string(alone.Append(nil, renderer.TokensFlatJSON)))
	if err != nil {
		panic("tokens.flat.json is no JSON: " + err.Error())
	}
	left := jsontree.NewObject()
	for i, m := range flat.Members {
		if i%7 == 0 {
			left.Members = append(left.Members, jsontree.Member{Name: m.Name, Value: jsontree.NewString("{no.such.token}")})
		}
	}
	return map[string]*jsontree.Node{"alone": nil, "with its own values": flat, "with tokens that are left out": left}
}

// The schemas are the real ones: they refuse what the specification refuses.
func TestSchemasRefuse(t *testing.T) {
	t.Parallel()
	schema := formatSchema(t)
	for _, text := range []string{
		`[]`, `{"a":{"$type":"colour","$value":"red"}}`, `{"a":{"$type":"dimension","$value":{"value":1,"unit":"vw"}}}`, `{"a{":{"$value":1}}`,
	} {
		if err := validate(schema, text); err == nil {
			t.Errorf("the schemas accept %s", text)
		}
	}
	if err := validate(schema, `{"a":{"$type":"dimension","$value":{"value":1,"unit":"px"}}}`); err != nil {
		t.Error(fmt.Errorf("the schemas refuse a dimension: %w", err))
	}
}
