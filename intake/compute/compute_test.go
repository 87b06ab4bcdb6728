package compute

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/livery/intake/model"
	"example.com/livery/renderer/jsontree"
)

// values returns the values of the tokens of a document after it was computed, and what was named.
func values(t *testing.T, text string, language model.Language) (map[string]string, []string, model.Pass) {
	t.Helper()
	root, err := jsontree.Parse(text)
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	done := Document(root, language)
	if after := string(jsontree.Append(nil, root)); after != text {
		t.Fatalf("Document(%s) changed it to %s", text, after)
	}
	found := map[string]string{}
	for _, m := range done.Tree.Members {
		v := m.Value.Find("$value")
		if found[m.Name] = string(jsontree.Append(nil, v)); v.IsString() {
			found[m.Name] = v.Text
		}
	}
	var said []string
	for _, c := range done.Problems {
		said = append(said, c.Path+": "+c.Message)
	}
	return found, said, done
}

// TestModifiersOfColours: the values are those of sd-transforms 2.0.3, run on the same tokens.
func TestModifiersOfColours(t *testing.T) {
	cases := []struct{ base, modify, want string }{
		{"#ff0000", `{"type":"lighten","value":"0.5","space":"lch"}`, "lch(77.145 53.419 40.858)"},
		{"#ff0000", `{"type":"lighten","value":"0.25","space":"srgb"}`, "rgb(100% 25% 25%)"},
		{"#ff0000", `{"type":"darken","value":"0.25","space":"hsl"}`, "hsl(0 100% 37.5%)"},
		{"#0055aa", `{"type":"alpha","value":"0.25","space":"srgb"}`, "rgb(0% 33.333% 66.667% / 0.25)"},
		{"#0055aa", `{"type":"darken","value":"{half}","space":"srgb"}`, "rgb(0% 16.667% 33.333%)"},
		{"#0055aa", `{"type":"darken","value":"{half} * 0.5","space":"srgb"}`, "rgb(0% 25% 50%)"},
		{"#0055aa", `{"type":"mix","value":"0.5","space":"srgb","color":"#ffffff"}`, "rgb(50% 66.667% 83.333%)"},
		{"#0055aa", `{"type":"mix","value":"0.5","space":"srgb","color":"{red}"}`, "rgb(50% 16.667% 33.333%)"},
		{"#ff0000", `{"type":"lighten","value":"0.5","space":"srgb","format":"hex"}`, "#ff8080"},
		{"rgba(0,85,170,0.5)", `{"type":"lighten","value":"1","space":"srgb"}`, "rgb(100% 100% 100% / 0.5)"},
		{"#808080", `{"type":"lighten","value":"0","space":"lch"}`, "lch(53.585 0 none)"},
	}
	for _, c := range cases {
		text := `{"red":{"$type":"color","$value":"#ff0000"},"half":{"$type":"number","$value":"0.5"},"base":{"$type":"color","$value":"` + c.base +
			`"},"a":{"$type":"color","$value":"{base}","$extensions":{"studio.tokens":{"modify":` + c.modify + `}}},"b":{"$type":"color","$value":"{a}"}}`
		for _, language := range []model.Language{model.Plain, model.StudioMaths} {
			got, said, done := values(t, text, language)
			if got["a"] != c.want || len(said) > 0 || got["b"] != "{a}" {
				t.Errorf("%s of %s = %s, %v, want %s", c.modify, c.base, got["a"], said, c.want)
			}
			if again := Document(done.Tree, language); again.Tree != done.Tree {
				t.Errorf("%s is applied twice: %s", c.modify, jsontree.Append(nil, again.Tree))
			}
		}
	}
}

