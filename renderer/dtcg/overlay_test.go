package dtcg_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/livery/renderer/dtcg"
)

// overrides reads a Variant's flat map.
func overrides(t failer, text string) (list []dtcg.Override) {
	t.Helper()
	for _, m := range parse(t, text).Members {
		list = append(list, dtcg.Override{Path: m.Name, Value: m.Value})
	}
	return list
}

const brand = `{"brand":{"$type":"color","$value":"#ff0000"},"accent":{"$value":"{brand}"},"gap":{"$type":"dimension","$value":"4px"},
	"wide":{"$type":"dimension","$value":"{gap} * 2"},"words":{"$type":"string","$value":"hello"},"free":{"$value":"no type"},
	"line":{"$type":"border","$value":{"color":"{brand}","width":"{gap}","style":"solid"}},"n":{"$type":"number","$value":2},
	"g":{"$root":{"$type":"number","$value":1}}}`

func TestOverlay(t *testing.T) {
	cases := []struct {
		name, overrides string
		served          map[string]string // what changes
		want            []dtcg.Diagnostic // messages by what they must hold
	}{
		{"S9: an override replaces the value, and everything that points at it moves", `{"brand":"#00ff00"}`, map[string]string{
			"brand": `"#00ff00"`, "accent": `"#00ff00"`, "line": `{"color":"#00ff00","width":"4px","style":"solid"}`,
		}, nil},
		{"decision 5.2: an override may be an alias", `{"wide":"{gap}"}`, map[string]string{"wide": `"4px"`}, nil},
		{"an alias resolves in the overlaid tree", `{"wide":"{gap}","gap":"9px"}`, map[string]string{
			"wide": `"9px"`, "gap": `"9px"`, "line": `{"color":"#ff0000","width":"9px","style":"solid"}`,
		}, nil},
		{"an alias inside a string moves as well", `{"gap":"3px"}`, map[string]string{
			"gap": `"3px"`, "wide": `"3px * 2"`, "line": `{"color":"#ff0000","width":"3px","style":"solid"}`,
		}, nil},
		{"a composite with aliases", `{"line":{"color":"{accent}","width":"1px","style":"dashed"}}`, map[string]string{
			"line": `{"color":"#ff0000","width":"1px","style":"dashed"}`,
		}, nil},
		{"a number may stand where a dimension is wanted", `{"gap":"{n}"}`, map[string]string{
			"gap": `2`, "wide": `"2px * 2"`, "line": `{"color":"#ff0000","width":2,"style":"solid"}`,
		}, nil},
		{"S216: the empty string is a value", `{"words":""}`, map[string]string{"words": `""`}, nil},
		{"a $root token", `{"g.$root":5}`, map[string]string{"g.$root": `5`}, nil},
		{"S10, S11: a path that the Theme lacks is ignored", `{"no.such":1,"g":2,"":3}`, nil, []dtcg.Diagnostic{
			{"no.such", dtcg.OverrideIgnored, "no.such"}, {"g", dtcg.OverrideIgnored, "g"}, {"", dtcg.OverrideIgnored, ""},
		}},
		{"decision 5.1: a literal that does not fit leaves the Theme's value", `{"brand":"12 monkeys"}`, nil, []dtcg.Diagnostic{
			{"brand", dtcg.ValueMisfit, "the Theme's own value stands"},
		}},
		{"a wrong kind leaves the Theme's value", `{"gap":true}`, nil, []dtcg.Diagnostic{{"gap", dtcg.ValueMisfit, "dimension"}}},
		{"null fits nothing", `{"words":null,"free":null}`, nil, []dtcg.Diagnostic{
			{"words", dtcg.ValueMisfit, "own value"}, {"free", dtcg.ValueMisfit, "own value"},
		}},
		{"an alias of another type leaves the Theme's value", `{"brand":"{gap}"}`, nil, []dtcg.Diagnostic{
			{"brand", dtcg.ValueMisfit, "own value"},
		}},
		{
			"a composite that turns out not to fit leaves the Theme's value", `{"line":{"color":"{gap}","width":"1px","style":"solid"}}`, nil,
			[]dtcg.Diagnostic{{"line", dtcg.ValueMisfit, "own value"}},
		},
		{"a missing alias leaves the token out, and what needs it", `{"brand":"{nope}"}`, map[string]string{
			"brand": "nothing", "accent": "nothing", "line": "nothing",
		}, []dtcg.Diagnostic{
			{"brand", dtcg.AliasMissing, "{nope}"}, {"accent", dtcg.AliasMissing, "needs brand"}, {"line", dtcg.AliasMissing, "needs brand"},
		}},
		{"a cycle leaves the tokens out", `{"brand":"{accent}"}`, map[string]string{
			"brand": "nothing", "accent": "nothing", "line": "nothing",
		}, []dtcg.Diagnostic{
			{"brand", dtcg.AliasCycle, "brand -> accent -> brand"},
			{"accent", dtcg.AliasCycle, "brand -> accent -> brand"},
			{"line", dtcg.AliasCycle, "needs"},
		}},
		{"what it falls back to counts for what points at it", `{"brand":"{gap}","accent":"{brand}"}`, nil, []dtcg.Diagnostic{
			{"brand", dtcg.ValueMisfit, "own value"},
		}},
		{
			"and for what points at it through a token of the Theme", `{"brand":"{gap}","line":{"color":"{accent}","width":"1px","style":"dashed"}}`,
			map[string]string{"line": `{"color":"#ff0000","width":"1px","style":"dashed"}`},
			[]dtcg.Diagnostic{
				{"brand", dtcg.ValueMisfit, "own value"},
			},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			theme := read(t, brand)
			d := dtcg.Overlay(theme, overrides(t, c.overrides))
			for i := range d.Tokens {
				was, is := &theme.Tokens[i], &d.Tokens[i]
				want, changed := c.served[is.Path]
				if !changed {
					want = spell(was.Served)
				}
				if got := spell(is.Served); got != want {
					t.Errorf("%s is served as %s, want %s", is.Path, got, want)
				}
				if is.Resolved != was.Resolved || is.Inferred != was.Inferred || is.Typed != was.Typed {
					t.Errorf("S12: %s is retyped to %q", is.Path, is.Resolved)
				}
			}
			got := d.Diagnostics()
			if !slices.EqualFunc(got, c.want, func(a, b dtcg.Diagnostic) bool {
				return a.Path == b.Path && a.Kind == b.Kind && strings.Contains(a.Message, b.Message)
			}) {
				t.Errorf("diagnostics = %q, want %q", got, c.want)
			}
		})
	}
}

