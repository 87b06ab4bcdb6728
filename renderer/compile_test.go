package renderer_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/plan"
)

// checkCompiled holds plan and overlay of every file to the bytes of the renderer, and to the
// bytes of a second compilation.
func checkCompiled(t reporter, theme *jsontree.Node, prefix string, variants ...*jsontree.Node) {
	t.Helper()
	c, again := renderer.Compile(theme, prefix), renderer.Compile(theme, prefix)
	alone := renderer.LoadTree(theme, nil, prefix)
	for f := range renderer.File(renderer.FileCount) {
		p, err := plan.Open(c.Plan(f))
		if err != nil || p.Number() != uint8(f) {
			t.Fatalf("%s: plan of file %d: %v", f.Name(), p.Number(), err)
		}
		if !bytes.Equal(p.File(), alone.Append(nil, f)) || !bytes.Equal(c.Plan(f), again.Plan(f)) {
			t.Errorf("%s: the plan is not the Theme's file, or another one when compiled again", f.Name())
		}
	}
	for _, overrides := range variants {
		want := renderer.LoadTree(theme, overrides, prefix)
		s, whole := c.Load(overrides), c.LoadWhole(overrides)
		if !slices.Equal(s.Diagnostics(), want.Diagnostics()) {
			t.Errorf("with %.200s: diagnostics = %v, want %v", spellNode(overrides), s.Diagnostics(), want.Diagnostics())
		}
		for f := range renderer.File(renderer.FileCount) {
			o := openOverlay(t, c.Plan(f), c.Overlay(s, f))
			if got, want := string(o.Append(nil)), string(want.Append(nil, f)); got != want {
				t.Errorf("%s with %.200s = %s, want %s", f.Name(), spellNode(overrides), got, want)
			}
			if !bytes.Equal(bytes.Join(o.Pieces(nil), nil), o.Append(nil)) {
				t.Errorf("%s with %.200s: the pieces are another file", f.Name(), spellNode(overrides))
			}
			if !bytes.Equal(c.Overlay(s, f), again.Overlay(again.Load(overrides), f)) {
				t.Errorf("%s with %.200s: another overlay when compiled again", f.Name(), spellNode(overrides))
			}
			if !bytes.Equal(c.Overlay(s, f), c.Overlay(whole, f)) {
				t.Errorf("%s with %.200s: another overlay than that of the whole document", f.Name(), spellNode(overrides))
			}
			if !bytes.Equal(s.Append(nil, f), want.Append(nil, f)) {
				t.Errorf("%s with %.200s: another file than that of the whole document", f.Name(), spellNode(overrides))
			}
		}
	}
}

func openOverlay(t reporter, planBlob, overlayBlob []byte) plan.Overlay {
	t.Helper()
	p, err := plan.Open(planBlob)
	if err != nil {
		t.Fatalf("%v", err)
	}
	o, err := plan.OpenOverlay(p, overlayBlob)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return o
}

func parse(t reporter, text string) *jsontree.Node {
	t.Helper()
	n, err := jsontree.Parse(text)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return n
}

// tries are values that move a token from what it was: to another type, to nothing, onto itself,
// onto others, out of its declaration.
var tries = []string{
	`"red"`, `"{nothing}"`, `"x {nothing} y"`, `12`, `"1.5rem"`, `null`, `true`, `[]`, `{}`, `"red;} x{"`, `"url(x)"`, `[0,0,1,1]`, `["A","B"]`, `{"value":3,"unit":"px"}`,
	`{"fontFamily":"A","fontSize":"1px"}`, `{"fontFamily":"A"}`, `{"color":"#123","width":"1px","style":"solid"}`, `[{"color":"red","position":0},{"color":"blue","position":1}]`,
	`[{"offsetX":"1px","offsetY":"2px","color":"#000"},{"offsetX":"1px","offsetY":"2px","color":"#fff"}]`,
}

// variantsOf returns maps of overrides for a document: each try on a token of its own, aliases to the
// first and the last token and onto itself on some, and on all tokens at once.
func variantsOf(theme *jsontree.Node) []*jsontree.Node {
	tokens := dtcg.Read(theme).Tokens
	if len(tokens) == 0 {
		return nil
	}
	one := func(i int, value *jsontree.Node) jsontree.Member {
		return jsontree.Member{Name: tokens[i].Path, Value: value}
	}
	alias := func(i int) *jsontree.Node { return jsontree.NewString("{" + tokens[i].Path + "}") }
	chained, all := jsontree.NewObject(jsontree.Member{Name: "no.such.token", Value: jsontree.NewString("x")}), jsontree.NewObject()
	variants := []*jsontree.Node{nil, jsontree.NewObject(), chained, all}
	for i := range tokens {
		try, err := jsontree.Parse(tries[i%len(tries)])
		if err != nil {
			panic("a try is no JSON")
		}
		all.Members = append(all.Members, one(i, try))
		chained.Members = append(chained.Members, one(i, alias((i+1)%len(tokens))))
		if i%max(1, len(tokens)/8) == 0 {
			variants = append(variants, jsontree.NewObject(one(i, alias(0))), jsontree.NewObject(one(i, alias(i))),
				jsontree.NewObject(one(i, alias(len(tokens)-1))), jsontree.NewObject(one(i, try), one(0, alias(i))))
		}
	}
	for i, text := range tries {
		value, err := jsontree.Parse(text)
		if err != nil {
			panic("a try is no JSON")
		}
		variants = append(variants, jsontree.NewObject(one(i%len(tokens), value)))
	}
	return variants
}