// TestWhatIsNotComputedIsNamed: the colour stays, and so does the modifier.
func TestWhatIsNotComputedIsNamed(t *testing.T) {
	for _, modify := range []string{
		`{"type":"lighten","value":"0.1","space":"oklch"}`, `{"type":"saturate","value":"0.1","space":"lch"}`, `{"type":"lighten","value":"much","space":"lch"}`,
		`{"type":"mix","value":"0.1","space":"lch","color":"{none}"}`, `{"type":"lighten","value":"0.01","space":"lch","format":"hsl"}`,
	} {
		text := `{"a":{"$type":"color","$value":"color(display-p3 0 1 0)","$extensions":{"studio.tokens":{"modify":` + modify + `}}}}`
		_, said, done := values(t, text, model.StudioMaths)
		if string(jsontree.Append(nil, done.Tree)) != text || len(said) != 1 || !strings.Contains(said[0], "is not applied; the colour stays") {
			t.Errorf("%s = %s, %v, want it named", modify, jsontree.Append(nil, done.Tree), said)
		}
	}
}

func TestExpressionsOfTokensStudio(t *testing.T) {
	const text = `{"base":{"$type":"dimension","$value":"4"},"far":{"$type":"dimension","$value":"{base}"},"rem":{"$type":"dimension","$value":"1rem"},` +
		`"triple":{"$type":"dimension","$value":"{far} * 3"},"round":{"$type":"dimension","$value":"roundTo({base} * 1.33)"},"two":{"$type":"dimension","$value":"{base} {triple} * 2"},` +
		`"mixed":{"$type":"dimension","$value":"{base}px + {rem}"},"none":{"$type":"dimension","$value":"{nowhere} * 2"},"self":{"$type":"dimension","$value":"{self} * 2"},` +
		`"line":{"$type":"lineHeights","$value":"120% * 1.25"},"fifth":{"$type":"dimension","$value":"20%"},"wide":{"$type":"letterSpacing","$value":"{fifth}"},"wider":{"$type":"letterSpacing","$value":"{wide}"},"wides":{"$type":"typography","$value":{"letterSpacing":"{fifth}"}},"side":{"$type":"dimension","$value":"{base} {base}"},` +
		`"type":{"$type":"typography","$value":{"fontSize":"{base} * 4","lineHeight":"150%","letterSpacing":"5%","fontWeight":"SemiBold Italic","textCase":"uppercase","textDecoration":"none","fontStyle":"{slant}"}},"slant":{"$type":"string","$value":"Italic"},"slanted":{"$type":"typography","$value":{"fontStyle":"Regular"}},` +
		`"shadow":{"$type":"shadow","$value":[{"offsetX":"{base} / 2","blur":"{base}*2","color":"#000"}]},"weight":{"$type":"fontWeight","$value":"Bold Italic"},` +
		`"fade":{"$type":"color","$value":"linear-gradient(90deg, #f00 0%, rgba(#00ff00, 0.5) 100%)"},"glow":{"$type":"color","$value":"linear-gradient (90deg, #f00 50%, #0f0 50%);"},"broad":{"$type":"typography","$value":{"fontFamily":"Inter","fontWeight":"Expanded Medium"}},"text":{"$type":"string","$value":"1 - 2"},"own":{"$type":"internal","$value":"{rem} * 2"},"px":{"$type":"dimension","$value":"6px"},"fit":{"$type":"dimension","$value":"calc(100% - {px})"},"twice":{"$type":"dimension","$value":"{px}px"},"part":{"$type":"lineHeights","$value":"{n}%"},"n":{"$type":"number","$value":"8"},"much":{"$type":"dimension","$value":"({n} * 2)px"},"list":{"$value":"{base}, serif"}}`
	want := map[string]string{
		"base": "4", "far": "{base}", "rem": "1rem", "triple": "12px", "round": "5px", "two": "4px 24px", "mixed": "{base}px + {rem}", "none": "{nowhere} * 2", "self": "{self} * 2",
		"fifth": "20%", "wide": "0.2em", "wider": "{wide}", "wides": `{"letterSpacing":"0.2em"}`,
		"own": "2rem", "fit": "calc(100% - {px})", "twice": "6px", "part": "0.08", "much": "16px", "list": "{base}, serif", "line": "1.5", "side": "{base} {base}", "text": "1 - 2", "glow": "linear-gradient(90deg, #f00 50%, #0f0 50%)", "broad": `{"fontFamily":"Inter","fontWeight":"Medium"}`, "weight": "Bold Italic", "fade": "linear-gradient(90deg, #f00 0%, #00ff0080 100%)",
		"type":   `{"fontSize":"16px","lineHeight":"1.5","letterSpacing":"0.05em","fontWeight":"SemiBold Italic","textCase":"uppercase","textDecoration":"none","fontStyle":"{slant}"}`,
		"shadow": `[{"offsetX":"2px","blur":"8px","color":"#000"}]`,
	}
	got, said, done := values(t, text, model.StudioMaths)
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s = %s, want %s", name, got[name], want[name])
		}
	}
	const names = `type: of "SemiBold Italic" the weight counts; set font-style: italic beside it; type: textCase "uppercase" has no place in tokens.css; ` +
		`slanted: fontStyle "Regular" has no place in tokens.css; weight: of "Bold Italic" the weight counts; set font-style: italic beside it; ` +
		`glow: linear-gradient (90deg, #f00 50%, #0f0 50%); is read as linear-gradient(90deg, #f00 50%, #0f0 50%); broad: of "Expanded Medium" "Medium" counts; set font-stretch beside it`
	if list := strings.Join(said, "; "); list != names {
		t.Errorf("named: %s, want %s", list, names)
	}
	if kind := done.Tree.Find("fade").Find("$type").Text; kind != "gradient" {
		t.Errorf("a gradient is of type %s", kind)
	}
	if root, _ := jsontree.Parse(text); Document(root, model.Plain).Tree != root {
		t.Error("outside of Tokens Studio an expression is one of CSS, and stays")
	}
}

