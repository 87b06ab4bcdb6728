package renderer_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// fuzzSeeds are a Theme, overrides and a prefix each: every JSON kind as a value, aliases of every
// shape, names and values that would break out.
var fuzzSeeds = [][3]string{
	{`{}`, `{}`, ``},
	{`{"n":{"$value":null},"b":{"$value":true},"i":{"$value":-0.50e1},"s":{"$value":"x"},"a":{"$value":[]},"o":{"$value":{}}}`, `{"n":1,"b":null,"i":{},"s":[],"a":"{s}","o":"{o}"}`, `p`},
	{`{"c":{"$type":"color","$value":"#f00"},"a":{"$value":"{c}"},"g":{"$type":"gradient","$value":[{"color":"{c}","position":0},{"color":"{a}","position":1}]}}`, `{"c":{"colorSpace":"oklch","components":[0.7,"none",30],"alpha":0.5}}`, ``},
	{`{"s":{"$type":"shadow","$value":["{t}",{"x":1,"y":2,"color":"red","inset":true}]},"t":{"$type":"shadow","$value":{"offsetX":"1px","offsetY":{"value":2,"unit":"rem"},"blur":0,"color":"#0008"}}}`, `{"t":["{s}"]}`, `x y`},
	{`{"f":{"$type":"typography","$value":{"fontFamily":["A b","serif"],"fontSize":"{d}","fontWeight":"Semi Bold","lineHeight":1.5,"letterSpacing":"-0.01em"}},"d":{"$type":"dimension","$value":"16px"}}`, `{"d":"4px * 2","f":{"fontSize":1}}`, ``},
	{`{"b":{"$type":"border","$value":{"color":"red","width":"{w}","style":"dashed"}},"w":{"$type":"dimension","$value":{"value":1e-7,"unit":"px"}},"m":{"$type":"transition","$value":{"duration":"{u}","delay":0,"timingFunction":[0,0,1,1]}},"u":{"$type":"duration","$value":"200ms"}}`, `{"w":"1e30px","u":"{no}"}`, ``},
	{`{"x":{"$type":"string","$value":"red;} body{--pwned:1} x{"},"y":{"$type":"string","$value":"</style><script>{x}"},"z":{"$type":"string","$value":"url(//x) {y} \u2028"}}`, `{"x":"/* \\","z":"{x} {y}"}`, `;}`},
	{`{"g":{"$description":"d","$extensions":{"a.b":[1,null]},"$root":{"$value":1,"$deprecated":true},"h":{"$ref":"#/g"},"i":{"$extends":"{g}"}},"a b":{"$value":2},"a-b":{"$value":3},"a.b":{"$value":4}}`, `{"g.$root":"{a b}","a.b":5}`, ``},
	{`{"a":{"$value":"{b}"},"b":{"$value":"{c}"},"c":{"$value":"{a}"},"d":{"$value":"{ c }"},"e":{"$value":["{a}","{d}"]},"f":{"$value":"1 + {g}"},"g":{"$type":"number","$value":"3"}}`, `{"c":7}`, ``},
	{`{"t":{"$type":"strokeStyle","$value":{"dashArray":["1px"],"lineCap":"round"}},"k":{"$type":"cubicBezier","$value":[0.1,-2,0.3,9]},"w":{"$type":"fontWeight","$value":"bold"},"o":{"$type":"opacity","$value":"50%"},"q":{"$type":"nonsense","$value":{"colorSpace":"lab","components":[1]}}}`, `{"k":"{t}","w":"{o}","q":"{k}"}`, ``},
	{`{"t":{"$value":1,"child":{"$value":2},"$type":"number"},"":{"$value":3},"{x}":{"$value":4},"\u202e":{"$value":"\u0000"}}`, `{"t.child":5,"":6,"{x}":7}`, "\u202e"},
}

// addSeeds gives f the seeds above and the golden cases.
func addSeeds(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add(seed[0], seed[1], seed[2])
	}
	themes, err := filepath.Glob("testdata/*/theme.json")
	if err != nil || len(themes) == 0 {
		f.Fatal("no golden cases", err)
	}
	for _, name := range themes {
		theme, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		if len(theme) > 4096 {
			continue // the fuzzer gets further with small documents
		}
		overrides, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "variant.json"))
		f.Add(string(theme), string(overrides), "")
	}
}

// fuzzTrees reads the texts of the fuzzer. Overrides that are no JSON object become the value of the
// first token, so that every text is of use.
func fuzzTrees(theme, overrides string) (root, over *jsontree.Node) {
	root, err := jsontree.Parse(theme)
	if err != nil || !root.IsObject() {
		return nil, nil
	}
	if over, err = jsontree.Parse(overrides); err == nil && over.IsObject() {
		return root, over
	}
	tokens := dtcg.Read(root).Tokens
	if len(tokens) == 0 || !utf8.ValidString(overrides) {
		return root, nil
	}
	return root, jsontree.NewObject(jsontree.Member{Name: tokens[0].Path, Value: jsontree.NewString(overrides)})
}

