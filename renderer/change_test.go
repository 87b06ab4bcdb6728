package renderer_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
)

// What the shape of a file hangs on, and what does not change it.
var shapes = []struct {
	name, theme, overrides string
	whole                  bool // all of the document is looked at
}{
	{"no override", `{"a":{"$value":1}}`, `{}`, false},
	{"a value", `{"a":{"$type":"number","$value":1},"b":{"$value":"{a}"}}`, `{"a":2}`, false},
	{"an alias in the place of a value", `{"a":{"$type":"number","$value":1},"b":{"$type":"number","$value":2}}`, `{"a":"{b}"}`, false},
	{"an alias of a later token in the place of one of an earlier one", `{"a":{"$type":"number","$value":1},"b":{"$value":"{a}"},"c":{"$type":"number","$value":2}}`, `{"b":"{c}","c":3}`, false},
	{"a value in the place of an alias", `{"a":{"$type":"number","$value":1},"b":{"$value":"{a}"},"c":{"$value":"{b}"}}`, `{"b":2}`, false},
	{"an override that does not count", `{"a":{"$type":"color","$value":"red"},"b":{"$type":"color","$value":"blue"}}`, `{"a":"12 monkeys","c":1}`, false},
	{"an override that is taken back", `{"a":{"$type":"color","$value":"red"},"n":{"$type":"number","$value":1},"b":{"$value":"{a}"}}`, `{"a":"{n}"}`, false},
	{"a type that comes with a value", `{"a":{"$value":"words"},"b":{"$value":"{a}"}}`, `{"a":"#123456"}`, false},
	{"a token that stays left out", `{"a":{"$type":"number","$value":"{none}"},"b":{"$type":"number","$value":1}}`, `{"a":"{other}","b":2}`, false},
	{"a diagnostic beside it", `{"a":{"$type":"number","$value":"{none}"},"b":{"$type":"number","$value":1},"c":{"$value":"{a}"}}`, `{"b":2,"d":3}`, false},
	{"the first and the last token", `{"g":{"a":{"$type":"number","$value":1}},"h":{"i":{"b":{"$type":"number","$value":1},"$description":"d"}}}`, `{"g.a":2,"h.i.b":3}`, false},
	{"the first that is served", `{"a":{"$value":"{none}"},"b":{"$type":"number","$value":1},"c":{"$value":"{none}"}}`, `{"b":2}`, false},
	{"parts of a typography", `{"t":{"$type":"typography","$value":{"fontFamily":"A","fontSize":"1px"}},"u":{"$value":"{t}"}}`, `{"t":{"fontFamily":"B","fontSize":"2px"}}`, false},
	{"a part that does not fit stays one", `{"t":{"$type":"typography","$value":{"fontFamily":"A","lineHeight":true}},"u":{"$value":"{t}"}}`, `{"t":{"fontFamily":"B","lineHeight":"x y"}}`, false},
	{"a collision elsewhere", `{"a b":{"$value":1},"a-b":{"$value":2},"c":{"$type":"number","$value":3}}`, `{"c":4}`, false},

	{"a token that is left out", `{"a":{"$type":"number","$value":1},"b":{"$value":2}}`, `{"a":"{none}"}`, true},
	{"a token that comes to life", `{"a":{"$type":"number","$value":"{none}"},"b":{"$value":2}}`, `{"a":1}`, true},
	{"a cycle", `{"a":{"$type":"number","$value":1},"b":{"$value":"{a}"}}`, `{"a":"{b}"}`, true},
	{"a colour that only a browser computes", `{"a":{"$type":"color","$value":"red"}}`, `{"a":"currentColor"}`, true},
	{"one more part", `{"t":{"$type":"typography","$value":{"fontFamily":"A","fontSize":"1px"}}}`, `{"t":{"fontFamily":"A","fontSize":"1px","lineHeight":2}}`, true},
	{"one part for another, which another token declares", `{"t":{"$type":"typography","$value":{"fontFamily":"A","fontSize":"1px"}},"t-line-height":{"$type":"number","$value":1}}`, `{"t":{"fontFamily":"A","lineHeight":2}}`, true},
	{"the loser of a collision", `{"a b":{"$type":"number","$value":1},"a-b":{"$type":"number","$value":2},"c":{"$value":3}}`, `{"a b":4}`, true},
	{"the winner of a collision", `{"a b":{"$type":"number","$value":1},"a-b":{"$type":"number","$value":2},"c":{"$value":3}}`, `{"a-b":4}`, true},
	{"two tokens of one path", `{"a":{"b":{"$type":"number","$value":1}},"a.b":{"$type":"number","$value":2},"c":{"$type":"number","$value":1}}`, `{"c":3}`, true},
}

