package source_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/cli/tokenfile/write"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/internal/test/tokentreetest"
	"example.com/livery/renderer/jsontree"
)

// inputOf makes an input of a document, in which each member has its own line. It finds the tokens as a reader finds them who
// knows two things: a token has a value, and what stands inside a token is not one.
func inputOf(t *testing.T, text []byte, isVariant bool) input {
	t.Helper()
	var lines bytes.Buffer
	if err := json.Indent(&lines, text, "", " "); err != nil {
		t.Fatal(err)
	}
	in := input{name: "in.json", text: lines.String(), tokens: map[int]string{}, isVariant: isVariant}
	root, err := jsontree.Parse(in.text)
	if err != nil {
		t.Fatal(err)
	}
	at := syntax.Locate(in.text)
	var visit func(n *jsontree.Node, path jsontree.Pointer)
	visit = func(n *jsontree.Node, path jsontree.Pointer) {
		for _, m := range n.Members {
			below := append(path[:len(path):len(path)], m.Name)
			switch {
			case !m.Value.IsObject() || strings.HasPrefix(m.Name, "$") && m.Name != "$root":
			case m.Value.Find("$ref") != nil: // to a token, or to a group, whose tokens stand below it then
				in.tokens[at.Line(append(below, "$ref").String())] = strings.Join(below, ".")
			case m.Value.Find("$value") != nil || m.Value.Find("value") != nil || m.Value.Find("sets") != nil:
				in.tokens[at.Line(below.String())] = strings.Join(below, ".")
			default:
				visit(m.Value, below)
			}
		}
	}
	visit(root, nil)
	if in.isVariant {
		in.tokens = map[int]string{}
		for _, m := range root.Members {
			in.tokens[at.Line(jsontree.Pointer{m.Name}.String())] = m.Name
		}
	}
	return in
}

// TestEveryTokenOfRealFilesIsReadOrNamed: of the corpus, and of the suites as far as they are documents.
func TestEveryTokenOfRealFilesIsReadOrNamed(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"corpus/*.json", "suites/dtcg-spec-examples/0*.json", "suites/livery-edge-cases/*.json"} {
		found, _ := filepath.Glob("../../../../shared/" + pattern)
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Skip("SKIPPED: the corpus of real design systems is not beside this repository: ../shared/corpus")
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			in := inputOf(t, text, strings.Contains(name, ".variant-"))
			list, err := lostOf(t, in)
			switch {
			case err != nil && !strings.Contains(name, "/suites/"):
				t.Errorf("the file is refused: %v", err)
			case len(list) > 0:
				t.Errorf("of %d tokens these are lost:\n%s", len(in.tokens), strings.Join(list, "\n"))
			}
		})
	}
}