func TestOverlayOfOnePathTwiceTakesTheLast(t *testing.T) {
	list := append(overrides(t, `{"gap":"1 apple"}`), overrides(t, `{"gap":"2px"}`)...)
	d := dtcg.Overlay(read(t, brand), list)
	if got := spell(d.Token("gap").Served); got != `"2px"` || !d.Token("gap").Overridden || len(d.Diagnostics()) > 0 {
		t.Errorf("gap is served as %s, diagnostics %v", got, d.Diagnostics())
	}
}

// An override is reported once, even if the Theme's own value, which stands then, is wrong too.
func TestOverlayReportsAnOverrideOnce(t *testing.T) {
	theme := read(t, `{"a":{"$type":"color","$value":"{n}"},"n":{"$type":"number","$value":1},"m":{"$type":"number","$value":2}}`)
	d := dtcg.Overlay(theme, overrides(t, `{"a":"{m}"}`))
	if got := d.Diagnostics(); len(got) != 1 || got[0].Path != "a" || spell(d.Token("a").Value) != `"{n}"` {
		t.Errorf("diagnostics = %v, a is %s", got, spell(d.Token("a").Value))
	}
}

// A token without any type gets one from the value that the Variant gives it.
func TestOverlayTypesWhatTheThemeCannot(t *testing.T) {
	d := dtcg.Overlay(read(t, brand), overrides(t, `{"free":"#00ff00"}`))
	if tok := d.Token("free"); tok.Resolved != "color" || !tok.Inferred {
		t.Errorf("free is a %q", tok.Resolved)
	}
}

// What an override that does not count would have been the type of has no type again.
func TestOverlayTakesTypesBack(t *testing.T) {
	theme := read(t, `{"a":{"$value":"plain words"},"b":{"$value":"{a}"},"c":{"$type":"color","$value":"#00ff00"},"n":{"$type":"number","$value":1},"s":{"$type":"color","$value":"#ffffff"}}`)
	d := dtcg.Overlay(theme, overrides(t, `{"a":["{c}",{"no":"kind"}],"s":"{n}"}`))
	for _, path := range []string{"a", "b"} {
		if tok := d.Token(path); tok.Resolved != "" || tok.Inferred || spell(tok.Served) != `"plain words"` {
			t.Errorf("%s is a %q, served as %s", path, tok.Resolved, spell(tok.Served))
		}
	}
}

