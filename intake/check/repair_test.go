package check

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/livery/intake/model"
	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/internal/test/tokentreetest"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

func TestDocumentsAreRepairedAsLittleAsItTakes(t *testing.T) {
	cases := []struct{ rule, text, want, said string }{
		{"what is right stays", `{"a":{"$type":"color","$value":"#fff"},"b":{"$value":"{a}"}}`, `{"a":{"$type":"color","$value":"#fff"},"b":{"$value":"{a}"}}`, ""},
		{"another spelling of a type", `{"a":{"$type":"font-family","$value":"Inter"}}`, `{"a":{"$type":"fontFamily","$value":"Inter"}}`, `/a $type "font-family" is not known; the nearest is fontFamily, which counts`},
		{"a type of a group counts for its tokens", `{"$type":"Colors","a":{"$value":"#fff"},"g":{"$type":"number","b":{"$value":1}}}`, `{"a":{"$value":"#fff"},"g":{"$type":"number","b":{"$value":1}}}`, `/a $type "Colors" is not known; the nearest is color, which counts`},
		{"the shape of the value", `{"a":{"$type":"brand","$value":"4px"}}`, `{"a":{"$value":"4px"}}`, `/a $type "brand" is not known: by its shape "4px" is of type dimension`},
		{"and not the group's type", `{"$type":"color","a":{"$type":"brand","$value":"4px"}}`, `{"$type":"color","a":{"$type":"dimension","$value":"4px"}}`, `/a $type "brand" is not known: by its shape "4px" is of type dimension`},
		{"the target of an alias", `{"a":{"$type":"color","$value":"#fff"},"b":{"$type":"brand","$value":"{a}"}}`, `{"a":{"$type":"color","$value":"#fff"},"b":{"$value":"{a}"}}`, `/b $type "brand" is not known: the type of a counts, color`},
		{"a text", `{"a":{"$type":"brand","$value":"hello"}}`, `{"a":{"$type":"string","$value":"hello"}}`, `/a $type "brand" is not known: "hello" stays as a string`},
		{"a text is shown as it is", `{"a":{"$type":"brand","$value":"</b>"}}`, `{"a":{"$type":"string","$value":"\u003c/b>"}}`, `/a $type "brand" is not known: "</b>" stays as a string`},
		{"a number in a text", `{"a":{"$type":"brand","$value":"0.5"}}`, `{"a":{"$type":"number","$value":"0.5"}}`, `/a $type "brand" is not known: by its shape "0.5" is of type number`},
		{"an alias through the value of an alias of a group", `{"p":{"blue":{"5":{"$value":"#00f"}}},"t":{"$value":"{p.blue}"},"u":{"$value":"{p}"},"a":{"$value":"{t.value.5.value}"},"b":{"$value":"{u.value.blue.5}"},"c":{"$value":"{t.value.6}"}}`, `{"p":{"blue":{"5":{"$value":"#00f"}}},"t":{"$value":"{p.blue}"},"u":{"$value":"{p}"},"a":{"$value":"{p.blue.5}"},"b":{"$value":"{p.blue.5}"},"c":{"$value":"{t.value.6}"}}`, ""},
		{"a type that is empty", `{"a":{"$type":"","$value":"#fff"}}`, `{"a":{"$value":"#fff"}}`, `/a $type "" is not known: by its shape "#fff" is of type color`},
		{"a type that is not a text", `{"a":{"$type":7,"$value":1}}`, `{"a":{"$value":1}}`, `/a $type "7" is not known: by its shape 1 is of type number`},
		{
			"an alias gives way to its target, through others too",
			`{"a":{"$type":"dimension","$value":"4px"},"b":{"$type":"color","$value":"{a}"},"c":{"$type":"color","$value":"{b}"}}`,
			`{"a":{"$type":"dimension","$value":"4px"},"b":{"$type":"dimension","$value":"{a}"},"c":{"$type":"dimension","$value":"{b}"}}`,
			`/b $type "color": "{a}" leads to a dimension, which counts; /c $type "color": "{b}" leads to a dimension, which counts`,
		},
		{"an alias to a value that its own type takes keeps it", `{"a":{"$type":"number","$value":4},"b":{"$type":"dimension","$value":"{a}"}}`, `{"a":{"$type":"number","$value":4},"b":{"$type":"dimension","$value":"{a}"}}`, ""},
		{"a value that the type never has", `{"a":{"$type":"number","$value":"4px"}}`, `{"a":{"$type":"dimension","$value":"4px"}}`, `/a $type "number": "4px" is a dimension, which counts`},
		{"a text that is of another type by its shape", `{"a":{"$type":"color","$value":"inset 0 0 4px #fff"},"b":{"$type":"dimension","$value":"#fff"},"c":{"$type":"color","$value":"Inter, sans-serif"}}`, `{"a":{"$type":"shadow","$value":"inset 0 0 4px #fff"},"b":{"$type":"color","$value":"#fff"},"c":{"$type":"fontFamily","$value":"Inter, sans-serif"}}`, `/a $type "color": "inset 0 0 4px #fff" is a shadow, which counts; /b $type "dimension": "#fff" is a color, which counts; /c $type "color": "Inter, sans-serif" is a fontFamily, which counts`},
		{
			"channels of a colour stay a text",
			`{"a":{"$type":"color","$value":"233 247 223"},"b":{"$type":"color","$value":"95, 60%, 92%"},"c":{"$type":"color","$value":"0 0% 100% / 0.5"},"d":{"$type":"color","$value":"{a}"},"e":{"$type":"color","$value":"1 2"},"f":{"$value":"1 2 3"}}`,
			`{"a":{"$type":"string","$value":"233 247 223"},"b":{"$type":"string","$value":"95, 60%, 92%"},"c":{"$type":"string","$value":"0 0% 100% / 0.5"},"d":{"$type":"string","$value":"{a}"},"e":{"$type":"color","$value":"1 2"},"f":{"$value":"1 2 3"}}`,
			`/a $type "color": "233 247 223"` + asChannels + `; /b $type "color": "95, 60%, 92%"` + asChannels + `; /c $type "color": "0 0% 100% / 0.5"` + asChannels + `; /d $type "color": "{a}" leads to a string, which counts`,
		},
		{"a blank before a unit is not mended here", `{"a":{"$type":"dimension","$value":"1 rem"}}`, `{"a":{"$type":"dimension","$value":"1 rem"}}`, ""},
		{"what ends a declaration behind words and functions", `{"a":{"$value":"none;"},"b":{"$value":"matrix(1, 0);"},"c":{"$value":"#fff !important"}}`, `{"a":{"$value":"none"},"b":{"$value":"matrix(1, 0)"},"c":{"$value":"#fff"}}`, `/a "none;" is read as "none"; /b "matrix(1, 0);" is read as "matrix(1, 0)"; /c "#fff !important" is read as "#fff"`},
		{"semicolons behind values, and not in texts", `{"a":{"$value":"0 0 1px red;"},"b":{"$type":"color","$value":"#fff; "},"c":{"$type":"string","$value":"#fff;"},"d":{"$value":"Buy now;"},"e":{"$type":"color","$value":"mine;"}}`, `{"a":{"$value":"0 0 1px red"},"b":{"$type":"color","$value":"#fff"},"c":{"$type":"string","$value":"#fff;"},"d":{"$value":"Buy now;"},"e":{"$type":"color","$value":"mine;"}}`, `/a "0 0 1px red;" is read as "0 0 1px red"; /b "#fff; " is read as "#fff"`},
		{"null is not a value of any type", `{"a":{"$type":"number","$value":null}}`, `{"a":{"$type":"number","$value":null}}`, ""},
		{"a text that may be of the type stays for the renderer to judge", `{"a":{"$type":"dimension","$value":"wide"}}`, `{"a":{"$type":"dimension","$value":"wide"}}`, ""},
		{
			"names, and the aliases to them",
			`{"s":{"0.5":{"$value":"2px"},"{x}":{"$value":"calc({s.0.5} * 2)"}},"t":{"$type":"border","$value":{"width":"{ s.0.5 }"}}}`,
			`{"s":{"0-5":{"$value":"2px"},"_x_":{"$value":"calc({s.0-5} * 2)"}},"t":{"$type":"border","$value":{"width":"{s.0-5}"}}}`,
			`/s/0-5 "0.5" is "0-5" now, in aliases too; /s/_x_ "{x}" is "_x_" now, in aliases too`,
		},
		{
			"aliases to names with braces, of groups too",
			`{"{x}":{"$value":1},"a}b":{"$value":2},"g":{"p{q":{"m":{"$value":3}}},"t":{"$value":"{{x}}"},"u":{"$value":"calc({a}b} * {g.p{q.m})"},"v":{"$value":"{{y}}"}}`,
			`{"_x_":{"$value":1},"a_b":{"$value":2},"g":{"p_q":{"m":{"$value":3}}},"t":{"$value":"{_x_}"},"u":{"$value":"calc({a_b} * {g.p_q.m})"},"v":{"$value":"{{y}}"}}`,
			`/_x_ "{x}" is "_x_" now, in aliases too; /a_b "a}b" is "a_b" now, in aliases too; /g/p_q "p{q" is "p_q" now, in aliases too`,
		},
		{"a name that is taken is left", `{"0.5":{"$value":1},"0-5":{"$value":2}}`, `{"0.5":{"$value":1},"0-5":{"$value":2}}`, `/0.5 "0.5" would be "0-5", which stands beside it; rename one of the two`},
		{"the second of two that would have one name is left", `{"a{":{"$value":1},"a}":{"$value":2},"b":{"$value":"{a}}"}}`, `{"a_":{"$value":1},"a}":{"$value":2},"b":{"$value":"{a}}"}}`, `/a_ "a{" is "a_" now, in aliases too; /a} "a}" would be "a_", which stands beside it; rename one of the two`},
		{"aliases that name a value", `{"a":{"$value":1},"b":{"$value":"{a.value}"},"c":{"$value":["{a.$value}"]},"d":{"$value":"{x.value}"}}`, `{"a":{"$value":1},"b":{"$value":"{a}"},"c":{"$value":["{a}"]},"d":{"$value":"{x.value}"}}`, ""},
		{"a token that is called value", `{"a":{"value":{"$value":1}},"b":{"$value":"{a.value}"}}`, `{"a":{"value":{"$value":1}},"b":{"$value":"{a.value}"}}`, ""},
		{
			"gradients on several lines are of that type, other texts are texts",
			`{"a":{"$value":"\n linear-gradient(0deg var(--b), red),\n radial-gradient(\n circle, blue)"},"b":{"$value":"-gradient(\n"},"c":{"$value":"linear-gradient(red, blue)"},"d":{"$type":"string","$value":"\nlinear-gradient(red, blue)"}}`,
			`{"a":{"$type":"gradient","$value":"\n linear-gradient(0deg var(--b), red),\n radial-gradient(\n circle, blue)"},"b":{"$value":"-gradient(\n"},"c":{"$value":"linear-gradient(red, blue)"},"d":{"$type":"string","$value":"\nlinear-gradient(red, blue)"}}`,
			`/a "\n linear-gradient(0deg var(--b), red),\n radial-gradient(\… is of type gradient`,
		},
		{
			"lists and texts on several lines",
			`{"a":{"$value":["0 1px 2px red","0 2px 4px blue"]},"b":{"$value":"\n0 1px 2px red,\n0 2px 4px blue"},"c":{"$value":["Inter","sans-serif"]},"d":{"$value":"Inter, sans-serif,\n 'Apple Color Emoji'"},"e":{"$value":["red","0 1px 2px red"]},"f":{"$type":"string","$value":"\n0 1px red"}}`,
			`{"a":{"$type":"shadow","$value":["0 1px 2px red","0 2px 4px blue"]},"b":{"$type":"shadow","$value":"\n0 1px 2px red,\n0 2px 4px blue"},"c":{"$value":["Inter","sans-serif"]},"d":{"$type":"fontFamily","$value":"Inter, sans-serif,\n 'Apple Color Emoji'"},"e":{"$value":["red","0 1px 2px red"]},"f":{"$type":"string","$value":"\n0 1px red"}}`,
			`/a ["0 1px 2px red","0 2px 4px blue"] is of type shadow; /b "\n0 1px 2px red,\n0 2px 4px blue" is of type shadow; /d "Inter, sans-serif,\n 'Apple Color Emoji'" is of type fontFamily`,
		},
		{
			"expressions with aliases",
			`{"c":{"$type":"color","$value":"red"},"s":{"$type":"dimension","$value":"1px"},"t":{"$value":"2ms"},"a":{"$value":"rgba({c}, 0.5)"},"b":{"$value":"{s} * 2"},"d":{"$value":"2 * {t}"},"e":{"$value":"{s} {s}"},"f":{"$value":"{c} * 2"},"g":{"$value":"{s} solid"}}`,
			`{"c":{"$type":"color","$value":"red"},"s":{"$type":"dimension","$value":"1px"},"t":{"$value":"2ms"},"a":{"$type":"color","$value":"rgba({c}, 0.5)"},"b":{"$type":"dimension","$value":"{s} * 2"},"d":{"$type":"duration","$value":"2 * {t}"},"e":{"$value":"{s} {s}"},"f":{"$value":"{c} * 2"},"g":{"$value":"{s} solid"}}`,
			`/a "rgba({c}, 0.5)" is of type color; /b "{s} * 2" is of type dimension; /d "2 * {t}" is of type duration`,
		},
		{
			"aliases with an opacity",
			`{"c":{"$type":"color","$value":"red"},"a":{"$value":"{c/10}"},"b":{"$value":"0 1px {c/50}"},"d":{"$value":"{x/10}"},"c/5":{"$value":"blue"},"e":{"$value":"{c/5}"}}`,
			`{"c":{"$type":"color","$value":"red"},"a":{"$value":"color-mix(in srgb, {c} 10%, transparent)"},"b":{"$value":"0 1px color-mix(in srgb, {c} 50%, transparent)"},"d":{"$value":"{x/10}"},"c/5":{"$value":"blue"},"e":{"$value":"{c/5}"}}`,
			`/a "{c/10}" is read as "color-mix(in srgb, {c} 10%, transparent)"; /b "0 1px {c/50}" is read as "0 1px color-mix(in srgb, {c} 50%, transparent)"`,
		},
		{
			"a hex of another colour is named",
			`{"$type":"color","a":{"$value":{"colorSpace":"srgb","components":[1,0,0],"hex":"#00ff00"}},"b":{"$value":{"colorSpace":"srgb","components":[1.01,0.2,0.4],"hex":"#FF3365"}},"c":{"$value":{"colorSpace":"display-p3","components":[1,0,0],"hex":"#00ff00"}},"d":{"$value":{"colorSpace":"srgb","components":["none",0,0],"hex":"#00ff00"}}}`,
			`{"$type":"color","a":{"$value":{"colorSpace":"srgb","components":[1,0,0],"hex":"#00ff00"}},"b":{"$value":{"colorSpace":"srgb","components":[1.01,0.2,0.4],"hex":"#FF3365"}},"c":{"$value":{"colorSpace":"display-p3","components":[1,0,0],"hex":"#00ff00"}},"d":{"$value":{"colorSpace":"srgb","components":["none",0,0],"hex":"#00ff00"}}}`,
			`/a its components [1,0,0] count, and its hex is of another colour: "#00ff00"`,
		},
		{
			"components of 0 to 255 are named, and those outside a gamut are not",
			`{"$type":"color","a":{"$value":{"colorSpace":"srgb","components":[255,102,0]}},"b":{"$value":{"colorSpace":"oklch","components":[70,0.1,20]}},"c":{"$value":{"colorSpace":"display-p3","components":[1.2,-0.1,0]}},"d":{"$value":{"colorSpace":"oklch","components":[0.7,0.1,20]}},"e":{"$value":{"colorSpace":"hsl","components":[200,50,50]}}}`,
			`{"$type":"color","a":{"$value":{"colorSpace":"srgb","components":[255,102,0]}},"b":{"$value":{"colorSpace":"oklch","components":[70,0.1,20]}},"c":{"$value":{"colorSpace":"display-p3","components":[1.2,-0.1,0]}},"d":{"$value":{"colorSpace":"oklch","components":[0.7,0.1,20]}},"e":{"$value":{"colorSpace":"hsl","components":[200,50,50]}}}`,
			`/a 255 in [255,102,0]: srgb has components from 0 to 1; /b 70 in [70,0.1,20]: oklch has components from 0 to 1`,
		},
		{"a circle of aliases ends", `{"a":{"$type":"brand","$value":"{b}"},"b":{"$type":"color","$value":"{a}"}}`, `{"a":{"$type":"color","$value":"{b}"},"b":{"$type":"color","$value":"{a}"}}`, `/a $type "brand" is not known: the type of b counts, color`},
	}
	for _, c := range cases {
		got := Document(tokentreetest.Parse(t, c.text))
		var said []string
		for _, one := range got.Problems {
			said = append(said, one.Pointer+" "+one.Message)
		}
		if text := string(jsontree.Append(nil, got.Tree)); text != c.want || strings.Join(said, "; ") != c.said {
			t.Errorf("%s: Document(%s) =\n%s %s, want\n%s %s", c.rule, c.text, text, strings.Join(said, "; "), c.want, c.said)
		}
	}
}