// If the overrides change values and no more, nothing else of the Theme is looked at; whatever else they
// do is taken from the whole document.
func TestVariantsAreToldByWhatTheyReach(t *testing.T) {
	t.Parallel()
	for _, c := range shapes {
		t.Run(c.name, func(t *testing.T) {
			theme, overrides := parse(t, c.theme), parse(t, c.overrides)
			checkCompiled(t, theme, "", overrides)
			if got := renderer.Compile(theme, "").Load(overrides).Whole(); got != c.whole {
				t.Errorf("with %s: whole = %v, want %v", c.overrides, got, c.whole)
			}
		})
	}
}

// The bounds of the whole document leave a token out that nothing reaches, or make room for one.
func TestBoundsAreThoseOfTheWholeDocument_Long(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("values of many MiB: make check runs it")
	}
	long := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }
	aliases := func(of string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"%s%02d":{"$value":"{%[1]s}"}`, of, i)
		}
		return b.String()
	}
	layer := `{"offsetX":"1e300px","offsetY":"1e300px","blur":"1e300px","spread":"1e300px","color":"red"},` // 1,200 bytes of CSS
	layers := `{"$type":"shadow","$value":[` + strings.Repeat(layer, 799) + strings.TrimSuffix(layer, ",") + `]}`
	repeated := `"` + strings.Repeat("n", 4_500_000) + `":{"$type":"typography","$value":{"fontFamily":"A","fontSize":1,"fontWeight":1,"letterSpacing":1,"lineHeight":1}}`
	cases := []struct {
		name, prefix, theme, overrides string
	}{
		{"a stylesheet that comes to have room", "", `{"r":` + layers + aliases("r", 40) + `,"s":` + layers + `,` + repeated + `}`, `{"s":{"offsetX":"1px","offsetY":"1px","color":"red"}}`},
		{"an alias that is short enough now, and takes the room of others", "", `{"l":{"$type":"string","$value":` + long(1_200_000) + `},"x":{"$value":"{l}"},"r":{"$type":"string","$value":` + long(900_000) + `}` + aliases("r", 18) + `}`, `{"l":` + long(900_000) + `}`},
		{"a member that no file has room for", "", `{"$description":"` + strings.Repeat("<", 12_000_000) + `","a":{"$type":"number","$value":1}}`, `{"a":2}`},
		{"a stylesheet that is full of names that collide", strings.Repeat("p", 1_032_418), sameNames() + `,"z":{"$type":"string","$value":"x"}}`, `{"z":` + long(1000) + `}`},
		{"a member that no file has room for, and nothing that changes", "", `{"$description":"` + strings.Repeat("<", 12_000_000) + `","a":{"$type":"number","$value":1}}`, `{"none":2}`},
		{"one alias that takes the room of others", "", `{"s":{"$type":"string","$value":"x"},"a":{"$value":"{s}"},"r":{"$type":"string","$value":` + long(900_000) + `}` + aliases("r", 18) + `}`, `{"s":` + long(900_000) + `}`},
		{"aliases that take the room of others", "", `{"s":{"$type":"string","$value":"x"}` + aliases("s", 10) + `,"r":{"$type":"string","$value":` + long(900_000) + `}` + aliases("r", 10) + `}`, `{"s":` + long(900_000) + `}`},
		{"aliases that make room for others", "", `{"s":{"$type":"string","$value":` + long(900_000) + `}` + aliases("s", 10) + `,"r":{"$type":"string","$value":` + long(900_000) + `}` + aliases("r", 10) + `}`, `{"s":"x"}`},
		{"overrides that fill the files", "", strings.Repeat(" ", 7) + many(12, func(int) string { return `{"$type":"string","$value":"x"}` }), `{"t00001":` + long(11<<20) + `}`},
		{"a stylesheet that has room for a short value", strings.Repeat("p", 6<<20), many(12, func(int) string { return `{"$type":"string","$value":"x"}` }), `{"t00011":"y"}`},
		{"a stylesheet that has no room for a long value", strings.Repeat("p", 5<<20), many(12, func(int) string { return `{"$type":"string","$value":"x"}` }), `{"t00001":` + long(5<<20) + `}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			sameAsWhole(t, parse(t, c.theme), c.prefix, parse(t, c.overrides))
		})
	}
}

