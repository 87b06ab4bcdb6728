package intake

import (
	"fmt"
	"io/fs"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"example.com/livery/renderer/jsontree"
)

// memory is a file system of texts by name.
type memory map[string]string

func (m memory) Open(name string) ([]byte, error) {
	text, ok := m[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

func (m memory) List(folder string) (names []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if folder == "." || strings.HasPrefix(name, folder+"/") {
			names = append(names, name)
		}
	}
	if names == nil {
		return nil, fs.ErrNotExist
	}
	return names, nil
}

// tokens is a DTCG document of colours, of texts such as "a.b=#fff".
func tokens(all ...string) string {
	root := jsontree.NewObject()
	for _, text := range all {
		path, value, _ := strings.Cut(text, "=")
		n := root
		for name := range strings.SplitSeq(path, ".") {
			i := slices.IndexFunc(n.Members, func(m jsontree.Member) bool { return m.Name == name })
			if i < 0 {
				i, n.Members = len(n.Members), append(n.Members, jsontree.Member{Name: name, Value: jsontree.NewObject()})
			}
			n = n.Members[i].Value
		}
		v, err := jsontree.Parse(value)
		if err != nil {
			v = jsontree.NewString(value)
		}
		n.Members = append(n.Members, jsontree.Member{Name: "$type", Value: jsontree.NewString("color")}, jsontree.Member{Name: "$value", Value: v})
	}
	return string(jsontree.Append(nil, root))
}

// show returns what a plan has, one line each.
func show(p *Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "theme %s\n", flat(p.Theme.Tree))
	for _, v := range p.Variants {
		fmt.Fprintf(&b, "%s %s\n", v.Slug, jsontree.Append(nil, v.Values))
	}
	for _, pair := range p.Replaced {
		fmt.Fprintf(&b, "replaced: %s\n", pair)
	}
	for _, u := range p.Unsent {
		fmt.Fprintf(&b, "unsent: %d %s\n", u.Tokens, u.Line)
	}
	for _, g := range p.Problems {
		for _, one := range g.List {
			fmt.Fprintf(&b, "%s: %s %s: %s\n", g.Kind, one.Place, one.Path, one.Message)
		}
	}
	if p.Skipped != nil {
		fmt.Fprintf(&b, "skipped %s\n", strings.Join(p.Skipped, " "))
	}
	return b.String()
}

func flat(n *jsontree.Node) string {
	var all []string
	var visit func(n *jsontree.Node, path string)
	visit = func(n *jsontree.Node, path string) {
		for _, m := range n.Members {
			if value := m.Value.Find("$value"); value != nil {
				all = append(all, path+m.Name+"="+strings.Trim(string(jsontree.Append(nil, value)), `"`))
			} else if m.Value.IsObject() {
				visit(m.Value, path+m.Name+".")
			}
		}
	}
	visit(n, "")
	return strings.Join(all, " ")
}

func parseMapping(t *testing.T, text string) *Mapping {
	t.Helper()
	m, err := ParseMapping(MappingName, []byte(text))
	if err != nil {
		t.Fatalf("ParseMapping(%s) = %v", text, err)
	}
	return m
}

