package designsystem

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/livery/cli/tokenfile"
	_ "example.com/livery/internal/test/sameseed" // make fuzz draws others
	"example.com/livery/internal/test/tokentreetest"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

func written(n *jsontree.Node) string { return string(jsontree.Append(nil, n)) }

func TestAVariantSaysOnlyWhatDiffers(t *testing.T) {
	defaults := tokentreetest.Parse(t, `{"color":{"$type":"color","bg":{"$value":"#fff"},"ink":{"$value":"#000"},"link":{"$value":"{color.ink}"}}}`)
	dark := tokentreetest.Parse(t, `{"color":{"$type":"color","bg":{"$value":"#000"},"ink":{"$value":"#fff"},"link":{"$value":"{color.ink}"},"glow":{"$value":"#0f0"}}}`)
	dense := tokentreetest.Parse(t, `{"space":{"$type":"dimension","s":{"$value":"2px"}}}`)
	p := Make(defaults, []Mode{{"Mode", "Dark Mode", dark, nil}, {"Density", "Dense", dense, nil}}, nil, nil)
	if got := written(p.Variants[0].Overrides); got != `{"color.bg":"#000","color.ink":"#fff"}` || p.Variants[0].Slug != "dark-mode" {
		t.Errorf("the Variant %s says %s", p.Variants[0].Slug, got)
	}
	want := `{"color":{"$type":"color","bg":{"$value":"#fff"},"ink":{"$value":"#000"},"link":{"$value":"{color.ink}"},` +
		`"glow":{"$type":"color","$value":"#0f0"}},"space":{"s":{"$type":"dimension","$value":"2px"}}}`
	if got := written(p.Theme); got != want || !slices.Equal(p.Added, []string{"color.glow", "space.s"}) {
		t.Errorf("the Theme is %s, with %v added", got, p.Added)
	}
	if got := written(p.Variants[1].Overrides); got != "{}" {
		t.Errorf("what only one mode has is said twice: %s", got)
	}
}

// TestABrandMayHaveAModeOfItsOwn: it says what the brand overrides too, if it has the Theme's value, and takes the
// place of the mode in the brand's files.
func TestABrandMayHaveAModeOfItsOwn(t *testing.T) {
	tree := func(a, b string) *jsontree.Node {
		return tokentreetest.Parse(t, `{"a":{"$value":"`+a+`"},"b":{"$value":"`+b+`"}}`)
	}
	modes := []Mode{{"brand", "globex", tree("1px", "2px"), nil}, {"", "dark", tree("3px", "1px"), nil}}
	p := Make(tree("1px", "1px"), modes, nil, nil)
	for both, want := range map[*jsontree.Node]string{
		tree("3px", "2px"): "", tree("3px", "1px"): `{"a":"3px","b":"1px"}`, tree("1px", "4px"): `{"b":"4px"}`,
		tokentreetest.Parse(t, `{"b":{"$value":"4px"}}`): `{"b":"4px","a":"3px"}`, // of a, only the mode says something
	} {
		mode, differ := p.Both(p.Variants[0], p.Variants[1], both)
		if len(differ) > 0 != (want != "") {
			t.Errorf("Both(%s) differ: %v", written(both), differ)
		}
		if len(differ) == 0 {
			continue
		}
		all := Make(tree("1px", "1px"), append(modes, mode), nil, nil).Variants
		if got := written(all[2].Overrides); got != want || all[2].Slug != "globex-dark" {
			t.Errorf("of %s the Variant %s says %s, want %s", written(both), all[2].Slug, got, want)
		}
		list, _ := Modes([]tokenfile.Dimension{{Name: "brand", Modes: []string{"acme", "globex"}}, {Modes: []string{"light", "dark"}}}, all)
		if got := list[len(list)-1]; got != (ThemeMode{"scheme", "dark", "globex-dark", "(prefers-color-scheme: dark)", "globex"}) {
			t.Errorf("the last mode is %v", got)
		}
	}
}

