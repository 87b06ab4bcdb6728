package syntax

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.com/livery/renderer/jsontree"
)

func TestTextsAreReadAsTrees(t *testing.T) {
	cases := []struct{ rule, name, text, want string }{
		{"JSON", "a.json", `{"a":1.0}`, `{"a":1.0}`},
		{"comments and trailing commas", "a.json", "{\"a\":[1,2,], // one\n/* two */ \"b\":\"//\",}", `{"a":[1,2],"b":"//"}`},
		{"names without quotes, and such that look like words", "a.json5", `{a_b:1,null:2,$x:3,500:{},ä:4}`, `{"a_b":1,"null":2,"$x":3,"500":{},"ä":4}`},
		{"single quotes and escapes", "a.json5", `{'a"b':'it\'s "x" \x41\v\
z'}`, `{"a\"b":"it's \"x\" A\u000bz"}`},
		{"numbers that JSON lacks", "a.json5", `{a:Infinity,b:-Infinity,NaN:+NaN}`, `{"a":"Infinity","b":"-Infinity","NaN":"+NaN"}`},
		{"numbers", "a.json5", `{a:+1,b:.5,c:5.,d:0x1F,e:-.5e3,f:-0x10}`, `{"a":1,"b":0.5,"c":5,"d":31,"e":-0.5e3,"f":-16}`},
		{"white space of JSON5", "a.json5", "\u00a0{\v\"a\":1\u2028}", `{"a":1}`},
		{"YAML keeps the spelling of numbers", "a.yaml", "a: 1.50\nb: 0x10\nc: yes\nd: ~\n", `{"a":1.50,"b":16,"c":"yes","d":null}`},
		{"numbers of YAML with an exponent", "a.yaml", "a: 1e3\nb: '1e3'\nc: 1E-1\nd: 1e\n", `{"a":1e3,"b":"1e3","c":1E-1,"d":"1e"}`},
		{"anchors, aliases and merge keys", "a.yml", "x: &x {a: 1, b: 2}\ny:\n  <<: *x\n  b: 3\nz: *x\n", `{"x":{"a":1,"b":2},"y":{"a":1,"b":3},"z":{"a":1,"b":2}}`},
		{"texts over several lines", "a.yaml", "a: >\n  b\n  c\nd: |\n  e\n", `{"a":"b c\n","d":"e\n"}`},
		{"lists", "a.yaml", "a:\n  - b: 1\n  - 'c'\n", `{"a":[{"b":1},"c"]}`},
		{"YAML without a name", "-", "# ours\na: 1\n", `{"a":1}`},
		{"CSS without a name", "-", "/* ours */ :root { --a: 1 }", `{":root":{"--a":"1"}}`},
		{"escapes in names of JSON5", "a.json5", `{\u0061b: 1, c: 2}`, `{"ab":1,"c":2}`},
		{"directives of YAML", "a.yaml", "# x\n%YAML 1.2\n%TAG ! tag:x\n---\na: 1\n", `{"a":1}`},
		{"layers and conditions stand before a selector, layers first", "a.css", "@layer y; @media print { @layer base { @layer x { :root { --a: 1; color: red; --b: 2 } } } }", `{"@layer base.x @media print { :root":{"--a":"1","--b":"2"},"@layer":{"y":"y","base.x":"base.x","base":"base"}}`},
		{"no space between @media and its condition", "a.css", "@media(x){a{--b:1}}", `{"@media (x) { a":{"--b":"1"}}`},
		{"a selector that comes again behind another", "a.css", "a{--b:1}c{--b:2}a{--b:3}", `{"a":{"--b":"1"},"c":{"--b":"2"},"a":{"--b":"3"}}`},
		{"marks in strings, comments and addresses", "a.css", `:root{--a:url(x;y{}.svg);--b:"};";/*--c:1;*/--d: 1 /* ; */ 2}`, `{":root":{"--a":"url(x;y{}.svg)","--b":"\"};\"","--d":"1   2"}}`},
		{"a later declaration counts, unless the one before is important", "a.css", ":root{--a:1!important;--c:3!important}:root{--a:2 ! IMPORTANT;--b:{x:1;};--c:4}", `{":root":{"--a":"2 !important","--c":"3 !important","--b":"{x:1;}"}}`},
		{"stylesheets of the author's own that are imported stand together", "a.css", "@import \"tailwindcss\";@import url('./b.css') print;:root{--a:1}", `{":root":{"--a":"1"},"@import":{"./b.css":"./b.css"}}`},
		{"lists in lists, conditions before selectors", "a.css", "a,:is(b, c){&.d, e{--f:1}@media print{--g:2}}", `{"a.d, a e, :is(b, c).d, :is(b, c) e":{"--f":"1"},"@media print { a,:is(b, c)":{"--g":"2"}}`},
		{"an ampersand stands for the outer selector", "a.css", `a,b{.d &, & + &{--f:1}[x="&"] e{--g:2}}`, `{".d a, a + a, .d b, b + b":{"--f":"1"},"a [x=\"&\"] e, b [x=\"&\"] e":{"--g":"2"}}`},
		{"a selector of one letter, a layer without one", "a.css", "a{--b:1}@layer x{--c:2}", `{"a":{"--b":"1"},"@layer":{"x":"x"}}`},
		{"an apostrophe in an address", "a.css", ":root{--a:url(it's.svg);--b:url( 'x;y' )}", `{":root":{"--a":"url(it's.svg)","--b":"url( 'x;y' )"}}`},
		{"an escaped colon is of the name", "a.css", `:root{--a\:b: 1}`, `{":root":{"--a\\:b":"1"}}`},
		{"keyframes and registered properties without a value are none", "a.css", "@keyframes x{from{--a:1}to{--a:2}}@property --b{syntax:'*'}:root{--c:3", `{":root":{"--c":"3"}}`},
		{"initial values of registered properties stand together", "a.css", "@property --a{syntax:'<angle>';Initial-Value:/**/45deg;inherits:false}@layer x{@property --b{initial-value:{};}x}@property c{initial-value:1}", `{"@property":{"--a":"45deg","--b":"{}"},"@layer":{"x":"x"}}`},
	}
	for _, c := range cases {
		f, err := Parse(c.name, c.text)
		if err != nil {
			t.Errorf("%s: Parse(%s) = %v", c.rule, c.text, err)
			continue
		}
		if got := string(jsontree.Append(nil, f.Root)); got != c.want {
			t.Errorf("%s: Parse(%s) = %s, want %s", c.rule, c.text, got, c.want)
		}
	}
}