func TestOverlayLeavesTheThemeAsItWas(t *testing.T) {
	theme := read(t, brand)
	before := make([]dtcg.Token, len(theme.Tokens))
	copy(before, theme.Tokens)
	root := spell(theme.Root)
	dtcg.Overlay(theme, overrides(t, `{"brand":"{gap}","accent":"#00ff00","line":"{nope}","gap":"{wide}"}`))
	for i := range before {
		if was, is := before[i], theme.Tokens[i]; was.Value != is.Value || was.Served != is.Served || was.Resolved != is.Resolved || is.Overridden {
			t.Errorf("%s changed", is.Path)
		}
	}
	if spell(theme.Root) != root || len(theme.Diagnostics()) != 0 {
		t.Error("the Theme changed")
	}
}

// Overrides that only turn out unfit one after the other end after a bounded number of rounds.
func TestOverlayEndsWhenMisfitsFollowEachOther(t *testing.T) {
	d := read(t, object(2000, func(i int) string {
		return `"t` + numbers(i, i+1)[0] + `":{"$type":"number","$value":1}`
	}))
	list := make([]dtcg.Override, 0, 2000)
	for i := range 1999 {
		list = append(list, overrides(t, `{"t`+numbers(i, i+1)[0]+`":"{t`+numbers(i+1, i+2)[0]+`}"}`)...)
	}
	list = append(list, overrides(t, `{"t1999":"not a number"}`)...)
	over := dtcg.Overlay(d, list)
	if got := spell(over.Token("t0").Served); got != "1" {
		t.Errorf("t0 is served as %s, want the end of the chain, the Theme's own 1", got)
	}
}

// Decision 5.4 and S184: what migration and a Variant's set call fitting.
// A Document is read by many requests at once; run with -race.
func TestFits_Concurrent(t *testing.T) {
	d := read(t, `{"red":{"$type":"color","$value":"#f00"},"px":{"$type":"dimension","$value":"1px"}}`)
	value := parse(t, `{"color":"{red}","width":"{px} * 2","style":"solid"}`)
	done := make(chan bool)
	for range 4 {
		go func() { done <- dtcg.Fits(d, "border", value) }()
	}
	for range 4 {
		if !<-done {
			t.Error("Fits = false of a border")
		}
	}
}

func TestFits(t *testing.T) {
	d := read(t, `{"c":{"$type":"color","$value":"#ff0000"},"n":{"$type":"number","$value":2},"px":{"$type":"dimension","$value":"4px"},
		"left":{"$type":"color","$value":"{none}"},"free":{"$value":"no type at all"},"list":{"$type":"shadow","$value":[{"offsetX":"1px","offsetY":"1px","color":"#000000"}]}}`)
	cases := []struct {
		typ, value string
		want       bool
	}{
		{"color", `"#00ff00"`, true},
		{"color", `"not a colour"`, false},
		{"color", `5`, false},
		{"color", `null`, false},
		{"number", `2.5`, true},
		{"dimension", `{"value":1,"unit":"px"}`, true},
		{"dimension", `"1 apple"`, false},
		{"string", `"anything; goes {}"`, true},
		{"string", `{"a":1}`, false},
		{"boolean", `true`, true},
		{"", `"anything"`, true},
		{"", `{"a":1}`, false},
		{"typography", `{"fontFamily":"Inter","fontSize":"16px"}`, true},
		{"typography", `{"fontWeight":700}`, true},
		{"color", `"{c}"`, true},
		{"color", `"{n}"`, false},
		{"dimension", `"{n}"`, true},
		{"dimension", `"{px} * 2"`, true},
		{"color", `"{no.such}"`, true},
		{"color", `"{left}"`, true},
		{"number", `"{left}"`, false},
		{"shadow", `["{list}"]`, true},
		{"border", `{"color":"{c}","width":"{px}","style":"solid"}`, true},
		{"border", `{"color":"{px}","width":"{px}","style":"solid"}`, false},
		{"color", `["{no.such}"]`, false},
	}
	for _, c := range cases {
		if got := dtcg.Fits(d, c.typ, parse(t, c.value)); got != c.want {
			t.Errorf("Fits(%q, %s) = %v, want %v", c.typ, c.value, got, c.want)
		}
	}
	if dtcg.Fits(d, "color", nil) {
		t.Error("nothing fits")
	}
}