// sameNames spells the first 64 tokens of a Theme, which all have one name in tokens.css.
func sameNames() string {
	var b strings.Builder
	for i := range 64 {
		b.WriteString(`,"a`)
		for bit := range 6 {
			b.WriteString(" -"[i>>bit&1:][:1] + "b")
		}
		b.WriteString(`":{"$type":"string","$value":"x"}`)
	}
	return "{" + b.String()[1:]
}

// sameAsWhole holds a Variant to what the whole document becomes, and spells none of it.
func sameAsWhole(t *testing.T, theme *jsontree.Node, prefix string, overrides *jsontree.Node) {
	t.Helper()
	s, want := renderer.Compile(theme, prefix).Load(overrides), renderer.LoadTree(theme, overrides, prefix)
	if !slices.Equal(s.Diagnostics(), want.Diagnostics()) {
		t.Errorf("%d diagnostics, want %d", len(s.Diagnostics()), len(want.Diagnostics()))
	}
	var got, whole []byte
	for f := range renderer.File(renderer.FileCount) {
		if got, whole = s.Append(got[:0], f), want.Append(whole[:0], f); !bytes.Equal(got, whole) {
			t.Errorf("%s has %d bytes, want %d others", f.Name(), len(got), len(whole))
		}
	}
}

// A value for which no file surely has room is for the whole document.
func TestVariantsWantRoom(t *testing.T) {
	t.Parallel()
	c := renderer.Compile(parse(t, `{"a":{"$type":"string","$value":"x"},"b":{"$value":"{a}"}}`), "")
	for room, whole := range map[int]bool{-1: true, 0: true, 100: true, 10_000: false} {
		if got := c.WithRoom(room).Load(parse(t, `{"a":"y"}`)).Whole(); got != whole {
			t.Errorf("with room for %d bytes: whole = %v, want %v", room, got, whole)
		}
	}
}

// What the aliases of reached tokens built makes room for what they come to build.
func TestVariantsTakeTheRoomOfWhatTheyReplace(t *testing.T) {
	t.Parallel()
	text := func(c string) string { return `{"$type":"string","$value":"` + strings.Repeat(c, 900_000) + `"}` }
	c := renderer.Compile(parse(t, strings.TrimSuffix(fan(17, text("x")), "}")+`,"s":`+text("y")+`,"a":{"$value":"{s}"}}`), "") // 16.2 of 16.8 MB
	if c.Load(parse(t, `{"s":"`+strings.Repeat("z", 900_000)+`"}`)).Whole() {
		t.Error("an alias that becomes another of the same length wants the whole document")
	}
}

// The Variants of the world change values and no more.
func TestVariantsOfTheWorldAreToldByWhatTheyReach(t *testing.T) {
	t.Parallel()
	for name, overrides := range documents(t, corpusDir+"/*.variant-*.json") {
		theme := readFile(t, filepath.Join(corpusDir, strings.Split(name, ".")[0]+".tokens.json"))
		if renderer.Compile(parse(t, theme), "").Load(parse(t, overrides)).Whole() {
			t.Errorf("%s is told by the whole document", name)
		}
	}
}

// Overlays ask the memory for what the overrides reach, and for one bit of each other token.
func TestOverlaysCostWhatTheyReach(t *testing.T) {
	cost := func(n int) uint64 {
		c, overrides := renderer.Compile(parse(t, family(n)), ""), brand(1000, 20)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s := c.Load(overrides)
		for f := range renderer.File(renderer.FileCount) {
			c.Overlay(s, f)
		}
		s.Diagnostics()
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := cost(1000), cost(40_000); few == 0 || many > few+40_000 {
		t.Errorf("20 overrides of 1,000 tokens take %d bytes, the same of 40,000 take %d", few, many)
	}
}