func TestMembersKeepTheirLines(t *testing.T) {
	cases := []struct{ name, text, pointer string }{
		{"a.json5", "// one\n{\n  'x\\\ny': 1, /* two\n */ b: {\nc: 'HERE' } }", "/b/c"},
		{"a.yaml", "a: 1\nb:\n  c: |\n    text\n  d: HERE\n", "/b/d"},
		{"a.yaml", "a: &x\n  b: HERE\nc: *x\n", "/a/b"},
		{"a.css", "/* one\n*/\n:root {\n  --a: 1;\n  --b: HERE;\n}", "/:root/--b"},
	}
	for _, c := range cases {
		f, err := Parse(c.name, c.text)
		if err != nil {
			t.Fatal(err)
		}
		before, _, _ := strings.Cut(c.text, "HERE")
		want := 1 + strings.Count(before, "\n")
		if got := f.Positions().Line(c.pointer); got != want {
			t.Errorf("Line(%s) of %q = %d, want %d", c.pointer, c.text, got, want)
		}
	}
}

// TestTheLastOfSeveralMembersCounts: and the others are named with their lines.
func TestTheLastOfSeveralMembersCounts(t *testing.T) {
	const want = `{"g":{"b":2},"a":{"x":3},"c":[{"d":2}]}`
	cases := []struct{ name, text string }{
		{"a.json", "{\"a\": {\"x\": 1, \"y:\": 1},\n\"g\": {\"b\":\n1, \"\\u0062\": 2},\n\"a\": 5,\n\"a\": {\"x\": 3},\n\"c\": [{\"d\": 1,\n \"d\": 2}]}"},
		{"a.json5", "{a: {x: 1, 'y:': 1},\ng: {b:\n1, b: 2}, // x\na: 5,\na: {x: 3},\nc: [{d: 1,\n d: 2,}]}"},
		{"a.yaml", "a: {x: 1, 'y:': 1}\ng: {b:\n  1, b: 2}\na: 5\na: {x: 3}\nc: [{d: 1,\n  d: 2}]\n"},
	}
	for _, c := range cases {
		f, err := Parse(c.name, c.text)
		if err != nil {
			t.Errorf("Parse(%s): %v", c.name, err)
			continue
		}
		if wanted, _ := jsontree.Parse(want); !jsontree.Equal(f.Root, wanted) {
			t.Errorf("Parse(%s) = %s, want %s", c.name, jsontree.Append(nil, f.Root), want)
		}
		var got []string
		for _, d := range f.Duplicates {
			got = append(got, fmt.Sprintf("%s %d not %d %s", d.Pointer, f.Positions().Line(d.Pointer), d.Line, jsontree.Append(nil, d.Value)))
		}
		slices.Sort(got)
		if said := strings.Join(got, ", "); said != `/a 5 not 1 {"x":1,"y:":1}, /a 5 not 4 5, /c/0/d 7 not 6 1, /g/b 3 not 2 1` {
			t.Errorf("Parse(%s) names %s", c.name, said)
		}
	}
	for name, text := range map[string]string{"a.json": `{"a":{"x":1,"x":2},"a":{"x":3,"x":4}}`, "a.yaml": "a: {x: 1, x: 2}\na: {x: 3, x: 4}\n"} {
		f, err := Parse(name, text)
		if err != nil {
			t.Fatal(err)
		}
		var inside []string
		for _, d := range f.Duplicates {
			if d.Inside {
				inside = append(inside, string(jsontree.Append(nil, d.Value)))
			}
		}
		if len(f.Duplicates) != 3 || !slices.Equal(inside, []string{"1"}) {
			t.Errorf("%s: of %d members that do not count %q stand in others, want 1 of 3", name, len(f.Duplicates), inside)
		}
	}
	if _, err := Parse("a.json", `{"a": 1, "a": 2, b}`); err == nil {
		t.Error("a text that is wrong beside a duplicate is read")
	}
}