// FuzzRender renders whatever parses and holds all five files to what they promise.
func FuzzRender(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, theme, overrides, prefix string) {
		root, over := fuzzTrees(theme, overrides)
		if root == nil || !utf8.ValidString(prefix) {
			return
		}
		s, again := renderer.LoadTree(root, over, prefix), renderer.LoadTree(root, over, prefix)
		given := spellNode(root) + spellNode(over) + prefix
		for file := range renderer.File(renderer.FileCount) {
			out := s.Append(nil, file)
			if !bytes.Equal(out, again.Append(nil, file)) {
				t.Errorf("%s differs when it is rendered again", file.Name())
			}
			checkFuzzed(t, file, out, given)
		}
		for _, x := range s.Diagnostics() {
			if x.Kind == "" || x.Message == "" {
				t.Errorf("a diagnostic says nothing: %+v", x)
			}
		}
	})
}

// checkFuzzed holds one file to its form; given is all that it was made from.
func checkFuzzed(t *testing.T, file renderer.File, out []byte, given string) {
	t.Helper()
	for _, bad := range []string{"undefined", "NaN", "[object", "Infinity"} {
		if bytes.Contains(out, []byte(bad)) && !strings.Contains(given, bad) {
			t.Errorf("%s holds %q", file.Name(), bad)
		}
	}
	if file == renderer.TokensCSS {
		checkFuzzedStylesheet(t, string(out))
		return
	}
	n, err := jsontree.Parse(string(out))
	if err != nil || !json.Valid(out) || bytes.IndexByte(out, '<') >= 0 {
		t.Fatalf("%s is no JSON, or holds a raw <: %v: %s", file.Name(), err, out)
	}
	switch file {
	case renderer.TokensValuesJSON:
		checkPrimitives(t, n, "")
		checkNoAlias(t, file, n)
	case renderer.TokensFlatJSON:
		checkNoAlias(t, file, n)
	case renderer.TokensJSON:
		d := dtcg.Read(n)
		for i := range d.Tokens {
			checkNoAlias(t, file, d.Tokens[i].Value)
		}
	}
}

var plainAlias = regexp.MustCompile(`\{[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\}`)

// checkNoAlias wants no string below n to hold an alias.
func checkNoAlias(t *testing.T, file renderer.File, n *jsontree.Node) {
	t.Helper()
	if n.IsString() && plainAlias.MatchString(n.Text) {
		t.Errorf("%s holds the alias %q", file.Name(), n.Text)
	}
	for _, item := range n.Items() {
		checkNoAlias(t, file, item)
	}
	for _, m := range n.Members {
		checkNoAlias(t, file, m.Value)
	}
}

// checkFuzzedStylesheet reads the sheet as tokens of CSS and knows nothing of how it was written:
// one rule, each line one declaration of a name of its own, nothing that fetches, nothing left open.
func checkFuzzedStylesheet(t *testing.T, sheet string) {
	t.Helper()
	lines := strings.Split(sheet, "\n")
	if len(lines) < 4 || lines[1] != ":root {" || lines[len(lines)-2] != "}" || lines[len(lines)-1] != "" {
		t.Fatalf("not one :root rule after one comment: %q", sheet)
	}
	seen := map[string]bool{}
	for _, line := range lines[2 : len(lines)-2] {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, ";"), ": ")
		if !ok || !strings.HasSuffix(line, ";") || !strings.HasPrefix(name, "  --") || len(name) < 5 || seen[name] {
			t.Fatalf("no declaration, or a second one: %q", line)
		}
		seen[name] = true
		if why := outsideOfOneValue(value); why != "" {
			t.Fatalf("%q: %s", line, why)
		}
	}
}

var fetching = regexp.MustCompile(`(?i)(url|src|image|image-set|cross-fade|element|attr|paint|expression|format|local)\(`)

// outsideOfOneValue says how a value could leave its declaration or fetch something; "" if it cannot.
func outsideOfOneValue(value string) string {
	bare, depth := "", 0
	for rest := value; rest != ""; {
		c := rest[0]
		if c == '"' || c == '\'' {
			n := quoted(rest)
			if n == 0 {
				return "a string that does not end, or ends an element"
			}
			rest = rest[n:]
			bare += "s"
			continue
		}
		if c < ' ' || c == 0x7f || strings.IndexByte(";{}[]!@\\<>&:$^~`|?=", c) >= 0 {
			return "the character " + string(rune(c))
		}
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 || strings.HasPrefix(rest, "/*") || strings.HasPrefix(rest, "*/") {
			return "a parenthesis that nothing opens, or a comment"
		}
		bare += rest[:1]
		rest = rest[1:]
	}
	if depth != 0 || strings.TrimSpace(bare) == "" {
		return "a parenthesis that nothing closes, or nothing at all"
	}
	if found := fetching.FindString(bare); found != "" {
		return "the function " + found
	}
	return ""
}

// quoted returns the length of the string that s begins with, 0 if it does not end as one should.
func quoted(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return i + 1
		case s[i] == '\\':
			i++
		case s[i] < ' ' || s[i] == '<' || s[i] == '>' || s[i] == '&':
			return 0
		}
	}
	return 0
}

// FuzzOverlay wants plan and overlay to give the bytes of the renderer for all files, and the same
// bytes when compiled again.
func FuzzOverlay(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, theme, overrides, prefix string) {
		if root, over := fuzzTrees(theme, overrides); root != nil {
			checkCompiled(t, root, prefix, over)
		}
	})
}
