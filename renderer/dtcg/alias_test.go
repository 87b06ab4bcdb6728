package dtcg_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/renderer/dtcg"
)

func TestAliasesAreReplaced(t *testing.T) {
	const base = `"n":{"$type":"number","$value":1.50},"px":{"$type":"dimension","$value":{"value":2,"unit":"px"}},
		"red":{"$type":"color","$value":"#ff0000"},"name":{"$type":"string","$value":"it's; this"},"none":{"$type":"string","$value":""},
		"s1":{"$type":"shadow","$value":{"offsetX":"1px"}},"s2":{"$type":"shadow","$value":[{"offsetX":"2px"},{"offsetX":"3px"}]},
		"f":{"$type":"fontFamily","$value":["Inter","Segoe UI"]},"a b":{"c d":{"$type":"number","$value":7}},
		"g":{"$root":{"$type":"number","$value":9}},"chain":{"$value":"{link}"},"link":{"$value":"{n}"},`
	cases := []struct{ name, value, want string }{
		{"a whole value, spelled as the target spells it", `"{n}"`, `1.50`},
		{"a whole composite", `"{px}"`, `{"value":2,"unit":"px"}`},
		{"a chain", `"{chain}"`, `1.50`},
		{"a path with spaces in its names", `"{a b.c d}"`, `7`},
		{"spaces around the path", `"{ n }"`, `1.50`},
		{"a $root token by its full path", `"{g.$root}"`, `9`},
		{"a member of a composite", `{"color":"{red}","width":"{px}","style":"solid"}`, `{"color":"#ff0000","width":{"value":2,"unit":"px"},"style":"solid"}`},
		{"a member deep inside", `{"a":{"b":[1,{"c":"{n}"}]}}`, `{"a":{"b":[1,{"c":1.50}]}}`},
		{"an element of an array", `[0,"{n}",1,1]`, `[0,1.50,1,1]`},
		{"a single layer in an array", `["{s1}",{"offsetX":"9px"}]`, `[{"offsetX":"1px"},{"offsetX":"9px"}]`},
		{"a list of layers is spliced", `[{"offsetX":"9px"},"{s2}","{s1}"]`, `[{"offsetX":"9px"},{"offsetX":"2px"},{"offsetX":"3px"},{"offsetX":"1px"}]`},
		{"a list of families is spliced", `["{f}","sans-serif"]`, `["Inter","Segoe UI","sans-serif"]`},
		{"a list as a member is not spliced", `{"fontFamily":"{f}"}`, `{"fontFamily":["Inter","Segoe UI"]}`},
		{"inside a string, as CSS", `"inset 0 0 0 {px} {red}"`, `"inset 0 0 0 2px #ff0000"`},
		{"inside a string, a number", `"calc({n} * {px})"`, `"calc(1.5 * 2px)"`},
		{"inside a string, a string as it is", `"say {name}"`, `"say it's; this"`},
		{"inside a string, an empty string at its start", `"{none}0"`, `"0"`},
		{"inside a string, nothing but empty strings", `"{none}{none}"`, `""`},
		{"side by side", `"{px}{px}"`, `"2px2px"`},
		{"inside a string inside a composite", `{"offsetX":"{px} * -1"}`, `{"offsetX":"2px * -1"}`},
		{"braces that hold no path are text", `"red;} body{--pwned:1} x{"`, `"red;} body{--pwned:1} x{"`},
		{"empty braces are text", `"a {} b"`, `"a {} b"`},
		{"only empty braces", `"{}"`, `"{}"`},
		{"an open brace is text", `"a { b"`, `"a { b"`},
		{"an open brace before an alias", `"{ {n}"`, `"{ 1.5"`},
		{"names of members are never aliases", `{"{n}":1}`, `{"{n}":1}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := read(t, "{"+base+`"it":{"$value":`+c.value+"}}")
			it := d.Token("it")
			if got := spell(it.Served); got != c.want {
				t.Errorf("served = %s, want %s", got, c.want)
			}
			if got := spell(it.Value); got != c.value {
				t.Errorf("S7: value = %s, want it as written: %s", got, c.value)
			}
			if list := d.Diagnostics(); len(list) != 0 {
				t.Errorf("diagnostics = %v", list)
			}
		})
	}
}

func TestAliasesThatFail(t *testing.T) {
	cases := []struct {
		name, doc string
		want      []dtcg.Diagnostic // every other token is served
	}{
		{"missing", `{"a":{"$value":"{no.such}"}}`, []dtcg.Diagnostic{
			{"a", dtcg.AliasMissing, "{no.such} names no token"},
		}},
		{"missing inside a composite", `{"a":{"$type":"border","$value":{"color":"{no}","width":"1px"}},"b":{"$value":1}}`, []dtcg.Diagnostic{
			{"a", dtcg.AliasMissing, "{no} names no token"},
		}},
		{"missing inside a string", `{"a":{"$type":"string","$value":"1px solid {no.such color}"}}`, []dtcg.Diagnostic{
			{"a", dtcg.AliasMissing, "{no.such color} names no token"},
		}},
		{"missing behind a chain", `{"a":{"$value":"{b}"},"b":{"$value":"{c}"},"c":{"$value":"{no}"}}`, []dtcg.Diagnostic{
			{"a", dtcg.AliasMissing, "needs c, which is left out: {no} names no token"},
			{"b", dtcg.AliasMissing, "needs c, which is left out: {no} names no token"},
			{"c", dtcg.AliasMissing, "{no} names no token"},
		}},
		{"a group", `{"g":{"x":{"$value":1}},"a":{"$value":"{g}"},"b":{"$value":"1 {g} 2"}}`, []dtcg.Diagnostic{
			{"a", dtcg.AliasToGroup, "{g} names a group; an alias must name a token"},
			{"b", dtcg.AliasToGroup, "{g} names a group; an alias must name a token"},
		}},
		{"a group with a $root token", `{"g":{"$root":{"$value":1}},"a":{"$value":"{g}"}}`, []dtcg.Diagnostic{
			{"a", dtcg.AliasToGroup, "{g} names a group; an alias must name a token"},
		}},
		{"what stands inside a token is not a token", `{"t":{"$value":1,"x":{"$value":2}},"a":{"$value":"{t.x}"}}`, []dtcg.Diagnostic{
			{"t", dtcg.TokenHasChildren, "a token has no members but the $… ones; the others are never read"},
			{"a", dtcg.AliasMissing, "{t.x} names no token"},
		}},
		{"an object with $ref is not a token", `{"r":{"$ref":"#/t"},"t":{"$value":1},"a":{"$value":"{r}"}}`, []dtcg.Diagnostic{
			{"a", dtcg.AliasToGroup, "{r} names a group; an alias must name a token"},
		}},
		{"itself", `{"a":{"$value":"{a}"}}`, []dtcg.Diagnostic{
			{"a", dtcg.AliasCycle, "in the alias cycle a -> a"},
		}},
		{"itself inside a composite", `{"a":{"$value":[1,"{a}"]}}`, []dtcg.Diagnostic{
			{"a", dtcg.AliasCycle, "in the alias cycle a -> a"},
		}},
		{"a cycle of three, and what needs it", `{"x":{"$value":"1 {b}"},"a":{"$value":"{b}"},"b":{"$value":"{c}"},"c":{"$value":"{a}"},"y":{"$value":"{x}"},"ok":{"$value":1}}`, []dtcg.Diagnostic{
			{"x", dtcg.AliasCycle, "needs b, which is left out: the alias cycle a -> b -> c -> a"},
			{"a", dtcg.AliasCycle, "in the alias cycle a -> b -> c -> a"},
			{"b", dtcg.AliasCycle, "in the alias cycle a -> b -> c -> a"},
			{"c", dtcg.AliasCycle, "in the alias cycle a -> b -> c -> a"},
			{"y", dtcg.AliasCycle, "needs b, which is left out: the alias cycle a -> b -> c -> a"},
		}},
		{"two cycles that share a token", `{"a":{"$value":["{b}","{c}"]},"b":{"$value":"{a}"},"c":{"$value":"{a}"}}`, []dtcg.Diagnostic{
			{"a", dtcg.AliasCycle, "in the alias cycle a -> b -> a"},
			{"b", dtcg.AliasCycle, "in the alias cycle a -> b -> a"},
			{"c", dtcg.AliasCycle, "needs the alias cycle a -> b -> a and is needed by it"},
		}},
		{"two cycles apart", `{"a":{"$value":"{a}"},"b":{"$value":"{c}"},"c":{"$value":"{b}"}}`, []dtcg.Diagnostic{
			{"a", dtcg.AliasCycle, "in the alias cycle a -> a"},
			{"b", dtcg.AliasCycle, "in the alias cycle b -> c -> b"},
			{"c", dtcg.AliasCycle, "in the alias cycle b -> c -> b"},
		}},
		{"a composite inside a string", `{"t":{"$type":"color","$value":{"colorSpace":"no","components":[]}},"a":{"$value":"1px {t}"}}`, []dtcg.Diagnostic{
			{"a", dtcg.ValueMisfit, "needs t, whose value cannot stand inside a string"},
		}},
		{"an alias that others build", `{"x":{"$type":"string","$value":"x"},"a":{"$value":"{{x}}"}}`, []dtcg.Diagnostic{
			{"a", dtcg.AliasMissing, "an alias that only appears when others are replaced is not one"},
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := read(t, c.doc)
			if got := d.Diagnostics(); !slices.Equal(got, c.want) {
				t.Errorf("diagnostics = %q\nwant %q", got, c.want)
			}
			for i := range d.Tokens {
				tok := &d.Tokens[i]
				leftOut := slices.ContainsFunc(c.want, func(x dtcg.Diagnostic) bool {
					return x.Path == tok.Path && x.Kind != dtcg.TokenHasChildren
				})
				if (tok.Served == nil) != leftOut {
					t.Errorf("%s is served as %s", tok.Path, spell(tok.Served))
				}
			}
		})
	}
}

// model resolves a graph of aliases the simple way: token i is a literal or an array of aliases.
// A token fails when it reaches itself, or a token that fails.
type model [][]int

func (m model) value(i int, above []int) (string, bool) {
	if slices.Contains(above, i) {
		return "", false
	}
	if m[i] == nil {
		return name(i), true
	}
	var parts []string
	for _, ref := range m[i] {
		if ref >= len(m) {
			return "", false
		}
		part, ok := m.value(ref, append(slices.Clone(above), i))
		if !ok {
			return "", false
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ","), true
}

func name(i int) string { return string(rune('a' + i)) }

func (m model) document() string {
	var parts []string
	for i, refs := range m {
		value := `"` + name(i) + `"`
		if refs != nil {
			value = ""
			for _, ref := range refs {
				value += `,"{` + name(ref) + `}"`
			}
			value = "[" + value[1:] + "]"
		}
		parts = append(parts, `"`+name(i)+`":{"$type":"fontFamily","$value":`+value+"}")
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func TestResolutionAgreesWithTheSimpleModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := make(model, rapid.IntRange(1, 7).Draw(t, "tokens"))
		for i := range m {
			if refs := rapid.SliceOfN(rapid.IntRange(0, len(m)), 0, 3).Draw(t, "refs"); len(refs) > 0 {
				m[i] = refs
			}
		}
		d := read(t, m.document())
		for i := range m {
			want, ok := m.value(i, nil)
			tok := d.Token(name(i))
			if (tok.Served != nil) != ok {
				t.Fatalf("%s is served as %s in %s, want %q, %v", name(i), spell(tok.Served), m.document(), want, ok)
			}
			got := strings.NewReplacer("[", "", "]", "", `"`, "").Replace(spell(tok.Served))
			if ok && got != want {
				t.Fatalf("%s is served as %s in %s, want %q", name(i), got, m.document(), want)
			}
		}
	})
}