func TestFaultsOfATextHaveAPlace(t *testing.T) {
	cases := []struct {
		name, text string
		syntax     Syntax
	}{
		{"a.json", `{"a": HERE 1 2}`, JSON},
		{"a.json5", `{a: 1, /* x */ b HERE}`, JSON5},
		{"a.json5", "{a: 'x\\\ny',\nb: HERE#}", JSON5},
		{"a.yaml", "a: 1\nb: [1\nc: HERE", YAML},
		{"a.yaml", "a: *HERE", YAML},
	}
	for _, c := range cases {
		before, _, _ := strings.Cut(c.text, "HERE")
		_, err := Parse(c.name, strings.Replace(c.text, "HERE", "", 1))
		e, ok := err.(*Error)
		if !ok || e.Syntax != c.syntax {
			t.Errorf("Parse(%s) = %v, want an error of %s", c.text, err, c.syntax)
			continue
		}
		if got := strings.Count(c.text[:min(e.Offset, len(before))], "\n"); c.syntax != YAML && got != strings.Count(before, "\n") {
			t.Errorf("Parse(%s): the fault is at %d, want it near %d", c.text, e.Offset, len(before))
		}
	}
}

// TestWhatNestsOrMultipliesIsRefusedAtOnce: a short text must take neither long nor much memory.
func TestWhatNestsOrMultipliesIsRefusedAtOnce(t *testing.T) {
	repeated := func(first, next string) string {
		for n := 1; n < 30; n++ {
			first += strings.NewReplacer("NEW", fmt.Sprint("a", n), "OLD", fmt.Sprint("a", n-1)).Replace(next)
		}
		return first
	}
	cases := []struct{ rule, name, text, want string }{
		{"lists of aliases", "a.yaml", repeated("a0: &a0 [x,x]\n", "NEW: &NEW [*OLD,*OLD,*OLD,*OLD]\n"), "too large"},
		{"mappings of aliases", "a.yaml", repeated("a0: &a0 {x: 1}\n", "NEW: &NEW {l: *OLD, r: *OLD}\n"), "too large"},
		{"merges of aliases", "a.yaml", repeated("a0: &a0 {x: 1}\n", "NEW: &NEW\n  <<: [*OLD, *OLD]\n"), "too large"},
		{"a long text that is repeated", "a.yaml", "a: &a " + strings.Repeat("x", 100_000) + "\nb: [" + strings.Repeat("*a,", 100) + "]\n", "too large"},
		{"lists of JSON", "a.json", strings.Repeat("[", 1_000_000), "too deep"},
		{"objects of JSON", "a.json", strings.Repeat(`{"a":`, 200_000), "too deep"},
		{"objects of JSON5", "a.json5", strings.Repeat("{a:", 200_000), "too deep"},
		{"flow lists of YAML", "a.yaml", "a: " + strings.Repeat("[", 100_000), "too deep"},
		{"lists of YAML on one line", "a.yaml", strings.Repeat("- ", 100_000) + "a", "too deep"},
		{"ampersands of CSS that double the selector around", "a.css", "a{" + strings.Repeat("& &{", 200_000), "too deep"},
		{"blocks of CSS", "a.css", strings.Repeat("a{", 200_000), "too deep"},
	}
	for _, c := range cases {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Parse(c.name, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Parse = %v, want that it is %s", c.rule, err, c.want)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > mostForATrap {
			t.Errorf("%s: Parse took %d bytes", c.rule, took)
		}
	}
}

// mostForATrap is far less than what a text that multiplies would take, in bytes.
const mostForATrap = 256 << 20

// TestLongLinesOfYAMLAreRead: JSON on one line is YAML too, and the places of its members are not sought from the
// beginning.
func TestLongLinesOfYAMLAreRead(t *testing.T) {
	var b strings.Builder
	for n := range 20_000 {
		fmt.Fprintf(&b, `, "k%d": %d`, n, n)
	}
	f, err := Parse("a.yaml", "{ä: 1"+b.String()+"}")
	if err != nil || len(f.Root.Members) != 20_001 {
		t.Fatalf("Parse = %v", err)
	}
	if got := f.Positions().Column("/k0"); got != 8 {
		t.Errorf("Column(/k0) = %d, want 8", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("{a: 'x', // y\n}")
	f.Add("a: &x [1]\nb: *x\n")
	f.Add(":root { --a: url(x) } @media print { .b { --c: \"}\" } }")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"a.json5", "a.yaml", "a.css", "-"} {
			file, err := Parse(name, text)
			if err == nil {
				file.Positions().Line("/a")
			}
		}
	})
}