func TestRead(t *testing.T) {
	files := memory{
		"defs.resolver.json": `{"version":"2025.10","$defs":{"blue":{"$type":"color","$value":"#0000ff"}},"sets":{"s":{"sources":[{"a":{"$ref":"#/$defs/blue"},"b":{"$type":"color","$value":{"$ref":"#/$defs/blue/$value"}}}]}},"resolutionOrder":[{"$ref":"#/sets/s"}]}`,
		"a.json":             tokens("x=#000001", "y=#000002"),
		"b.json":             tokens("y=#000003", "z=#000004"),
		"dark.json":          tokens("x=#00000d"),
		"globex.json":        tokens("y=#0000b0", "w=#ffffff"),
		"globexdark.json":    tokens("z=#0000bd"),
		"modes.json":         tokens(`m={"light":"#111111","dark":"#222222"}`),
		"t/a.json":           tokens("x=#000001"),
		"t/b.json":           tokens("y=#000002"),
		"t/package.json":     `{"name":"t","scripts":{"x":"y"}}`,
		"t/build.css":        ":root{--x:1px}",
		"t/livery.yaml":      "files: [a.json]",
		"ref.json":           `{"x":{"$type":"color","$value":"#000001"},"y":{"$ref":"#/x"},"c":{"$type":"color","$value":{"colorSpace":"srgb","components":{"$ref":"#/q/$value/components"}}},"q":{"$type":"color","$value":{"colorSpace":"srgb","components":[0,0,0]}}}`,
		"same.css":           ":root{--a:1px}.dark{--a:2px}@media (prefers-color-scheme:dark){:root{--a:2px}}",
		"refdark.json":       `{"q":{"$value":{"colorSpace":"srgb","components":[1,1,1]}}}`,
	}
	cases := []struct{ rule, mapping, want string }{
		{"a later file wins, reported once for two files", "files: [a.json, b.json]", "theme x=#000001 y=#000003 z=#000004\nreplaced: a.json and b.json give y different values (a.json:1, b.json:1)\n"},
		{"a file named twice counts at its last place", "files: [b.json, a.json, b.json]", "theme x=#000001 y=#000003 z=#000004\nreplaced: a.json and b.json give y different values (a.json:1, b.json:1)\n"},
		{"a Variant overrides what differs", "files: [a.json, b.json]\nvariants:\n  dark: {files: dark.json}\n", "theme x=#000001 y=#000003 z=#000004\ndark {\"x\":\"#00000d\"}\nreplaced: a.json and b.json give y different values (a.json:1, b.json:1)\n"},
		{"a Variant adds no token", "files: a.json\nvariants: {globex: {files: globex.json}}", "theme x=#000001 y=#000002\nglobex {\"y\":\"#0000b0\"}\ntokens of Variants that the Theme lacks: globex.json:1 w: a Variant can only override tokens of the Theme; add it there, or did you mean x?\n"},
		{
			"a mode for a brand is read over the Theme, the brand and the general mode",
			"files: a.json\nvariants:\n  gd: {files: globexdark.json, mode: scheme.dark, for: g}\n  dark: {files: [dark.json, b.json], mode: scheme.dark}\n  g: {files: globex.json}\n",
			"theme x=#000001 y=#000002\ngd {\"x\":\"#00000d\",\"y\":\"#000003\"}\ndark {\"x\":\"#00000d\",\"y\":\"#000003\"}\ng {\"y\":\"#0000b0\"}\n" +
				"tokens of Variants that the Theme lacks: b.json:1 z: a Variant can only override tokens of the Theme; add it there, or did you mean x?\n" +
				"tokens of Variants that the Theme lacks: globex.json:1 w: a Variant can only override tokens of the Theme; add it there, or did you mean x?\n" +
				"tokens of Variants that the Theme lacks: globexdark.json:1 z: a Variant can only override tokens of the Theme; add it there, or did you mean x?\n",
		},
		{"modes that no Variant takes are listed", "files: modes.json", "theme m=#111111\nunsent: 1 dark: {select: {value: {scheme: dark}}, mode: scheme.dark}\n"},
		{"ignored modes are not listed", "files: modes.json\nignore: [{value: {scheme: dark}}]", "theme m=#111111\n"},
		{"a Variant selects a mode", "files: modes.json\nvariants: {night: {select: {value: {scheme: dark}}, mode: scheme.dark}}", "theme m=#111111\nnight {\"m\":\"#222222\"}\n"},
		{"the Theme selects a mode", "files: modes.json\nselect: {value: {scheme: dark}}", "theme m=#222222\nunsent: 0 light: {select: {value: {scheme: light}}, mode: scheme.light}\nvalues that others replace: modes.json:1 m: a later value of the same token counts\n"},
		{"a mode with two conditions says its values twice", "files: same.css\nvariants: {dark: {select: {css: ['@media (prefers-color-scheme: dark)', .dark]}}}", "theme a=1px\ndark {\"a\":\"2px\"}\n"},
		{"a folder is its token files", "files: t", "theme x=#000001 y=#000002\nskipped t/build.css t/package.json\n"},
		{"a named file is not one of a pattern", "files: [t/a.json, 't/*.json', '!t/pack*']", "theme x=#000001 y=#000002\n"},
		{"folders below", "files: ['**/b.json', '!b.json']", "theme y=#000002\n"},
		{
			"references lead to the definitions of a resolver document", "files: defs.resolver.json",
			"theme $defs.blue=#0000ff a=#0000ff b=#0000ff\n",
		},
		{
			"references follow a Variant", "files: ref.json\nvariants: {dark: {files: refdark.json}}",
			"theme x=#000001 y={x} c={\"colorSpace\":\"srgb\",\"components\":[0,0,0]} q={\"colorSpace\":\"srgb\",\"components\":[0,0,0]}\ndark {\"c\":{\"colorSpace\":\"srgb\",\"components\":[1,1,1]},\"q\":{\"colorSpace\":\"srgb\",\"components\":[1,1,1]}}\n" +
				"values copied from another token: ref.json:1 c: its $ref copies a part of q: an override of q does not reach it\n",
		},
	}
	for _, c := range cases {
		plan, err := NewReader(files).Read(parseMapping(t, c.mapping))
		if err != nil {
			t.Errorf("%s: Read(%s) = %v", c.rule, c.mapping, err)
			continue
		}
		if got := show(plan); got != c.want {
			t.Errorf("%s: Read(%s) =\n%s\nwant\n%s", c.rule, c.mapping, got, c.want)
		}
	}
}