// TestALongChainIsComputedOnce: each of its tokens from the next one; the work grows with the chain and not with its cube,
// which the test would not end with.
func TestALongChainIsComputedOnce(t *testing.T) {
	const length = 1500
	var b strings.Builder
	for i := range length {
		fmt.Fprintf(&b, `"a%d":{"$type":"dimension","$value":"{a%d} + 1"},"b%d":{"$type":"dimension","$value":"{b%d}"},`, i, i+1, i, i+1)
	}
	fmt.Fprintf(&b, `"a%d":{"$type":"dimension","$value":"4"},"b%d":{"$type":"dimension","$value":"4"}`, length, length)
	got, _, _ := values(t, "{"+b.String()+"}", model.StudioMaths)
	if got["a0"] != "1504px" || got["b0"] != "{b1}" {
		t.Errorf("a0 = %s and b0 = %s", got["a0"], got["b0"])
	}
}

// TestPartsThatNoFileHasAreNamed: in whatever form, unless they say nothing.
func TestPartsThatNoFileHasAreNamed(t *testing.T) {
	const text = `{"a":{"$type":"shadow","$value":[{"offsetX":"1px","offsetY":"1px","blurr":"8px","color":"#000","visible":true,"id":null}]},` +
		`"b":{"$type":"border","$value":{"width":"1px","style":"solid","color":"#000","dash":[2],"gap":[]}},"c":{"$type":"transition","$value":{"duration":"1s","property":"all"}},` +
		`"d":{"$type":"gradient","$value":[{"color":"#000","position":0,"hint":0.3}]},"e":{"$type":"typography","$value":{"fontFamily":"Inter","fontWeight":"Bold Italic","fontStretch":"normal","textCase":"upper"}}}`
	want := []string{
		`a: blurr "8px" has no place in tokens.css`, `a: visible true has no place in tokens.css`, `b: dash [2] has no place in tokens.css`, `c: property "all" has no place in tokens.css`,
		`d: hint 0.3 has no place in tokens.css`, `e: of "Bold Italic" the weight counts; set font-style: italic beside it`, `e: textCase "upper" has no place in tokens.css`,
	}
	for _, language := range []model.Language{model.Plain, model.Expressions, model.StudioMaths} {
		if _, said, _ := values(t, text, language); !slices.Equal(said, want) {
			t.Errorf("named are %q, want %q", said, want)
		}
	}
}
