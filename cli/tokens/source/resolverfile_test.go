package source_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokenfile/resolver"
	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// written writes files into a new folder, and returns it.
func written(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func order(sources string) string {
	return `{"version":"2025.10","resolutionOrder":[{"type":"set","name":"s","sources":[` + sources + `]}]}`
}

func TestSourcesOfAResolverDocumentAreOneDocument(t *testing.T) {
	t.Parallel()
	cases := []struct {
		rule  string
		files map[string]string
		want  string
	}{
		{"a later token counts, with its own members", map[string]string{
			"r.json": order(`{"$ref":"a.json"},{"g":{"x":{"$value":"#fff"}}}`),
			"a.json": `{"g":{"$type":"color","x":{"$value":"#000","$description":"d"},"y":{"$value":"#00f"}}}`,
		}, `{"g":{"$type":"color","x":{"$value":"#fff"},"y":{"$value":"#00f"}}}`},
		{"a token keeps the type that it had by itself", map[string]string{
			"r.json": order(`{"x":{"$type":"fontWeight","$value":700}},{"x":{"$value":400}}`),
		}, `{"x":{"$type":"fontWeight","$value":400}}`},
		{"but not if a group gives it another", map[string]string{
			"r.json": order(`{"g":{"x":{"$type":"fontWeight","$value":700}}},{"g":{"$type":"number","x":{"$value":400}}}`),
		}, `{"g":{"x":{"$value":400},"$type":"number"}}`},
		{"members beside a $ref take the place of groups", map[string]string{
			"r.json": order(`{"$ref":"a.json","g":{"y":{"$value":2}}}`),
			"a.json": `{"g":{"x":{"$value":1}},"h":{"x":{"$value":1}}}`,
		}, `{"h":{"x":{"$value":1}},"g":{"y":{"$value":2}}}`},
		{"references lead through all sources, and are applied last", map[string]string{
			"r.json": order(`{"a":{"$ref":"#/b"}},{"c":{"$value":"{b}"},"b":{"$value":1}},{"$ref":"d.json"}`),
			"d.json": `{"b":{"$value":2},"e":{"$extends":"#/f"},"f":{"x":{"$value":3}},"g":{"$ref":"d.json#/b"}}`,
		}, `{"a":{"$value":"{b}"},"c":{"$value":"{b}"},"b":{"$value":2},"e":{"x":{"$value":3}},"f":{"x":{"$value":3}},"g":{"$value":"{b}"}}`},
		{"a set of another document, whose files lie beside it", map[string]string{
			"r.json":       order(`{"$ref":"sub/q.json#/sets/q"}`),
			"sub/q.json":   `{"version":"2025.10","sets":{"q":{"sources":[{"$ref":"b/x.json"},{"y":{"$value":2}}]}},"resolutionOrder":[]}`,
			"sub/b/x.json": `{"x":{"$value":1}}`,
		}, `{"x":{"$value":1},"y":{"$value":2}}`},
		{"files of other forms", map[string]string{
			"r.json": order(`{"$ref":"a.yaml"}`),
			"a.yaml": "a:\n  value: '#fff'\n  type: color\n",
		}, `{"a":{"$type":"color","$value":"#fff"}}`},
		{"modes that Figma names in files", map[string]string{
			"r.json": order(`{"$ref":"a.json"},{"$ref":"b.json"}`),
			"a.json": `{"x":{"$value":1},"$extensions":{"com.figma.modeName":"A"}}`,
			"b.json": `{"x":{"$value":2},"$extensions":{"com.figma.modeName":"B"}}`,
		}, `{"x":{"$value":2},"$extensions":{"com.figma.modeName":"B"}}`},
	}
	for _, c := range cases {
		s, err := source.Theme(&term.App{}, []string{filepath.Join(written(t, c.files), "r.json")}, tokenfile.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		if got := string(jsontree.Append(nil, s.Tree)); got != c.want {
			t.Errorf("%s: the document is %s, want %s", c.rule, got, c.want)
		}
	}
}

// TestWhatAResolverDocumentReplacesIsNamed: the sources beside a $ref, a group beside one, and the rest of a file.
func TestWhatAResolverDocumentReplacesIsNamed(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{
		"r.json": `{"version":"2025.10","sets":{"a":{"sources":[{"a":{"$value":1}}]},` + "\n" +
			`"b":{"$ref":"#/sets/a","sources":[{"$ref":"t.json","g":{"n":{"$value":2}}},{"$ref":"u.json#/in"}]}},"$defs":{"z":{"$value":3}},"resolutionOrder":[{"$ref":"#/sets/b"}]}`,
		"t.json": "{\n\"g\":{\"t\":{\"$value\":4}}}", "u.json": `{"in":{"u":{"$value":5}},"out":{"v":{"$value":6}}}`,
	})
	s, err := source.Theme(&term.App{}, []string{filepath.Join(dir, "r.json")}, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	said := strings.ReplaceAll(strings.Join(s.Notes(), "\n"), dir+string(filepath.Separator), "")
	for _, want := range []string{
		"r.json:2: the sources beside a $ref count in place of the sources that it leads to, which are left out there",
		"t.json:2: g is left out, since another g stands beside the $ref to this file",
		"u.json is read in part, /in, as the document names it; left out: out.v",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("named:\n%s\nwithout %q", said, want)
		}
	}
	if len(s.Faults) != 1 || s.Faults[0].Path != "$defs.z" {
		t.Errorf("the faults are %v, want $defs.z, which nothing refers to", s.Faults)
	}
}

// A document that comes from elsewhere must not choose what is read.
func TestAResolverDocumentStaysInItsFolder(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{
		"a/r.json": order(`{"$ref":"../b/x.json"}`), "b/x.json": `{"x":{"$value":1}}`,
		"c/r.json": order(`{"$ref":"x.json"}`), "d/sub/r.json": order(`{"$ref":"../x.json"}`), "d/x.json": `{"x":{"$value":1}}`,
		"e/r.json": order(`{"$ref":"../none.json"}`),
	})
	absolute, _ := filepath.Abs(filepath.Join(dir, "b", "x.json"))
	if err := os.WriteFile(filepath.Join(dir, "b", "r.json"), []byte(order(`{"$ref":"`+filepath.ToSlash(absolute)+`"}`)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join("..", "b", "x.json"), filepath.Join(dir, "c", "x.json")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a/r.json", "a", "b/r.json", "c/r.json", "c", "d/sub/r.json", "e"} {
		_, err := source.Theme(&term.App{}, []string{filepath.Join(dir, name)}, tokenfile.Options{})
		if err == nil || !strings.Contains(err.Error(), "lies outside of the folder") || !strings.Contains(err.Error(), "r.json:1: ") {
			t.Errorf("%s: Theme = %v, want a refusal with its line", name, err)
		}
	}
	if _, err := source.Theme(&term.App{}, []string{filepath.Join(dir, "d")}, tokenfile.Options{}); err != nil {
		t.Errorf("a file beside the document's folder, in the folder that is named: %v", err)
	}
}

// A document that another one takes sets of is not the one that a folder stands for.
func TestAFolderStandsForTheDocumentThatNoOtherNames(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{
		"a.json": `{"version":"2025.10","sets":{"q":{"sources":[{"x":{"$value":1}}]}},"resolutionOrder":[{"$ref":"#/sets/q"}]}`,
		"b.json": order(`{"$ref":"a.json#/sets/q"},{"y":{"$value":2}}`),
	})
	s, err := source.Theme(&term.App{}, []string{dir}, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(jsontree.Append(nil, s.Tree)); got != `{"x":{"$value":1},"y":{"$value":2}}` {
		t.Errorf("the document is %s", got)
	}
}

func TestAFileThatADocumentNamesCountsForWatch(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{"r.json": order(`{"$ref":"x.json"}`), "x.json": `{}`, "y.json": `{}`})
	document := []string{filepath.Join(dir, "r.json")}
	before := source.Fingerprint(document)
	for name, counts := range map[string]bool{"x.json": true, "y.json": false} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(`{"x":{"$value":1}}`), 0o644); err != nil {
			t.Fatal(err)
		}
		now := source.Fingerprint(document)
		if (now != before) != counts {
			t.Errorf("after %s was written, the fingerprint differs: %t", name, now != before)
		}
		before = now
	}
}

