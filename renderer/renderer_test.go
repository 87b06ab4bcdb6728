package renderer_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// S228: the five names, and only these.
func TestFileNames(t *testing.T) {
	t.Parallel()
	want := []string{"tokens.css", "tokens.values.json", "tokens.dtcg.json", "tokens.json", "tokens.flat.json"}
	if len(want) != renderer.FileCount {
		t.Fatalf("FileCount = %d", renderer.FileCount)
	}
	for i, name := range want {
		f, ok := renderer.FileByName(name)
		if !ok || int(f) != i || f.Name() != name {
			t.Errorf("FileByName(%q) = %d, %v, its name is %q", name, f, ok, f.Name())
		}
	}
	for _, name := range []string{"", "tokens", "Tokens.css", "tokens.css ", "tokens.scss", "../tokens.css"} {
		if f, ok := renderer.FileByName(name); ok {
			t.Errorf("FileByName(%q) = %d, want none", name, f)
		}
	}
}

func TestLoadSaysWhatIsNoObject(t *testing.T) {
	t.Parallel()
	cases := []struct{ theme, overrides, want string }{
		{"", "", "renderer: theme: invalid JSON at byte 0: a value was expected, the text ends"},
		{"[]", "", "renderer: theme: an object was expected, found: array"},
		{"{}", "5", "renderer: overrides: an object was expected, found: number"},
		{"{}", `{"a":1,"a":2}`, `renderer: overrides: invalid JSON at byte 7: the member name "a" stands twice in one object`},
	}
	for _, c := range cases {
		if _, err := renderer.Load(c.theme, c.overrides, ""); err == nil || err.Error() != c.want {
			t.Errorf("Load(%q, %q) = %v, want %s", c.theme, c.overrides, err, c.want)
		}
	}
	for _, overrides := range []string{"", "{}"} {
		if _, err := renderer.Load("{}", overrides, ""); err != nil {
			t.Errorf("Load({}, %q) = %v", overrides, err)
		}
	}
}

func TestLoadTreeIsTotal(t *testing.T) {
	t.Parallel()
	want := []string{"/* Livery design tokens, format 1 */\n:root {\n}\n", "{}\n", "{}\n", "{}\n", "{}\n"}
	for _, root := range []*jsontree.Node{nil, {Kind: jsontree.Array}, jsontree.NewObject()} {
		s := renderer.LoadTree(root, nil, "")
		for f := range renderer.File(renderer.FileCount) {
			if got := string(s.Append(nil, f)); got != want[f] {
				t.Errorf("%s of nothing = %q, want %q", f.Name(), got, want[f])
			}
		}
	}
}

func TestAppendKeepsWhatWasThere(t *testing.T) {
	t.Parallel()
	s := load(t, `{"a":{"$type":"number","$value":1}}`, "", "")
	for f := range renderer.File(renderer.FileCount) {
		if got := string(s.Append([]byte("before,"), f)); got != "before,"+string(s.Append(nil, f)) {
			t.Errorf("Append of %s changes what was there: %s", f.Name(), got)
		}
	}
}

// A Set is read by many requests at once; run with -race.
func TestSet_Concurrent(t *testing.T) {
	t.Parallel()
	s := load(t, readFile(t, "testdata/acorn-design-system/theme.json"), readFile(t, "testdata/acorn-design-system/variant.json"), "")
	var want [renderer.FileCount]string
	for f := range renderer.File(renderer.FileCount) {
		want[f] = string(s.Append(nil, f))
	}
	var group sync.WaitGroup
	for i := range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			f := renderer.File(i % renderer.FileCount)
			if string(s.Append(nil, f)) != want[f] || len(s.Diagnostics()) == 0 {
				t.Errorf("%s differs", f.Name())
			}
		}()
	}
	group.Wait()
}

