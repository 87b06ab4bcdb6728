package origin_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// documentPart is an object of the document, at a JSON Pointer.
type documentPart struct {
	at      string
	members map[string]any
}

// documentParts returns every object of the document as JSON, outermost first; what stands in examples and rules is
// left out.
func documentParts(t testing.TB) []documentPart {
	t.Helper()
	root, err := plainJSON(readContract(t).document)
	if err != nil {
		t.Fatal(err)
	}
	var parts []documentPart
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case []any:
			for i, item := range v {
				walk(fmt.Sprintf("%s/%d", at, i), item)
			}
		case map[string]any:
			parts = append(parts, documentPart{at, v})
			for name, member := range v {
				if name == "example" || name == "examples" || name == "x-livery-rule" {
					continue
				}
				walk(at+"/"+strings.ReplaceAll(name, "/", "~1"), member)
			}
		}
	}
	walk("", root)
	return parts
}

// Every example of the document, of a schema, a parameter, a header and a body, fits what it is an example of.
func TestExamplesFitTheirSchemas(t *testing.T) {
	t.Parallel()
	c := readContract(t)
	shared := c.components.(map[string]any)["examples"].(map[string]any)
	checked := 0
	for _, part := range documentParts(t) {
		schema, of := part.members["schema"]
		if !of {
			schema = part.members
		}
		for name, value := range examplesOf(part.members, shared) {
			judge, err := compileSchema(c.components, schema)
			if err != nil {
				t.Fatalf("%s: %v", part.at, err)
			}
			if err := judge.Validate(value); err != nil {
				t.Errorf("%s: example %s does not fit: %v", part.at, name, err)
			}
			checked++
		}
	}
	if checked < 150 {
		t.Errorf("%d examples were checked, want those of the whole document", checked)
	}
}

// examplesOf returns the examples in an object of the document by their names; shared are those of the components.
func examplesOf(part, shared map[string]any) map[string]any {
	found := map[string]any{}
	if value, ok := part["example"]; ok {
		found["example"] = value
	}
	switch examples := part["examples"].(type) {
	case []any: // of a schema
		for i, value := range examples {
			found[fmt.Sprint(i)] = value
		}
	case map[string]any:
		if part["schema"] == nil {
			break // the components
		}
		for name, example := range examples {
			object := example.(map[string]any)
			if ref, ok := object["$ref"].(string); ok {
				object = shared[strings.TrimPrefix(ref, "#/components/examples/")].(map[string]any)
			}
			found[name] = object["value"]
		}
	}
	return found
}

// Generators name functions after operationId and files after tags, and make of an object or array the type that the
// document states.
func TestDocumentSaysWhatGeneratorsNeed(t *testing.T) {
	t.Parallel()
	document := readContract(t).document
	seen := map[string]string{}
	for path, item := range document.Paths.Map() {
		for method, o := range item.Operations() {
			name := method + " " + path
			if twin := seen[o.OperationID]; o.OperationID == "" || twin != "" {
				t.Errorf("%s: operationId %q, which is that of %q", name, o.OperationID, twin)
			}
			seen[o.OperationID] = name
			undeclared := func(tag string) bool { return document.Tags.Get(tag) == nil }
			if o.Summary == "" || o.Description == "" || len(o.Tags) == 0 || slices.ContainsFunc(o.Tags, undeclared) {
				t.Errorf("%s: summary %q, description %q, tags %v: want texts and declared tags", name, o.Summary, o.Description, o.Tags)
			}
		}
	}
	for _, part := range documentParts(t) {
		if strings.HasSuffix(part.at, "/properties") {
			continue // its members are names
		}
		types := schemaTypes(part.members)
		if slices.Contains(types, "array") && part.members["items"] == nil {
			t.Errorf("%s: an array without items", part.at)
		}
		described := part.members["properties"] != nil || part.members["additionalProperties"] != nil
		if slices.Contains(types, "object") && !described {
			t.Errorf("%s: an object of which nothing is said: generators take it for an empty one", part.at)
		}
		if part.members["if"] != nil {
			t.Errorf("%s: generators and linters misread if: write x-livery-rule", part.at)
		}
	}
}

// schemaTypes returns the types of a schema, none if it names none.
func schemaTypes(schema map[string]any) []string {
	switch types := schema["type"].(type) {
	case string:
		return []string{types}
	case []any:
		var all []string
		for _, one := range types {
			all = append(all, fmt.Sprint(one))
		}
		return all
	}
	return nil
}

// Each x-livery-rule judges answers: what it forbids is refused, although it fits each member alone.
func TestRulesJudge(t *testing.T) {
	t.Parallel()
	c := readContract(t)
	examples := c.components.(map[string]any)["examples"].(map[string]any)
	example := func(name string) map[string]any { return examples[name].(map[string]any)["value"].(map[string]any) }
	theme, themeTokens := example("ThemePublished"), example("ThemeTokensDraft")["resource"].(map[string]any)
	variantTokens := example("VariantTokensDraft")["resource"].(map[string]any)
	tested := map[string]bool{}
	for _, f := range []struct {
		schema string
		good   any
		member string
		bad    any
	}{
		{"Theme", theme, "publishedAt", nil},
		{"Variant", example("VariantPublished"), "publishedAt", nil},
		{"ThemeTokenSet", themeTokens, "publishedAt", nil},
		{"ThemeTokenSet", themeTokens, "etag", nil},
		{"ThemeTokenSet", themeTokens, "hasUnpublishedChanges", false},
		{"VariantTokenSet", variantTokens, "publishedAt", nil},
		{"VariantTokenSet", variantTokens, "etag", nil},
		{"AssetSettings", theme["assetSettings"], "liveVersion", nil},
		{"AssetSettings", theme["assetSettings"], "isLive", false},
		{"ServingUrls", theme["servingUrls"], "pinned", nil},
		{"ServingUrls", theme["servingUrls"], "version", nil},
		{"ThemeToken", themeTokens["tokens"].([]any)[2], "type", "color"},
		{"ThemeToken", themeTokens["tokens"].([]any)[2], "resolvedType", nil},
	} {
		judge, err := compileSchema(c.components, map[string]any{"$ref": "#/components/schemas/" + f.schema})
		if err != nil {
			t.Fatal(err)
		}
		if err := judge.Validate(f.good); err != nil {
			t.Errorf("%s: the example does not fit: %v", f.schema, err)
		}
		if err := judge.Validate(withMember(f.good, f.member, f.bad)); err == nil {
			t.Errorf("%s with %s = %v is accepted, against its rule", f.schema, f.member, f.bad)
		}
		tested["/components/schemas/"+f.schema] = true
	}
	for _, part := range documentParts(t) {
		if part.members["x-livery-rule"] != nil && !tested[part.at] {
			t.Errorf("%s: its rule is not tested here", part.at)
		}
	}
}

// withMember returns a copy of an object in which a member has another value.
func withMember(object any, name string, value any) map[string]any {
	changed := map[string]any{}
	for known, member := range object.(map[string]any) {
		changed[known] = member
	}
	changed[name] = value
	return changed
}
