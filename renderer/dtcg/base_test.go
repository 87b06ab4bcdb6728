package dtcg_test

import (
	"slices"
	"testing"

	"example.com/livery/renderer/dtcg"
)

// sparse has what one token can come to by another: values, types, failures and cycles.
const sparse = `{"brand":{"$type":"color","$value":"#ff0000"},"accent":{"$value":"{brand}"},"far":{"$value":"{accent}"},
	"gap":{"$type":"dimension","$value":"4px"},"wide":{"$type":"dimension","$value":"{gap} * 2"},"n":{"$type":"number","$value":2},
	"line":{"$type":"border","$value":{"color":"{far}","width":"{gap}","style":"solid"}},"left":{"$type":"color","$value":"{none}"},
	"needs":{"$value":"{left}"},"x":{"$type":"color","$value":"{y}"},"y":{"$type":"color","$value":"{x}"},"beside":{"$value":"{y}","more":1},
	"free":{"$value":"no type"},"follows":{"$value":"{free}"},"list":{"$type":"shadow","$value":["{one}","{one}"]},
	"one":{"$type":"shadow","$value":{"offsetX":"1px","offsetY":"1px","color":"{far}"}}}`

// A Delta tells of the tokens that are reached what Overlay makes of them, and all others are as in the Theme.
func TestDeltasAreWhatOverlayMakes(t *testing.T) {
	cases := []struct {
		overrides string
		reached   []string
	}{
		{`{}`, nil},
		{`{"none":1,"other":2}`, nil},
		{`{"brand":"#00ff00"}`, []string{"brand", "accent", "far", "line", "list", "one"}},
		{`{"gap":"{n}","far":"{none}"}`, []string{"far", "gap", "wide", "line", "list", "one"}},
		{`{"brand":"12 monkeys","n":3}`, []string{"brand", "accent", "far", "n", "line", "list", "one"}},
		{`{"brand":"{far}"}`, []string{"brand", "accent", "far", "line", "list", "one"}},
		{`{"brand":"{n}","accent":"{gap}"}`, []string{"brand", "accent", "far", "line", "list", "one"}},
		{`{"x":"#123456"}`, []string{"x", "y", "beside"}},
		{`{"left":"{needs}"}`, []string{"left", "needs"}},
		{`{"left":"{brand}","needs":"{x}"}`, []string{"left", "needs"}},
		{`{"free":"#00ff00"}`, []string{"free", "follows"}},
		{`{"free":["{brand}"]}`, []string{"free", "follows"}},
		{`{"one":"{list}"}`, []string{"list", "one"}},
		{`{"follows":{"fontSize":"{gap}"},"wide":"{gap} + {gap}"}`, []string{"wide", "follows"}},
	}
	base := dtcg.ReadBase(parse(t, sparse))
	for _, c := range cases {
		list := overrides(t, c.overrides)
		want, delta := dtcg.Overlay(base.Theme, list), base.Overlay(list)
		if delta == nil {
			t.Fatalf("%s: the whole document is wanted", c.overrides)
		}
		var reached []string
		for place, i := range delta.At {
			reached = append(reached, delta.Tokens[place].Path)
			sameToken(t, c.overrides, &delta.Tokens[place], &want.Tokens[i])
		}
		for i := range want.Tokens {
			if is := slices.Contains(reached, want.Tokens[i].Path); is != delta.Reaches(want.Tokens[i].Path) {
				t.Errorf("%s: Reaches(%s) = %v", c.overrides, want.Tokens[i].Path, !is)
			} else if !is {
				sameToken(t, c.overrides, &base.Theme.Tokens[i], &want.Tokens[i])
			}
		}
		if !slices.Equal(reached, c.reached) {
			t.Errorf("%s reaches %v, want %v", c.overrides, reached, c.reached)
		}
		all := slices.Clone(delta.Reports)
		for _, x := range base.Theme.Diagnostics() {
			if !delta.Reaches(x.Path) {
				all = append(all, x)
			}
		}
		all = append(all, delta.Found...)
		if base.Theme.Sort(all); !slices.Equal(all, want.Diagnostics()) {
			t.Errorf("%s: diagnostics = %v, want %v", c.overrides, all, want.Diagnostics())
		}
	}
}

func sameToken(t *testing.T, overrides string, got, want *dtcg.Token) {
	t.Helper()
	if spell(got.Served) != spell(want.Served) || (got.Served == nil) != (want.Served == nil) || got.Value != want.Value || got.Resolved != want.Resolved ||
		got.Inferred != want.Inferred || got.Overridden != want.Overridden || got.Path != want.Path {
		t.Errorf("%s: %s is served as %s, a %q, want %s, a %q", overrides, got.Path, spell(got.Served), got.Resolved, spell(want.Served), want.Resolved)
	}
}

// An alias is identified by its target if both are reached.
func TestDeltasKnowAliases(t *testing.T) {
	delta := dtcg.ReadBase(parse(t, sparse)).Overlay(overrides(t, `{"brand":"#00ff00","gap":"{n}","far":"{missing}"}`))
	want := map[string]string{"accent": "brand"}
	for k := range delta.Tokens {
		got := ""
		if i := delta.Alias(k); i >= 0 {
			got = delta.Tokens[i].Path
		}
		if path := delta.Tokens[k].Path; got != want[path] {
			t.Errorf("%s is an alias of %q, want %q", path, got, want[path])
		}
	}
}

// Tokens that share a path are for the whole document.
func TestEntangledThemesHaveNoDeltas(t *testing.T) {
	if dtcg.ReadBase(parse(t, `{"a":{"b":{"$value":1}},"a.b":{"$value":2}}`)).Overlay(nil) != nil {
		t.Error("a Theme with two tokens of one path has a delta")
	}
}
