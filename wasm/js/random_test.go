package js

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/livery/renderer/dtcg"
)

var (
	documentCount = flag.Int("documents", 150, "how many random documents to try")
	seed          = flag.Uint64("seed", 1, "where the random documents begin")
)

// The texts and values that random documents are made of: what fits some type, what fits none, what
// is not ASCII, what must be escaped somewhere.
var (
	texts = []string{
		`"a"`, `"b"`, `"B-c"`, `"_"`, `"10"`, `"2"`, `""`, `"ö 漢"`, `"🎨"`, `"\ud83c\udf08"`, `"\u0000"`, `"a\"b"`, `"</style>"`, `"--x"`, `"é\u0301"`, `"$root"`, `"toString"`, `"__proto__"`,
	}
	values = []string{
		`"red"`, `"#abc"`, `"#11223344"`, `"1px"`, `"-0.50rem"`, `"2e3ms"`, `12`, `-0`, `1e21`, `0.1`, `1.7976931348623157e308`, `5e-324`, `true`, `null`, `[]`, `{}`, `""`, `"bold"`, `"Semi Bold"`,
		`"Inter, sans-serif"`, `["A B","serif"]`, `[0,0.5,1,1]`, `{"value":3,"unit":"px"}`, `{"value":1e-7,"unit":"rem"}`, `"cubic-bezier(0,0,1,1)"`, `"red;} x{"`, `"url(x)"`, `"calc(1px + {a})"`,
		`{"colorSpace":"srgb","components":[0.2,0.4,0.6],"alpha":0.5}`, `{"colorSpace":"oklch","components":[0.7,0.3,"none"]}`, `{"colorSpace":"display-p3","components":[1,0,1]}`,
		`{"colorSpace":"lab","components":[50.123456789,-40.5,30]}`, `{"color":"red","width":"1px","style":"solid"}`, `{"fontFamily":"A","fontSize":"1px","lineHeight":1.5}`,
		`{"offsetX":"1px","offsetY":"2px","blur":"0px","spread":"0px","color":"#0008"}`, `[{"color":"red","position":0},{"color":"{a}","position":1.5}]`, `{"duration":"1s","delay":"0s","timingFunction":[0,0,1,1]}`,
	}
)

// random returns documents that no author would write, each with overrides and a prefix.
func random(testing.TB) (sources []source) {
	for i := range uint64(*documentCount) {
		g := generator{rand.New(rand.NewPCG(*seed, i)), nil}
		s := source{Name: fmt.Sprintf("random %d of -seed %d", i, *seed), Theme: g.group(3, "")}
		s.Overrides = g.overrides()
		s.Prefix = g.of("", "", "lv", "ö-漢", "a b")
		sources = append(sources, s)
	}
	return sources
}

// generator writes one document.
type generator struct {
	*rand.Rand
	paths []string // of the tokens so far, as JSON strings without their quotes
}

func (g *generator) of(choices ...string) string { return choices[g.IntN(len(choices))] }

func (g *generator) group(depth int, path string) string {
	var members []string
	if g.IntN(3) == 0 {
		members = append(members, `"$type":"`+g.of(dtcg.TypeNames()...)+`"`)
	}
	used := map[string]bool{}
	for range 1 + g.IntN(6) {
		name := g.of(texts...)
		if used[name] {
			continue
		}
		used[name] = true
		below := strings.TrimPrefix(path+"."+strings.Trim(name, `"`), ".")
		if depth > 0 && g.IntN(2) == 0 {
			members = append(members, name+":"+g.group(depth-1, below))
		} else {
			members = append(members, name+":"+g.token(below))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (g *generator) token(path string) string {
	g.paths = append(g.paths, path)
	typ := ""
	if g.IntN(2) == 0 {
		typ = `"$type":"` + g.of(dtcg.TypeNames()...) + `",`
	}
	return "{" + typ + `"$value":` + g.value() + `,"$description":` + g.of(texts...) + "}"
}

// value is one of values, or an alias, alone or inside a text.
func (g *generator) value() string {
	switch {
	case len(g.paths) == 0 || g.IntN(3) > 0:
		return g.of(values...)
	case g.IntN(4) == 0:
		return `"x {` + g.of(g.paths...) + `} y"`
	}
	return `"{` + g.of(g.paths...) + `}"`
}

func (g *generator) overrides() string {
	if g.IntN(8) == 0 {
		return ""
	}
	var members []string
	used := map[string]bool{}
	for range g.IntN(6) {
		path := g.of(append([]string{"no.such.token"}, g.paths...)...)
		if !used[path] {
			used[path] = true
			members = append(members, `"`+path+`":`+g.value())
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}