func TestPlansOfGoldenCasesAreExact(t *testing.T) {
	t.Parallel()
	themes, err := filepath.Glob("testdata/*/theme.json")
	if err != nil || len(themes) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range themes {
		folder := filepath.Dir(name)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			theme := parse(t, readFile(t, name))
			variants := variantsOf(theme)
			if text := readFile(t, folder+"/variant.json"); text != "" {
				variants = append(variants, parse(t, text))
			}
			checkCompiled(t, theme, strings.TrimSpace(readFile(t, folder+"/prefix.txt")), variants...)
		})
	}
}

func TestPlansOfTheCorpusAreExact(t *testing.T) {
	t.Parallel()
	texts := documents(t, corpusDir+"/*.variant-*.json")
	for name, text := range documents(t, corpusDir+"/*.json") {
		if _, ok := texts[name]; ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			theme := parse(t, text)
			variants := variantsOf(theme)
			if len(text) >= 50_000 {
				variants = variants[:min(4, len(variants))]
			}
			for variant, overrides := range texts {
				if strings.HasPrefix(variant, strings.TrimSuffix(name, ".tokens")+".variant") {
					variants = append(variants, parse(t, overrides))
				}
			}
			checkCompiled(t, theme, "p", variants...)
		})
	}
}

func TestPlansOfSuitesAreExact(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"/dtcg-spec-examples/0*.json", "/livery-edge-cases/*.json"} {
		for name, text := range documents(t, suitesDir+pattern) {
			t.Run(name, func(t *testing.T) {
				if theme := parse(t, text); theme.IsObject() {
					checkCompiled(t, theme, "", variantsOf(theme)...)
				}
			})
		}
	}
}