// TestNoTokenIsLostByRepair: whatever the document, each token is there afterwards, the original is as it was, and a
// second repair finds nothing more.
func TestNoTokenIsLostByRepair(t *testing.T) {
	types := rapid.SampledFrom([]string{"", "color", "dimension", "number", "math", "font-family", "Spacing"})
	values := rapid.SampledFrom([]string{`"#fff"`, `"4px"`, `1`, `"x"`, `null`, `{"q":1}`, `"{a}"`, `"{b.c}"`, `"{b.0.5}"`, `["{a}"]`})
	names := rapid.SampledFrom([]string{"0-5", "0.6", "{", "}"})
	rapid.Check(t, func(t *rapid.T) {
		token := func(label string) string {
			kind := types.Draw(t, label)
			if kind != "" {
				kind = `"$type":"` + kind + `",`
			}
			return `{` + kind + `"$value":` + values.Draw(t, label) + `}`
		}
		text := `{"a":` + token("a") + `,"b":{"$type":"` + types.Draw(t, "group") + `","c":` + token("c") + `,"0.5":` + token("n") + `,"` + names.Draw(t, "name") + `":` + token("o") + `}}`
		root, err := jsontree.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		done := Document(root)
		if string(jsontree.Append(nil, root)) != text {
			t.Fatalf("Document(%s) changed it", text)
		}
		if got := len(dtcg.Read(done.Tree).Tokens); got != 4 {
			t.Fatalf("Document(%s) has %d tokens, want 4", text, got)
		}
		isTaken := func(p model.Problem) bool { return p.Kind == takenNames || p.Kind == liveColors } // which stay
		if again := slices.DeleteFunc(Document(done.Tree).Problems, isTaken); len(again) > 0 {
			t.Fatalf("Document(Document(%s)) = %v, want nothing", text, again)
		}
	})
}

// TestColoursThatOnlyABrowserCanComputeAreNamed: and aliases of them.
func TestColoursThatOnlyABrowserCanComputeAreNamed(t *testing.T) {
	var named []string
	for _, c := range Document(tokentreetest.Parse(t, `{"$type":"color","a":{"$value":"currentColor"},"b":{"$value":"{a}"},"c":{"$value":"color-mix(in srgb, {d}, blue)"},"d":{"$value":"red"},"e":{"$value":"wrong"}}`)).Problems {
		named = append(named, c.Path)
	}
	if want := []string{"a", "b", "c"}; !slices.Equal(named, want) {
		t.Errorf("live are %q, want %q", named, want)
	}
}