// TestModesTogetherAreFoundByTheirNamesAndSelectors: those of a brand take the place of the mode for it, of others the
// tokens are listed that no page has so.
func TestModesTogetherAreFoundByTheirNamesAndSelectors(t *testing.T) {
	all := []tokenfile.Dimension{{Modes: []string{"", "dark", "hc", "compact", "acme", "blue", "none", "dark-hc", "dark-hc-compact", "dark-acme", "acme-dark", "dark-blue", "dark-none"}}}
	tree := func(a, b string) *jsontree.Node {
		return tokentreetest.Parse(t, `{"a":{"$value":"`+a+`"},"b":{"$value":"`+b+`"}}`)
	}
	values := map[string]*jsontree.Node{
		"dark": tree("2px", "1px"), "hc": tree("3px", "3px"), "acme": tree("5px", "1px"), "dark-hc": tree("4px", "3px"),
		"dark-hc-compact": tree("3px", "6px"), "dark-acme": tree("7px", "1px"), "acme-dark": tree("2px", "8px"), "dark-none": tree("9px", "1px"),
	}
	hints := map[string]tokenfile.Hint{}
	var modes []Mode
	for _, name := range all[0].Modes[1:] {
		modes = append(modes, Mode{"", name, cmp.Or(values[name], tree("1px", "1px")), nil})
		hints[name] = tokenfile.Hint{IsJoint: strings.Contains(name, "-") && name != "dark-blue"}
	}
	for _, c := range []struct {
		hints       map[string]tokenfile.Hint
		apart, fors string
	}{
		{hints, "a b b a", "dark-acme for acme"},
		{nil, "a b", ""}, // names alone do not tell brands
	} {
		all[0].Hints = c.hints
		own := slices.Clone(modes)
		apart := Make(tree("1px", "1px"), own, nil, nil).Join(all, own)
		list, _ := Modes(all, Make(tree("1px", "1px"), own, nil, nil).Variants)
		var fors []string
		for _, m := range list {
			if m.For != "" {
				fors = append(fors, m.Variant+" for "+m.For)
			}
		}
		if got := strings.Join(apart, " "); got != c.apart || strings.Join(fors, " ") != c.fors {
			t.Errorf("Join() = %s, want %s; the list has %v, want %s", got, c.apart, fors, c.fors)
		}
	}
}

// TestConditionsInOneAnotherAreABrandAndAMode: as _globex and _dark of Panda, whose names say what they are.
func TestConditionsInOneAnotherAreABrandAndAMode(t *testing.T) {
	tree := func(value string) *jsontree.Node { return tokentreetest.Parse(t, `{"a":{"$value":"`+value+`"}}`) }
	all := []tokenfile.Dimension{{Modes: []string{"base", "_dark", "_globex", "_globex _dark"}}}
	modes := []Mode{{"", "_dark", tree("2px"), nil}, {"", "_globex", tree("3px"), nil}, {"", "_globex _dark", tree("4px"), nil}}
	apart := Make(tree("1px"), modes, nil, nil).Join(all, modes)
	list, left := Modes(all, Make(tree("1px"), modes, nil, nil).Variants)
	want := ThemeMode{"scheme", "dark", "globex-dark", "(prefers-color-scheme: dark)", "globex"}
	if len(apart) > 0 || len(list) != 3 || list[2] != want {
		t.Errorf("Join() = %v, the list is %v without %v, want %v at its end", apart, list, left, want)
	}
}

func TestNamesClashOnlyWithTheirDimension(t *testing.T) {
	empty := jsontree.NewObject()
	mode := func(dimension, name string) Mode { return Mode{dimension, name, empty, nil} }
	for _, c := range []struct {
		modes   []Mode
		decided map[[2]string]string
		want    string
	}{
		{[]Mode{mode("Brand", "Acme"), mode("Mode", "Dark")}, nil, "acme dark"},
		{[]Mode{mode("Text", "Large"), mode("Space", "Large"), mode("Mode", "Dark")}, nil, "text-large space-large dark"},
		{[]Mode{mode("", "Dark"), mode("", "dark!")}, nil, "dark dark-2"},
		{[]Mode{mode("Mode", "夜"), mode("", "暗")}, nil, "mode mode-2"},
		{[]Mode{mode("Mode", "Dark"), mode("Brand", "Night")}, map[[2]string]string{{"Brand", "Night"}: "dark"}, "mode-dark dark"},
		{[]Mode{mode("", strings.Repeat("x", 80)), mode("", strings.Repeat("x", 90))}, nil, strings.Repeat("x", 64) + " " + strings.Repeat("x", 60) + "-2"},
	} {
		var names []string
		for _, v := range Make(empty, c.modes, nil, c.decided).Variants {
			names = append(names, v.Slug)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("the names are %s, want %s", got, c.want)
		}
	}
}

