package renderer_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Documents of the world, which live outside the project.
const (
	corpusDir = "../../shared/corpus"
	suitesDir = "../../shared/suites"
)

// documents returns the files that match a pattern, by name, and skips the test loudly if there
// are none.
func documents(t *testing.T, pattern string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	if len(names) == 0 {
		t.Skipf("NOT TESTED: nothing matches %s beside this checkout", pattern)
	}
	texts := map[string]string{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[strings.TrimSuffix(filepath.Base(name), ".json")] = string(data)
	}
	return texts
}

// rawAlias finds braces around a path; JSON objects and text with braces do not match.
var rawAlias = regexp.MustCompile(`\{[\p{L}\p{N}_$-][^{}:;"'\\<>=!?,@\n]*\}`)

// reporter is what the checks need of a test or of a rapid check.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// checkFiles renders all files of a set and holds them to what every file promises.
func checkFiles(t reporter, load func() *renderer.Set) {
	t.Helper()
	s := load()
	for f := range renderer.File(renderer.FileCount) {
		out := s.Append(nil, f)
		if again := load().Append([]byte("x"), f); string(again[1:]) != string(out) {
			t.Errorf("%s differs when it is rendered again", f.Name())
		}
		if !bytes.HasSuffix(out, []byte("\n")) {
			t.Errorf("%s does not end with a newline", f.Name())
		}
		if f == renderer.TokensDTCGJSON {
			checkJSON(t, f, out)
			continue
		}
		for _, bad := range []string{"undefined", "NaN", "[object", "Infinity"} {
			if bytes.Contains(out, []byte(bad)) {
				t.Errorf("%s holds %q", f.Name(), bad)
			}
		}
		switch f {
		case renderer.TokensCSS:
			checkStylesheet(t, out)
		case renderer.TokensJSON:
			checkResolved(t, checkJSON(t, f, out))
		default:
			checkJSON(t, f, out)
			if found := rawAlias.Find(out); found != nil {
				t.Errorf("%s holds the alias %s", f.Name(), found)
			}
		}
	}
}

func checkJSON(t reporter, f renderer.File, out []byte) *jsontree.Node {
	t.Helper()
	n, err := jsontree.Parse(string(out))
	if err != nil || !json.Valid(out) {
		t.Fatalf("%s is no JSON: %v", f.Name(), err)
	}
	if bytes.IndexByte(out, '<') >= 0 {
		t.Errorf("%s holds a raw <", f.Name())
	}
	if f == renderer.TokensValuesJSON {
		checkPrimitives(t, n, "")
	}
	return n
}

// checkPrimitives: nested objects of strings, numbers and booleans, and nothing empty.
func checkPrimitives(t reporter, n *jsontree.Node, path string) {
	t.Helper()
	for _, m := range n.Members {
		switch at := path + "." + m.Name; m.Value.Kind {
		case jsontree.Null, jsontree.Array:
			t.Errorf("tokens.values.json holds %s at %s", m.Value.Kind, at)
		case jsontree.Object:
			if len(m.Value.Members) == 0 {
				t.Errorf("tokens.values.json holds an empty object at %s", at)
			}
			checkPrimitives(t, m.Value, at)
		}
	}
}

// checkResolved: in tokens.json every token has a value without aliases and, if one is
// resolved, its type. It reads as a document with the same tokens.
func checkResolved(t reporter, root *jsontree.Node) {
	t.Helper()
	d := dtcg.Read(root)
	for i := range d.Tokens {
		tok := &d.Tokens[i]
		if found := rawAlias.FindString(spellNode(tok.Value)); found != "" {
			t.Errorf("tokens.json holds the alias %s at %s", found, tok.Path)
		}
		if tok.Resolved != "" && !tok.Typed {
			t.Errorf("tokens.json: %s has no $type, but is a %s", tok.Path, tok.Resolved)
		}
	}
}

func spellNode(n *jsontree.Node) string { return string(jsontree.Append(nil, n)) }