// TestTheLastOfSeveralMembersCounts: the others are named with the file and the lines of both, and the tokens that only they
// have count as left out. What stands twice in a member that does not count goes with it.
func TestTheLastOfSeveralMembersCounts(t *testing.T) {
	t.Parallel()
	dir := written(t, map[string]string{"in.json5": "{ // x\n color: {\n  a: {$value: '#fff'},\n  old: {$value: '#000'},\n  a: {$value: '#eee'}},\n" +
		" color: {\n  a: {$value: '#ddd'},\n  b: {$value: 1},\n  b: {$value: 2}}}"})
	name := filepath.Join(dir, "in.json5")
	s, err := source.Theme(&term.App{}, []string{name}, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(jsontree.Append(nil, s.Tree)); got != `{"color":{"a":{"$value":"#ddd"},"b":{"$value":2}}}` {
		t.Errorf("the document is %s", got)
	}
	var said []string
	for _, c := range s.Concessions() {
		if c.Kind == "members that stand twice" {
			said = append(said, c.Location+" "+c.Path+" "+c.Message)
		}
	}
	want := []string{
		name + ":6 color it stands in " + name + ":2 too; this one counts, as the last does in JSON",
		name + ":9 color.b it stands in " + name + ":8 too; this one counts, as the last does in JSON",
	}
	if !slices.Equal(said, want) {
		t.Errorf("named are %q, want %q", said, want)
	}
	if len(s.Faults) != 1 || s.Faults[0].Path != "color.old" || s.Faults[0].Tokens != 1 || !strings.HasPrefix(s.Faults[0].Reason, name+":2: ") {
		t.Errorf("left out are %v, want color.old", s.Faults)
	}
}

// TestATokenAndAGroupOfOneNameAreNotBoth: what only the first of the two has is left out, also of sources of a resolver
// document; other members hold no tokens.
func TestATokenAndAGroupOfOneNameAreNotBoth(t *testing.T) {
	t.Parallel()
	for text, lost := range map[string][]string{
		`{"t":{"$value":"#123"},"t":{"sub":{"$value":"#456"}}}`:                              {"t"},
		`{"t":{"sub":{"$value":"#456"}},"t":{"$value":"#123"}}`:                              {"t.sub"},
		`{"a":{"x":{"p":{"$value":1}},"x":{"q":{"$value":2}}},"a":{"x":{"r":{"$value":3}}}}`: {"a.x.p", "a.x.q"},
		`{"t":{"$value":"#123","$extensions":{"k":1},"$extensions":{"j":{"k":{}}}}}`:         nil,

		`{"version":"2025.10","sets":{"s":{"sources":[{"a":{"$value":1},"g":{"b":{"$value":1}}}]},"s":{"sources":[{"c":{"$value":1}},{"a":{"$value":1}}]}},"resolutionOrder":[{"$ref":"#/sets/s"}]}`: {"sets.s.sources.g.b"},
		`{"version":"2025.10","sets":{"s":{"sources":[{"$ref":"other.json"}]}},"sets":{"s":{"sources":[{"c":{"$value":1}}]}},"resolutionOrder":[{"$ref":"#/sets/s"}]}`:                               {"sets.s.sources.other.json"},
	} {
		s, err := source.Theme(&term.App{}, []string{filepath.Join(written(t, map[string]string{"in.json": text}), "in.json")}, tokenfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, fault := range s.Faults {
			got = append(got, fault.Path)
		}
		if !slices.Equal(got, lost) {
			t.Errorf("%s: left out are %q, want %q", text, got, lost)
		}
	}
}

// TestWhatIsEditedOfAPulledFileIsComputed: in Tokens Studio; what stands as it was written has its values.
func TestWhatIsEditedOfAPulledFileIsComputed(t *testing.T) {
	const text = `{"a":{"$type":"dimension","$value":"4px"},"b":{"$type":"dimension","$value":"8px"},"x":{"$type":"dimension","$value":"4px * 2"},"c":{"$type":"color","$value":"#ff0000"},` +
		`"t":{"$type":"typography","$value":{"fontFamily":"Inter","fontSize":"16px","lineHeight":"150%"}}}`
	pulled := string(jsontree.Append(nil, write.Document("tokens-studio", tokentreetest.Parse(t, text))))
	edited := strings.NewReplacer(
		`"a":{"value":"4px"`, `"a":{"value":"{b} * 2"`,
		`"value":"#ff0000"`, `"value":"#ff0000","$extensions":{"studio.tokens":{"modify":{"type":"alpha","value":"0.5","space":"srgb"}}}`,
	).Replace(pulled)
	for file, want := range map[string]string{
		pulled: text,
		edited: strings.NewReplacer("4px\"}", "16px\"}", `"#ff0000"`, `"rgb(100% 0% 0% / 0.5)","$extensions":{"studio.tokens":{"modified":{"type":"alpha","value":"0.5","space":"srgb"}}}`).Replace(text),
	} {
		name := filepath.Join(written(t, map[string]string{"in.json": file}), "in.json")
		s, err := source.Theme(&term.App{}, []string{name}, tokenfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := string(jsontree.Append(nil, s.Tree)); got != want {
			t.Errorf("of %s the tokens are %s, want %s", file, got, want)
		}
	}
}