// TestWhatElementsHaveIsUsual: a mode that has it otherwise is a Variant.
func TestWhatElementsHaveIsUsual(t *testing.T) {
	tree := func(text string) *jsontree.Node { return tokentreetest.Parse(t, text) }
	dark, nav := Mode{"", "dark", tree(`{"x":{"$value":1},"nav":{"$value":3}}`), nil}, Mode{"", "nav", tree(`{"x":{"$value":1},"nav":{"$value":2}}`), nil}
	p := Make(tree(`{"x":{"$value":1}}`), []Mode{dark}, []Mode{nav}, nil)
	if got, of := written(p.Theme), written(p.Variants[0].Overrides); got != `{"x":{"$value":1},"nav":{"$value":2}}` || of != `{"nav":3}` {
		t.Errorf("the Theme is %s, and dark says %s", got, of)
	}
}

// TestModesOfElementsAreNoVariants: what they declare alone stands in the Theme.
func TestModesOfElementsAreNoVariants(t *testing.T) {
	tree := func(text string) *jsontree.Node { return tokentreetest.Parse(t, text) }
	defaults := dtcg.Read(tree(`{"a":{"$value":1},"b":{"$value":2}}`))
	for _, c := range []struct {
		name, dimension, tree string
		hint                  tokenfile.Hint
		want                  bool
	}{
		{"btn", "", `{"a":{"$value":1},"b":{"$value":2},"c":{"$value":3}}`, tokenfile.Hint{}, true},
		{"acme", "", `{"a":{"$value":4},"b":{"$value":2},"c":{"$value":3}}`, tokenfile.Hint{}, false},
		{"same", "", `{"a":{"$value":1},"b":{"$value":2}}`, tokenfile.Hint{}, false},
		{"dark", "", `{"a":{"$value":1},"b":{"$value":2},"c":{"$value":3}}`, tokenfile.Hint{}, false},
		{"btn", "", `{"a":{"$value":1},"c":{"$value":3}}`, tokenfile.Hint{Attribute: "brand"}, false},
		{"button", "", `{"a":{"$value":1},"c":{"$value":3}}`, tokenfile.Hint{Attribute: "role"}, true},
		{"ios", "", `{"a":{"$value":1},"c":{"$value":3}}`, tokenfile.Hint{OfRoot: true}, false},
		{"btn", "Brand", `{"a":{"$value":1},"c":{"$value":3}}`, tokenfile.Hint{}, false},
	} {
		if got := IsOfElements(defaults, Mode{Dimension: c.dimension, Name: c.name, Tree: tree(c.tree)}, c.hint); got != c.want {
			t.Errorf("IsOfElements(%s %s, %+v) = %v", c.name, c.tree, c.hint, got)
		}
	}
	btn, link := Mode{Name: "btn", Tree: tree(`{"a":{"$value":1},"c":{"$value":3}}`)}, Mode{Name: "link", Tree: tree(`{"c":{"$value":4}}`)}
	p := Make(defaults.Root, nil, []Mode{btn, link}, nil)
	if got := string(jsontree.Append(nil, p.Theme)); len(p.Variants) > 0 || got != `{"a":{"$value":1},"b":{"$value":2},"c":{"$value":3}}` {
		t.Errorf("the Theme is %s, with %d Variants", got, len(p.Variants))
	}
}

// Every token of every mode has in its Variant the value that the mode gives it.
func TestAVariantIsItsMode(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		trees := rapid.SliceOfN(tokentreetest.Documents(3), 1, 4).Draw(r, "trees")
		var modes []Mode
		for _, tree := range trees[1:] {
			modes = append(modes, Mode{"", "m", tree, nil})
		}
		p := Make(trees[0], modes, nil, nil)
		theme := dtcg.Read(p.Theme)
		for _, v := range p.Variants {
			mode := dtcg.Read(v.Tree)
			for i := range mode.Tokens {
				at := &mode.Tokens[i]
				own := theme.Token(at.Path)
				if own == nil {
					if mode.Names(at) && !slices.Contains(p.Clashes, Clash{"", "m", at.Path}) {
						r.Fatalf("%s is lost", at.Path)
					}
					continue
				}
				value := own.Value
				if over := v.Overrides.Find(at.Path); over != nil {
					value = over
				}
				if mode.Names(at) && !jsontree.Equal(value, at.Value) {
					r.Fatalf("%s is %s in its Variant, and %s in its mode", at.Path, written(value), written(at.Value))
				}
			}
		}
	})
}