var declaration = regexp.MustCompile(`^  --[^\s:;{}]+: [^\n{};]*;$`)

func checkStylesheet(t reporter, out []byte) {
	t.Helper()
	lines := strings.Split(string(out), "\n")
	if len(lines) < 4 || !strings.HasPrefix(lines[0], "/* ") || lines[1] != ":root {" || lines[len(lines)-2] != "}" || lines[len(lines)-1] != "" {
		t.Fatalf("tokens.css is not one :root rule after one comment: %.200s", out)
	}
	seen := map[string]bool{}
	for _, line := range lines[2 : len(lines)-2] {
		name, _, _ := strings.Cut(line, ":")
		if seen[name] {
			t.Errorf("%s is declared twice", name)
		}
		seen[name] = true
		if strings.Contains(line, `"`) { // a quoted string may hold anything but its end
			line = regexp.MustCompile(`"[^"\\\n]*(\\[^\n][^"\\\n]*)*"`).ReplaceAllString(line, `""`)
		}
		if !declaration.MatchString(line) {
			t.Errorf("no declaration: %s", line)
		}
		if strings.Contains(line, "url(") {
			t.Errorf("a browser would fetch: %s", line)
		}
	}
}

// Every document of the corpus renders to all files, alone and with each of its Variants.
func TestCorpusRenders(t *testing.T) {
	t.Parallel()
	variants := documents(t, corpusDir+"/*.variant-*.json")
	for name, text := range documents(t, corpusDir+"/*.json") {
		if _, ok := variants[name]; ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			checkFiles(t, func() *renderer.Set { return load(t, text, "", "") })
			for variant, overrides := range variants {
				if strings.HasPrefix(variant, strings.TrimSuffix(name, ".tokens")+".variant") {
					t.Run(variant, func(t *testing.T) {
						checkFiles(t, func() *renderer.Set { return load(t, text, overrides, "p") })
					})
				}
			}
		})
	}
}

// leftOut lists what the corpus cannot be served whole for: document, diagnostic kind, path or the
// beginning of paths, and the reason.
var leftOut = []struct{ document, kind, path, reason string }{
	{"adobe-spectrum.tokens", dtcg.ValueMisfit, "android-elevation", "CSS has no unit dp"},
	{"github-primer.tokens", dtcg.TokenHasChildren, "", "alpha stands beside $value, not inside it"},
	{"fluentui-pipeline-light.tokens", dtcg.AliasMissing, "", "the global tokens are in another file"},
	{"jsxtools-example.tokens", dtcg.ValueMisfit, "color.alpha.", "components are a $ref"},
	{"jsxtools-example.tokens", dtcg.ValueMisfit, "font.color.", "an alias of color.alpha"},
	{"jsxtools-example.tokens", dtcg.ValueMisfit, "box-shadow.", "components are a $ref"},
	{"jsxtools-example.tokens", dtcg.ValueMisfit, "focus-ring.", "the width is a $ref"},
	{"jsxtools-example.tokens", dtcg.AliasMissing, "color.panel.dark", "names a token that $extends would bring"},
	{"livery-synthetic-ref.tokens", dtcg.ValueMisfit, "semantic.", "values are a $ref"},
	{"livery-synthetic-legacy.tokens", dtcg.ValueMisfit, "other.null", "null fits nothing"},
	{"ts-w3c-spec-compliance.tokens", dtcg.ValueMisfit, "colors.gradient", "a gradient is not a colour"},
}