// Rule 6 of the escape rule: a value is escaped the same as a Theme's value, as a Variant's value
// and behind an alias.
func TestValuesAreEscapedOnEveryRoad(t *testing.T) {
	t.Parallel()
	payloads := []string{
		"red;} body{--pwned:1} x{", "red}</style><script>1</script>", "url(http://canary.test/)", `"unterminated`, "/* open", `\`,
		"red\n} x{", "red !important", "{} body{--pwned:1}", "calc((((1px", "1px)", "", "   ", "#fff", "var(--a)", "\u2028\u202e", "a */ b",
	}
	for _, payload := range payloads {
		text := string(jsontree.AppendString(nil, payload))
		roads := map[string]*renderer.Set{
			"theme":   load(t, `{"it":{"$type":"string","$value":`+text+`}}`, "", ""),
			"variant": load(t, `{"it":{"$type":"string","$value":"x"}}`, `{"it":`+text+`}`, ""),
			"alias":   load(t, `{"it":{"$type":"string","$value":"{to}"},"g":{"x":{"$value":1}},"to":{"$type":"string","$value":`+text+`}}`, "", ""),
		}
		line := func(s *renderer.Set) string {
			return strings.Split(string(s.Append(nil, renderer.TokensCSS)), "\n")[2]
		}
		want := line(roads["theme"])
		for name, s := range roads {
			if got := line(s); got != want || !strings.HasPrefix(got, "  --it: ") {
				t.Errorf("%q as %s: %s, want %s", payload, name, got, want)
			}
			checkFiles(t, func() *renderer.Set { return s })
		}
	}
}

// A38: what a document of a few kilobytes can make the files hold is bounded.
func TestRenderedSizeIsBounded(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		`{"$type":"shadow","$value":["{t%[1]d}","{t%[1]d}"]}`,
		`{"$type":"typography","$value":{"fontFamily":["{t%[1]d}","{t%[1]d}"],"fontSize":"1px"}}`,
		`{"$type":"fontFamily","$value":["{t%[1]d}","{t%[1]d}"]}`,
		`{"$type":"string","$value":"{t%[1]d}{t%[1]d}"}`,
	} {
		theme := `{"t0":{"$type":"string","$value":"ha ha ha; ha"}`
		for i := 1; i < 60; i++ {
			theme += fmt.Sprintf(`,"t%d":`+value, i, i-1)
		}
		s := load(t, theme+"}", "", "")
		for f := range renderer.File(renderer.FileCount) {
			if size := len(s.Append(nil, f)); size > 16<<20 {
				t.Errorf("%s of %d bytes of theme has %d bytes", f.Name(), len(theme), size)
			}
		}
	}
}

// 20,000 tokens of one name leave one declaration, and a short message for every other token.
func TestManyTokensOfOneName(t *testing.T) {
	t.Parallel()
	inCSSTheSame := strings.NewReplacer("0", "/", "1", " ")
	var theme strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&theme, `,"%s":{"$type":"number","$value":%d}`, inCSSTheSame.Replace(fmt.Sprintf("%015b", i)), i)
	}
	s := load(t, "{"+theme.String()[1:]+"}", "", "")
	lines := strings.Split(string(s.Append(nil, renderer.TokensCSS)), "\n")
	if len(lines) != 5 || !strings.HasSuffix(lines[2], ": 19999;") {
		t.Errorf("%d lines, %q", len(lines), lines[2])
	}
	if len(s.Diagnostics()) != 19_999 {
		t.Fatalf("%d diagnostics", len(s.Diagnostics()))
	}
	for _, x := range s.Diagnostics() {
		if x.Kind != dtcg.NameCollision || len(x.Message) > 200 {
			t.Fatalf("%v", x)
		}
	}
}

// texts are names and values that try to leave their place.
var texts = rapid.OneOf(
	rapid.SampledFrom([]string{
		"a", "b", "c", "{a}", "{b}", "{a.b}", "{c.$root}", "0", "__proto__", "$root", "red;} x{", "</style>", "\u2028", "1px", "#fff", "{a} * 2", "", "url(x)",
		"calc(1px", "\"", "\\", "/*", "*/", "x\x00", "\u202e", "16px", "bold", "solid", "Inter, serif", "cubic-bezier(0,0,1,1)", "200ms", "a.b",
	}),
	rapid.String().Filter(utf8.ValidString),
)

// names are those texts that a stored document can have as names.
var names = texts.Filter(func(s string) bool { return s != "" && !strings.ContainsAny(s, "{}") })

// values are JSON trees with those texts in them.
func values(depth int) *rapid.Generator[*jsontree.Node] {
	return rapid.Custom(func(t *rapid.T) *jsontree.Node {
		most := 5
		if depth == 0 {
			most = 3
		}
		switch rapid.IntRange(0, most).Draw(t, "kind") {
		case 0:
			return &jsontree.Node{Kind: jsontree.Number, Text: rapid.SampledFrom([]string{"0", "1.50", "-0", "1e999", "400"}).Draw(t, "number")}
		case 1, 2, 3:
			return jsontree.NewString(texts.Draw(t, "string"))
		case 4:
			return jsontree.NewArray(rapid.SliceOfN(values(depth-1), 0, 3).Draw(t, "items")...)
		}
		n := jsontree.NewObject()
		members := rapid.SampledFrom([]string{"color", "width", "style", "fontFamily", "fontSize", "offsetX", "blur", "value", "unit", "colorSpace", "components", "duration", "position"})
		for _, name := range rapid.SliceOfNDistinct(members, 0, 4, rapid.ID[string]).Draw(t, "names") {
			n.Members = append(n.Members, jsontree.Member{Name: name, Value: values(depth-1).Draw(t, "member")})
		}
		return n
	})
}

// groups are token trees of every type, with names that try to leave their place.
func groups(depth int) *rapid.Generator[*jsontree.Node] {
	types := rapid.SampledFrom([]string{
		"", "color", "dimension", "fontFamily", "fontWeight", "duration", "cubicBezier", "number", "strokeStyle", "border", "transition", "shadow",
		"gradient", "typography", "string", "boolean", "opacity", "spacing", "nonsense",
	})
	return rapid.Custom(func(t *rapid.T) *jsontree.Node {
		n := jsontree.NewObject()
		if typ := types.Draw(t, "type"); typ != "" {
			n.Members = append(n.Members, jsontree.Member{Name: "$type", Value: jsontree.NewString(typ)})
		}
		for _, name := range rapid.SliceOfNDistinct(names, 0, 4, rapid.ID[string]).Draw(t, "names") {
			if strings.HasPrefix(name, "$") && name != "$root" {
				continue
			}
			below := jsontree.NewObject(jsontree.Member{Name: "$value", Value: values(2).Draw(t, "value")})
			if typ := types.Draw(t, "type"); typ != "" {
				below.Members = append(below.Members, jsontree.Member{Name: "$type", Value: jsontree.NewString(typ)})
			}
			if depth > 0 && rapid.Bool().Draw(t, "group") {
				below = groups(depth-1).Draw(t, "group")
			}
			n.Members = append(n.Members, jsontree.Member{Name: name, Value: below})
		}
		return n
	})
}

// The renderer is total, deterministic and safe on documents that no author would write.
func TestRandomDocumentsRender(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		theme := spellNode(groups(2).Draw(r, "theme"))
		over := jsontree.NewObject()
		for _, path := range rapid.SliceOfNDistinct(names, 0, 4, rapid.ID[string]).Draw(r, "paths") {
			over.Members = append(over.Members, jsontree.Member{Name: path, Value: values(2).Draw(r, "override")})
		}
		prefix := rapid.OneOf(rapid.Just(""), texts).Draw(r, "prefix")
		r.Logf("theme %s\nvariant %s\nprefix %q", theme, spellNode(over), prefix)
		checkFiles(r, func() *renderer.Set { return load(r, theme, spellNode(over), prefix) })
	})
}

// The guest holds text and number packages only: no clock, disk, network, reflection or goroutine.
func TestRendererImportsNothingImpure(t *testing.T) {
	t.Parallel()
	allowed := []string{
		"strings", "strconv", "unicode", "unicode/utf8", "math", "math/bits", "sort", "slices", "bytes", "errors", "cmp", "iter",
		"hash/maphash", // where something is in a table, which no caller sees
		"example.com/livery/renderer/dtcg", "example.com/livery/renderer/css", "example.com/livery/renderer/jsontree",
		"example.com/livery/renderer/plan",
	}
	count := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		count++
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			if name, _ := strconv.Unquote(spec.Path.Value); !slices.Contains(allowed, name) {
				t.Errorf("%s imports %s", path, name)
			}
		}
		return nil
	})
	if err != nil || count < 10 {
		t.Fatal(err, count)
	}
}