// Each resolver document of the suites is read, with the first context of each modifier and with each other.
func TestResolverDocumentsOfTheSuites(t *testing.T) {
	t.Parallel()
	const suites = "../../../../shared/suites"
	read := 0
	err := filepath.WalkDir(suites, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if file, err := syntax.Parse(path, string(text)); err != nil || resolver.Why(file.Root) == "" {
			return nil
		}
		read++
		s, _, err := source.OpenSystem(&term.App{}, []string{path}, nil, tokenfile.Options{})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		for _, d := range s.Dimensions {
			for _, mode := range d.Modes {
				if _, err := s.Read(map[string]string{d.Name: mode}); err != nil {
					t.Errorf("%s with %s=%s: %v", path, d.Name, mode, err)
				}
			}
		}
		return nil
	})
	if err != nil || read == 0 {
		t.Skipf("%s holds no resolver document (%v)", suites, err)
	}
}

// Each permutation of the documents in testdata/resolver, which follow the examples of the specification, has the tokens,
// types and values that Terrazzo gives it: bench/systems/resolve.mjs wrote terrazzo.jsonl.
func TestPermutationsAgreeWithTerrazzo(t *testing.T) {
	t.Parallel()
	const folder = "testdata/resolver"
	text, err := os.ReadFile(folder + "/terrazzo.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	agreed := 0
	for line := range strings.Lines(string(text)) {
		var theirs struct {
			File   string
			Inputs []string
			Tokens map[string]struct {
				Type  string
				Value any
			}
		}
		if err := json.Unmarshal([]byte(line), &theirs); err != nil {
			t.Fatal(err)
		}
		s, err := source.Theme(&term.App{}, []string{filepath.Join(folder, theirs.File)}, tokenfile.Options{Inputs: theirs.Inputs})
		if err != nil {
			t.Errorf("%s %v: %v", theirs.File, theirs.Inputs, err)
			continue
		}
		d := dtcg.Read(s.Tree)
		if len(d.Tokens) != len(theirs.Tokens) {
			t.Errorf("%s %v has %d tokens, theirs %d", theirs.File, theirs.Inputs, len(d.Tokens), len(theirs.Tokens))
		}
		for i := range d.Tokens {
			own := &d.Tokens[i]
			want, ok := theirs.Tokens[own.Path]
			var value any
			if err := json.Unmarshal(jsontree.Append(nil, own.Served), &value); err != nil {
				t.Fatal(err)
			}
			if !ok || own.Resolved != want.Type || !reflect.DeepEqual(value, want.Value) {
				t.Errorf("%s %v: %s is %s %v, theirs %s %v", theirs.File, theirs.Inputs, own.Path, own.Resolved, value, want.Type, want.Value)
				continue
			}
			agreed++
		}
	}
	if agreed == 0 {
		t.Error("no token agrees")
	}
	t.Logf("%d tokens agree", agreed)
}

// TestContextsOfTwoDocumentsAreOneDimension: a document has its default in a mode that only the other has, or of which its
// own file cannot be read.
func TestContextsOfTwoDocumentsAreOneDimension(t *testing.T) {
	t.Parallel()
	document := func(token, other string) string {
		return fmt.Sprintf(`{"version":"2025.10","modifiers":{"theme":{"contexts":{"light":[{%[1]q:{"$value":1}}],%[2]q:[{%[1]q:{"$value":2}}]},"default":"light"}},"resolutionOrder":[{"$ref":"#/modifiers/theme"}]}`, token, other)
	}
	dir := written(t, map[string]string{"a.json": document("a", "dark"), "b.json": document("b", "Dark"), "c.json": document("c", "hc"), "d.json": strings.Replace(document("d", "dark"), `{"d":{"$value":2}}`, `{"$ref":"none.json"}`, 1)})
	files := []string{filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json"), filepath.Join(dir, "c.json"), filepath.Join(dir, "d.json")}
	system, _, err := source.OpenSystem(&term.App{}, files, nil, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[string]string{"dark": `{"a":{"$value":2},"b":{"$value":2},"c":{"$value":1},"d":{"$value":1}}`, "hc": `{"a":{"$value":1},"b":{"$value":1},"c":{"$value":2},"d":{"$value":1}}`} {
		read, err := system.Read(map[string]string{"theme": mode})
		if err != nil || string(jsontree.Append(nil, read.Tree)) != want {
			t.Errorf("Read(%s) = %v, %v, want %s", mode, read, err, want)
		}
	}
	if got := system.Dimensions[0].Modes; len(system.Dimensions) != 1 || !slices.Equal(got, []string{"light", "dark", "hc"}) {
		t.Errorf("the dimensions are %v", system.Dimensions)
	}
}

// TestAFileThatCannotBeReadLosesItsContextAlone: the context is left out of a design system, and named beside another. A
// set is left out with it, and a context that is taken is refused.
func TestAFileThatCannotBeReadLosesItsContextAlone(t *testing.T) {
	t.Parallel()
	const document = `{"version":"2025.10","sets":{"base":{"sources":[{"$ref":"base.json"}]}},"modifiers":{"theme":{"default":"light","contexts":{
"light":[{"$ref":"light.json"}],
"dark":[{"c":{"$value":1}},{"$ref":"dark.json#/g"}],
"hc":[{"a":{"$value":3}}]}}},
"resolutionOrder":[{"$ref":"#/sets/base"},{"$ref":"#/modifiers/theme"}]}`
	const left = "; the context dark of theme is left out"
	for _, c := range []struct {
		file, text string
		unread     string // DIR stands for the folder
		err        string
	}{
		{"dark.json", "", "DIR/r.json:3: DIR/dark.json cannot be read: no such file or directory" + left + ". Correct the name, or write the file.", ""},
		{"dark.json", `{"g":`, "DIR/r.json:3: DIR/dark.json:1:6: the file ends too early: a value was expected, the text ends" + left + ". Its end is missing: write or download it again.", ""},
		{"dark.json", `{"h":{}}`, "DIR/r.json:3: the file DIR/dark.json has no group /g" + left + ". Name a group that the file has.", ""},
		{"dark.json", `{"g":{"$value":1}}`, "DIR/r.json:3: /g of the file DIR/dark.json is a token, and a source is a group" + left + ". Name the group that holds it.", ""},
		{"base.json", `{`, "DIR/r.json:1: DIR/base.json:1:2: the file ends too early: a member name was expected. Its end is missing: write or download it again.", ""},
		{"light.json", `{`, "", "DIR/r.json:2: DIR/light.json:1:2: the file ends too early: a member name was expected"},
	} {
		files := map[string]string{"r.json": document, "base.json": `{"a":{"$value":1}}`, "light.json": `{"b":{"$value":2}}`, "dark.json": `{"g":{"c":{"$value":4}}}`}
		if files[c.file] = c.text; c.text == "" {
			delete(files, c.file)
		}
		dir := written(t, files)
		named := func(text string) string { return strings.ReplaceAll(text, "DIR", dir) }
		name := filepath.Join(dir, "r.json")
		system, s, err := source.OpenSystem(&term.App{}, []string{name}, nil, tokenfile.Options{})
		if c.err != "" {
			if err == nil || err.Error() != named(c.err) {
				t.Errorf("%s %s: %v, want %s", c.file, c.text, err, named(c.err))
			}
			continue
		}
		if err != nil || len(s.Unread) != 1 || s.Unread[0].Reason != named(c.unread) || s.Unread[0].Path != filepath.Join(dir, c.file) {
			t.Errorf("%s %s: %v, unread %v, want %s", c.file, c.text, err, s.Unread, named(c.unread))
			continue
		}
		modes, want := system.Dimensions[0].Modes, []string{"light", "hc"}
		if c.file == "base.json" {
			want = []string{"light", "dark", "hc"}
		}
		hc, err := system.Read(map[string]string{"theme": "hc"})
		if err != nil || len(hc.Unread) > 0 || hc.Tree.Lookup(jsontree.Pointer{"a", "$value"}).Text != "3" || !slices.Equal(modes, want) {
			t.Errorf("%s %s: the modes are %q, want %q; hc is %v, %v", c.file, c.text, modes, want, hc, err)
		}
		alone, err := source.Theme(&term.App{}, []string{name}, tokenfile.Options{})
		note, _, isContext := strings.Cut(named(c.unread), left)
		if err != nil || isContext && (len(alone.Unread) > 0 || !slices.Contains(alone.Notes(), note+left)) {
			t.Errorf("%s %s: without its modes: %v, unread %v, notes %q, want %s", c.file, c.text, err, alone.Unread, alone.Notes(), note)
		}
		_, err = source.Theme(&term.App{}, []string{name}, tokenfile.Options{Inputs: []string{"theme=dark"}})
		if isContext && (err == nil || err.Error() != note) {
			t.Errorf("%s %s: with --input theme=dark: %v, want %s", c.file, c.text, err, note)
		}
	}
}