// Real documents are served whole, but for the reasons above, each of which is met.
func TestCorpusIsLeftOutOnlyForAReason(t *testing.T) {
	t.Parallel()
	met := make([]bool, len(leftOut))
	for name, text := range documents(t, corpusDir+"/*.tokens.json") {
		for _, x := range load(t, text, "", "").Diagnostics() {
			i := slices.IndexFunc(leftOut, func(r struct{ document, kind, path, reason string }) bool {
				return r.document == name && r.kind == x.Kind && strings.HasPrefix(x.Path, r.path)
			})
			if i < 0 {
				t.Errorf("%s: %s %s: %s", name, x.Path, x.Kind, x.Message)
				continue
			}
			met[i] = true
		}
	}
	for i, r := range leftOut {
		if !met[i] {
			t.Errorf("%s: nothing at %s is left out as %s any more (%s)", r.document, r.path, r.kind, r.reason)
		}
	}
}

// Check finds nothing wrong with real documents, but for a null and a misspelled type.
func TestCorpusIsWellFormed(t *testing.T) {
	t.Parallel()
	known := []string{"livery-synthetic-legacy.tokens/other/null/$value", "ts-w3c-spec-compliance.tokens/dimension/scale/$type"}
	for name, text := range documents(t, corpusDir+"/*.tokens.json") {
		root, err := jsontree.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range dtcg.Check(root) {
			if !slices.Contains(known, name+fault.Pointer) {
				t.Errorf("%s: %s: %s", name, fault.Pointer, fault.Message)
			}
		}
	}
}

// What tokens.flat.json holds can be fed back as overrides: the stylesheet stays the same.
func TestFlatFileIsTheShapeOfOverrides(t *testing.T) {
	t.Parallel()
	for name, text := range documents(t, corpusDir+"/*.tokens.json") {
		alone := load(t, text, "", "")
		again := load(t, text, string(alone.Append(nil, renderer.TokensFlatJSON)), "")
		for _, f := range []renderer.File{renderer.TokensCSS, renderer.TokensValuesJSON, renderer.TokensFlatJSON} {
			if string(again.Append(nil, f)) != string(alone.Append(nil, f)) {
				t.Errorf("%s: %s differs when its own values are its overrides", name, f.Name())
			}
		}
	}
}

// tokens.json read again gives the same stylesheet: it lost no type and no value.
func TestResolvedFileIsADocumentOfItsOwn(t *testing.T) {
	t.Parallel()
	for name, text := range documents(t, corpusDir+"/*.tokens.json") {
		alone := load(t, text, "", "")
		again := load(t, string(alone.Append(nil, renderer.TokensJSON)), "", "")
		for _, f := range []renderer.File{renderer.TokensCSS, renderer.TokensValuesJSON, renderer.TokensJSON, renderer.TokensFlatJSON} {
			if string(again.Append(nil, f)) != string(alone.Append(nil, f)) {
				t.Errorf("%s: %s differs when it is rendered from tokens.json", name, f.Name())
			}
		}
	}
}

// tokens.dtcg.json of a Theme alone is the stored document, minified.
func TestDTCGFileIsTheStoredDocument(t *testing.T) {
	t.Parallel()
	for name, text := range documents(t, corpusDir+"/*.json") {
		root, err := jsontree.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(load(t, text, "", "").Append(nil, renderer.TokensDTCGJSON)); got != spellNode(root)+"\n" {
			t.Errorf("%s: tokens.dtcg.json is not the document", name)
		}
	}
}

func TestSpecExamplesRender(t *testing.T) {
	t.Parallel()
	for name, text := range documents(t, suitesDir+"/dtcg-spec-examples/0*.json") {
		t.Run(name, func(t *testing.T) {
			root, err := jsontree.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			checkFiles(t, func() *renderer.Set { return renderer.LoadTree(root, nil, "") })
		})
	}
}

func TestEdgeCasesRender(t *testing.T) {
	t.Parallel()
	for name, text := range documents(t, suitesDir+"/livery-edge-cases/*.json") {
		t.Run(name, func(t *testing.T) {
			checkFiles(t, func() *renderer.Set { return load(t, text, "", "") })
		})
	}
}

func load(t reporter, theme, overrides, prefix string) *renderer.Set {
	t.Helper()
	s, err := renderer.Load(theme, overrides, prefix)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return s
}