func TestRead_Errors(t *testing.T) {
	files := memory{
		"a.json": tokens("x=#000001", "y=#000002"), "b.json": tokens("x=#000003", "y=#000002"), "empty.json": `{"scripts":{"x":"y"}}`, "bad.json": "{\n\"a\": ]", "e.css": "p{color:red}",
		"modes.json": tokens(`m={"light":"#111111","dark":"#222222"}`), "docs/x.md": "", "p/package.json": `{"scripts":{"x":"y"}}`,
	}
	cases := []struct{ mapping, want, hint string }{
		{"files: ['*.json', '!bad.json', '!modes.json']", "a.json and b.json give x different values (a.json:1, b.json:1), and nothing says which of them counts", "Name the files in the order"},
		{"files: empty.json", `empty.json: not a token file (no "$value" or "value")`, "Name files that hold design tokens"},
		{"files: e.css", "e.css: no custom properties", ""},
		{"files: bad.json", "bad.json:2: not JSON: ", "Fix that line"},
		{"files: livery.yaml", "livery.yaml is the mapping and holds no tokens", ""},
		{"files: '*.jsn'", "*.jsn matches no file", "Mend the pattern"},
		{"files: docs", "the folder docs holds no token files", ""},
		{"files: p", "no tokens in p", ""},
		{"files: modes.json\nselect: {value: {scheme: drak}}", "livery.yaml:2:26: no file declares value: {scheme: drak}", "Did you mean dark?"},
		{"files: modes.json\nvariants:\n  d-k:\n    select: {figma: {scheme: dark}}", "livery.yaml:4:30: no file declares figma: {scheme: dark}", "Remove it."},
		{"files: modes.json\nselect: {value: {skeme: dark}}", "livery.yaml:2:25: no file declares value: {skeme: dark}", "Did you mean scheme?"},
	}
	for _, c := range cases {
		_, err := NewReader(files).Read(parseMapping(t, c.mapping))
		hinted, ok := err.(interface{ Hint() string })
		if !ok || !strings.HasPrefix(err.Error(), c.want) || !strings.HasPrefix(hinted.Hint(), c.hint) {
			t.Errorf("Read(%s) = %v, want %s with the hint %s", c.mapping, err, c.want, c.hint)
		}
	}
}

// TestRead_OpenErrors: why a file cannot be opened is said by who opens it.
func TestRead_OpenErrors(t *testing.T) {
	if _, err := NewReader(memory{}).Read(parseMapping(t, "files: missing.json")); err != fs.ErrNotExist {
		t.Errorf("Read = %v, want %v", err, fs.ErrNotExist)
	}
}