// Changes of a file's shape, which no substitution of values could make.
func TestPlansFollowChangesOfShape(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, theme, overrides string }{
		{"a first token that is left out", `{"g":{"a":{"$type":"number","$value":1},"b":{"$type":"number","$value":2}}}`, `{"g.a":"{none}"}`},
		{"a group of which nothing is left", `{"g":{"$description":"d","a":{"$type":"number","$value":1}},"z":{"$value":1}}`, `{"g.a":"{none}"}`},
		{"a group that comes to life", `{"g":{"$ref":"#/x","a":{"$type":"number","$value":"{none}"}},"z":{"$value":1}}`, `{"g.a":1}`},
		{"the only token, which is left out", `{"a":{"$type":"number","$value":1}}`, `{"a":"{a}"}`},
		{"a name that is taken", `{"a b":{"$type":"color","$value":"{none}"},"c":{"$value":1},"a-b":{"$type":"color","$value":"red"}}`, `{"a b":"blue"}`},
		{"a name that is free again", `{"a b":{"$type":"color","$value":"blue"},"c":{"$value":1},"a-b":{"$type":"color","$value":"red"}}`, `{"a-b":"{none}"}`},
		{"a shorthand that goes", `{"t":{"$type":"typography","$value":{"fontFamily":"A","fontSize":"1px"}},"u":{"$value":"{t}"}}`, `{"t":{"fontFamily":"B"}}`},
		{"a shorthand that comes", `{"t":{"$type":"typography","$value":{"fontFamily":"A"}},"u":{"$value":"{t}"}}`, `{"t":{"fontFamily":"A","fontSize":"1px","lineHeight":2}}`},
		{"layers that splice", `{"s":{"$type":"shadow","$value":{"offsetX":"1px","offsetY":"1px","color":"red"}},"l":{"$type":"shadow","$value":["{s}","{s}"]}}`, `{"s":[{"offsetX":"1px","offsetY":"1px","color":"red"},{"offsetX":"2px","offsetY":"1px","color":"red"}]}`},
		{"a cycle", `{"a":{"$type":"number","$value":1},"b":{"$value":"{a}"},"c":{"$value":"{b}"}}`, `{"a":"{c}"}`},
		{"a cycle that is broken", `{"a":{"$type":"number","$value":"{c}"},"b":{"$value":"{a}"},"c":{"$value":"{b}"}}`, `{"a":1}`},
		{"a type that an alias brings", `{"a":{"$value":"{b}"},"b":{"$type":"color","$value":"red"},"c":{"$type":"color","$value":"blue"}}`, `{"a":"{c}"}`},
		{"one path of two tokens", `{"a":{"b":{"$value":1}},"a.b":{"$value":2}}`, `{"a.b":3}`},
		{"a root token", `{"$root":{"$value":1},"g":{"$root":{"$value":2},"a":{"$value":"{g.$root}"}}}`, `{"g.$root":5,"$root":"{none}"}`},
		{"characters cut apart", `{"é":{"$type":"string","$value":"ñ é"}}`, `{"é":"ñ è"}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			theme, overrides := parse(t, c.theme), parse(t, c.overrides)
			checkCompiled(t, theme, "", append(variantsOf(theme), overrides)...)
			compiled := renderer.Compile(theme, "")
			if o := openOverlay(t, compiled.Plan(renderer.TokensFlatJSON), compiled.Overlay(compiled.Load(overrides), renderer.TokensFlatJSON)); o.MaxPieces() == 1 {
				t.Errorf("%s changes nothing", c.overrides)
			}
		})
	}
}

func TestPlanOfNothing(t *testing.T) {
	t.Parallel()
	for _, root := range []*jsontree.Node{nil, {Kind: jsontree.Array}, jsontree.NewObject()} {
		checkCompiled(t, root, "", nil, jsontree.NewObject(jsontree.Member{Name: "a", Value: jsontree.NewString("x")}))
	}
}

// Random documents, with overrides of tokens that they have and of others.
func TestPlansOfRandomDocumentsAreExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		theme := groups(2).Draw(r, "theme")
		paths := []string{"a"}
		for _, token := range dtcg.Read(theme).Tokens {
			paths = append(paths, token.Path)
		}
		aliases := rapid.Map(rapid.SampledFrom(paths), func(path string) *jsontree.Node { return jsontree.NewString("{" + path + "}") })
		over := jsontree.NewObject()
		for _, path := range rapid.SliceOfNDistinct(rapid.OneOf(rapid.SampledFrom(paths), names), 0, 6, rapid.ID[string]).Draw(r, "paths") {
			over.Members = append(over.Members, jsontree.Member{Name: path, Value: rapid.OneOf(aliases, values(2)).Draw(r, "override")})
		}
		prefix := rapid.OneOf(rapid.Just(""), texts).Draw(r, "prefix")
		r.Logf("theme %s\nvariant %s\nprefix %q", spellNode(theme), spellNode(over), prefix)
		checkCompiled(r, theme, prefix, over)
	})
}

func TestOverlayNamesItsPlan(t *testing.T) {
	t.Parallel()
	theme := `{"a":{"$type":"number","$value":1},"b":{"$type":"number","$value":%d}}`
	c, other := renderer.Compile(parse(t, fmt.Sprintf(theme, 2)), ""), renderer.Compile(parse(t, fmt.Sprintf(theme, 3)), "")
	s := c.Load(parse(t, `{"a":5}`))
	for f := range renderer.File(renderer.FileCount) {
		for _, blob := range [][]byte{other.Plan(f), c.Plan((f + 1) % renderer.FileCount)} {
			p, err := plan.Open(blob)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := plan.OpenOverlay(p, c.Overlay(s, f)); !errors.Is(err, plan.ErrOtherPlan) {
				t.Errorf("%s: an overlay opens for another plan: %v", f.Name(), err)
			}
		}
	}
}

// That a Set of another Theme has other tokens would be read as a change of this one.
func TestOverlayWantsASetOfItsTheme(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("an overlay is compiled from another Theme's Set")
		}
	}()
	theme := `{"a":{"$value":1}}`
	renderer.Compile(parse(t, theme), "").Overlay(renderer.Compile(parse(t, theme), "").Load(nil), renderer.TokensCSS)
}

// A CompiledTheme is used by many requests at once; run with -race.
func TestCompiled_Concurrent(t *testing.T) {
	t.Parallel()
	c := renderer.Compile(parse(t, readFile(t, "testdata/acorn-design-system/theme.json")), "")
	overrides := parse(t, readFile(t, "testdata/acorn-design-system/variant.json"))
	done := make(chan []byte)
	for range 4 {
		go func() { done <- c.Overlay(c.Load(overrides), renderer.TokensCSS) }()
	}
	first := <-done
	for range 3 {
		if !bytes.Equal(first, <-done) {
			t.Error("overlays differ")
		}
	}
}
