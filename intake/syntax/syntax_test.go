package syntax

import (
	"errors"
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
		{"CSS without a name", "-", "/* ours */ :root { --a: 1 }", `[{"prelude":":root","block":[{"name":"--a","value":"1"}]}]`},
		{"escapes in names of JSON5", "a.json5", `{\u0061b: 1, c: 2}`, `{"ab":1,"c":2}`},
		{"directives of YAML", "a.yaml", "# x\n%YAML 1.2\n%TAG ! tag:x\n---\na: 1\n", `{"a":1}`},
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

func TestStylesheetsAreReadAsRules(t *testing.T) {
	cases := []struct{ rule, name, text, want string }{
		{"rules in rules, and layers without declarations", "a.css", "@layer y, z; @media print { @layer base { @layer x { :root { --a: 1; color: red; --b: 2 } } } } @layer w {} b {}", `@layer y, z; @media print{@layer base{@layer x{:root{--a=1; --b=2}}}} @layer w{}`},
		{"marks in strings, comments and addresses", "a.css", `:root{--a:url(x;y{}.svg);--b:"};";/*--c:1;*/--d: 1 /* ; */ 2}`, `:root{--a=url(x;y{}.svg); --b="};"; --d=1   2}`},
		{"braces in a value, and what is important", "a.css", ":root{--a:1!important;--b:{x:1;};--c:4}", ":root{--a=1!important; --b={x:1;}; --c=4}"},
		{"imports", "a.css", "@charset \"utf-8\";@import url('./b.css') print;:root{--a:1}", `@import url('./b.css') print; :root{--a=1}`},
		{"an apostrophe in an address", "a.css", ":root{--a:url(it's.svg);--b:url( 'x;y' )}", ":root{--a=url(it's.svg); --b=url( 'x;y' )}"},
		{"an escaped colon is of the name", "a.css", `:root{--a\:b : 1;--c\20 d:2}`, `:root{--a\:b=1; --c\20 d=2}`},
		{"what is animated is no token", "a.css", "@keyframes x{from{--a:1}to{--a:2}}@theme{@keyframes y{from{--a:1}}}:root{--c:3", "@theme{@keyframes y} :root{--c=3}"},
		{"initial values of registered properties", "a.css", "@property --a{syntax:'<angle>';Initial-Value:/**/45deg;inherits:false}@property --b{initial-value:{};}", "@property --a{Initial-Value=45deg} @property --b{initial-value={}}"},
		{"themes of daisyUI", "a.css", "@plugin 'daisyui/theme'{name:'acme day';default:true;--a:1}", "@plugin 'daisyui/theme' acme-day default{--a=1}"},
		{"statements that are no declaration", "a.css", ":root{--a 1px;color:red;// x\n--b:1px;color:\n--c:2px}", ":root{--a 1px; // x\n--b:1px; color:\n--c:2px}"},
	}
	for _, c := range cases {
		f, err := Parse(c.name, c.text)
		if err != nil {
			t.Errorf("%s: Parse(%s) = %v", c.rule, c.text, err)
			continue
		}
		if got := spellRules(f.Root); got != c.want {
			t.Errorf("%s: Parse(%s) = %s, want %s", c.rule, c.text, got, c.want)
		}
	}
	for text, want := range map[string]string{
		":root{--a:1px;/* x}":            "comment 1:15",
		":root{--a:calc(1px;--b:2px}":    "bracket 1:15",
		":root{--a:\"x;\n--b:2px}":       "string 1:11",
		":root{--a:1px}\n/*/":            "comment 2:1",
		":root{--a:url(\"x\";\n--b:1px}": "bracket 1:14",
	} {
		_, err := Parse("a.css", text)
		e, ok := errors.AsType[*Error](err)
		what, place, _ := strings.Cut(want, " ")
		if !ok || !strings.Contains(e.What, what) || place != fmt.Sprintf("%d:%d", 1+strings.Count(text[:e.Offset], "\n"), e.Offset-strings.LastIndexByte(text[:e.Offset], '\n')) {
			t.Errorf("Parse(%q) = %+v, want that a %s is never closed", text, err, want)
		}
	}
}

// spellRules returns the statements of a stylesheet in one line.
func spellRules(list *jsontree.Node) string {
	var b strings.Builder
	for i, item := range list.Items() {
		if i > 0 && list.Items()[i-1].Find("block") == nil {
			b.WriteByte(';')
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(item.Members[0].Value.Text)
		switch {
		case item.Find("block") != nil:
			b.WriteString("{" + spellRules(item.Find("block")) + "}")
		case item.Find("value") != nil:
			b.WriteString("=" + item.Find("value").Text)
		}
	}
	return b.String()
}

func TestMembersKeepTheirLines(t *testing.T) {
	cases := []struct{ name, text, pointer string }{
		{"a.json5", "// one\n{\n  'x\\\ny': 1, /* two\n */ b: {\nc: 'HERE' } }", "/b/c"},
		{"a.yaml", "a: 1\nb:\n  c: |\n    text\n  d: HERE\n", "/b/d"},
		{"a.yaml", "a: &x\n  b: HERE\nc: *x\n", "/a/b"},
		{"a.css", "/* one\n*/\n:root {\n  --a: 1;\n  --b: HERE;\n}", "/0/block/1"},
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
		{"brackets of CSS", "a.css", "a{--a:" + strings.Repeat("var(--b,", 100_000), "too deep"},
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
	if got := f.Positions().offsets["/k0"]; got != len("{ä: 1, ") {
		t.Errorf("the offset of k0 is %d", got)
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