// TestRead_ParsesOnce: a file is parsed once, however many Variants are read of it.
func TestRead_ParsesOnce(t *testing.T) {
	files := memory{"a.json": tokens("x=#000001"), "b.json": tokens("x=#000002"), "c.json": tokens("x=#000003")}
	r := NewReader(files)
	done := 0
	r.Progress = func(n, total int) { done = 100*n + total }
	for range 2 {
		if _, err := r.Read(parseMapping(t, "files: [a.json, b.json]\nvariants: {v: {files: [b.json, c.json]}, w: {files: [c.json, b.json]}}")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Propose([]string{"a.json", "b.json", "c.json"}); err != nil {
		t.Fatal(err)
	}
	if r.Parsed != 3 || done != 303 {
		t.Errorf("3 files are parsed %d times; the last progress is %d", r.Parsed, done)
	}
}

func TestRead_Choices(t *testing.T) {
	files := memory{"modes.json": tokens(`m={"light":"#111111","dark":"#222222"}`)}
	plan, err := NewReader(files).Read(FromArguments([]string{"modes.json"}, []string{"Scheme=dark"}))
	if err != nil || flat(plan.Theme.Tree) != "m=#222222" {
		t.Errorf("Read with --mode Scheme=dark = %v, %v", plan, err)
	}
	for choice, want := range map[string]string{"scheme=drak": "no file declares the mode scheme=drak", "dark": "--mode dark names no mode"} {
		if _, err := NewReader(files).Read(FromArguments([]string{"modes.json"}, []string{choice})); err == nil || err.Error() != want {
			t.Errorf("Read with --mode %s = %v, want %s", choice, err, want)
		}
	}
}

// TestBuildsForWebAssembly: the package runs in browsers too.
func TestBuildsForWebAssembly(t *testing.T) {
	cmd := exec.Command("go", "build", ".")
	cmd.Env = append(cmd.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go build for js/wasm: %v\n%s", err, out)
	}
}

// TestRead_Flat: a map of names to values is read as tokens if it is named, not if it merely lies in a folder.
func TestRead_Flat(t *testing.T) {
	files := memory{"t/flat.json": `{"a":"1px"}`, "t/tokens.json": tokens("b=#000001")}
	for list, want := range map[string]string{"t": "b=#000001", "[t, t/flat.json]": "b=#000001 a=1px", "[t/flat.json]": "a=1px"} {
		plan, err := NewReader(files).Read(parseMapping(t, "files: "+list))
		if err != nil || flat(plan.Theme.Tree) != want {
			t.Errorf("Read(files: %s) = %v, want %s", list, err, want)
		}
	}
}

func TestRead_Conflict(t *testing.T) {
	var a, b, c []string
	for i := range 12 {
		a, b, c = append(a, fmt.Sprintf("x%d=#000001", i)), append(b, fmt.Sprintf("x%d=#000002", i)), append(c, fmt.Sprintf("x%d=#000002", i))
	}
	files := memory{"t/a.json": tokens(a...), "t/b.json": tokens(b...), "t/c.json": tokens(c...), "base.json": tokens("y=#000001", a[0])}
	for _, mapping := range []string{"files: t", "files: base.json\nvariants: {v: {files: t}}"} {
		_, err := NewReader(files).Read(parseMapping(t, mapping))
		conflict, ok := err.(*Conflict)
		if !ok || len(conflict.Pairs) != 1 || conflict.Pairs[0].Count != 12 || len(conflict.Pairs[0].Examples) != 10 || conflict.Pairs[0].Examples[9].By.String() != "t/b.json:1" {
			t.Errorf("Read(%s) = %v", mapping, err)
		}
	}
}

func TestRead_AmbiguousChoice(t *testing.T) {
	files := memory{"a.json": tokens(`x={"light":"#111111","dark":"#222222"}`), "a.css": ":root{--a:1px}[data-scheme=dark]{--a:2px}[data-scheme='dark'] .x{--a:3px}"}
	_, err := NewReader(files).Read(FromArguments([]string{"a.json", "a.css"}, []string{"scheme=dark"}))
	if want := "--mode scheme=dark is ambiguous: the files declare value: {scheme: dark} and css: [data-scheme=dark]"; err == nil || err.Error() != want {
		t.Errorf("Read = %v, want %s", err, want)
	}
	plan, err := NewReader(files).Read(FromArguments([]string{"a.css"}, []string{"scheme=dark"}))
	if err != nil || flat(plan.Theme.Tree) != "a=2px" {
		t.Errorf("Read of the stylesheet = %v, %v", plan, err)
	}
}

// TestRead_ReplacedExtends: a group that two files let extend others has one $extends, and the other one is reported as a value is.
func TestRead_ReplacedExtends(t *testing.T) {
	extends := func(group string) string {
		return `{"b":{"$extends":"{` + group + `}"},"` + group + `":{"` + group + `x":{"$type":"color","$value":"#111111"}}}`
	}
	files := memory{"t/a.json": extends("a"), "t/c.json": extends("c")}
	plan, err := NewReader(files).Read(parseMapping(t, "files: [t/a.json, t/c.json]"))
	if err != nil {
		t.Fatal(err)
	}
	if len(plan.Replaced) != 1 || plan.Replaced[0].Examples[0].Path != "b" || plan.Theme.Tree.Lookup(jsontree.Pointer{"b", "cx"}) == nil {
		t.Errorf("replaced are %v in %s", plan.Replaced, jsontree.Append(nil, plan.Theme.Tree))
	}
	if _, err := NewReader(files).Read(parseMapping(t, "files: [t]")); err == nil || !strings.Contains(err.Error(), "give b different values") {
		t.Errorf("Read = %v, want a conflict", err)
	}
}
