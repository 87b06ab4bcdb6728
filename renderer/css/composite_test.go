package css_test

import (
	"testing"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

func TestBorder(t *testing.T) {
	check(t, css.Border, []row{
		{"2025.10 form", `{"color":{"colorSpace":"srgb","components":[0.2,0.2,0.2]},"width":{"value":3,"unit":"px"},"style":"solid"}`, `3px solid #333333`, ``},
		{"older forms", `{"color":"#36363600","width":"3px","style":"dashed"}`, `3px dashed #36363600`, `"3px dashed rgba(54, 54, 54, 0)"`},
		{"mixed forms", `{"color":"red","width":1,"style":{"dashArray":[]}}`, `1px dashed red`, `"1px dashed #ff0000"`},
		{"no style is solid", `{"color":"red","width":"thin"}`, `thin solid red`, `"thin solid #ff0000"`},
		{"no colour", `{"width":"1px","style":"solid"}`, ``, ``},
		{"no width", `{"color":"red","style":"solid"}`, ``, ``},
		{"a negative width", `{"color":"red","width":"-1px"}`, ``, ``},
		{"a width in percent", `{"color":"red","width":"10%"}`, ``, ``},
		{"a CSS-wide keyword within", `{"color":"inherit","width":"1px"}`, ``, ``},
		{"a member null", `{"color":"red","width":"1px","style":null}`, ``, ``},
		{"a string", `"1PX  Solid rgb(0 0 0 / 0.5)"`, `1px solid rgb(0 0 0 / 0.5)`, `"1px solid rgba(0, 0, 0, 0.5)"`},
		{"a string in another order", `"red 0 dashed"`, `red 0px dashed`, `"#ff0000 0px dashed"`},
		{"none", `"None"`, `none`, ``},
		{"custom properties in a string", `"var(--w) solid var(--c)"`, `var(--w) solid var(--c)`, ``},
		{"two widths", `"1px 2px solid"`, ``, ``},
		{"a word", `"1px solid reddish"`, ``, ``},
		{"an array", `[]`, ``, ``},
	})
}

func TestTransition(t *testing.T) {
	check(t, css.Transition, []row{
		{"2025.10 form", `{"duration":{"value":200,"unit":"ms"},"delay":{"value":0,"unit":"ms"},"timingFunction":[0.5,0,1,1]}`, `200ms cubic-bezier(0.5, 0, 1, 1) 0ms`, ``},
		{"older forms", `{"duration":"1.5s","delay":"-100ms","timingFunction":"ease-in"}`, `1.5s ease-in -100ms`, ``},
		{"no delay", `{"duration":200,"timingFunction":"ease"}`, `200ms ease`, ``},
		{"no easing", `{"duration":200}`, `200ms`, ``},
		{"no duration", `{"timingFunction":"ease"}`, ``, ``},
		{"a negative duration", `{"duration":"-1s"}`, ``, ``},
		{"an easing that is none", `{"duration":"1s","timingFunction":"bouncy"}`, ``, ``},
		{"a string", `"opacity 200ms ease-in 0.1s, all 1s"`, `opacity 200ms ease-in 0.1s, all 1s`, ``},
		{"none", `"none"`, `none`, ``},
		{"a string without time", `"all ease"`, ``, ``},
		{"three times", `"1s 2s 3s"`, ``, ``},
		{"an empty layer", `"1s, "`, ``, ``},
	})
}

func TestShadow(t *testing.T) {
	check(t, css.Shadow, []row{
		{"2025.10 form", `{"color":{"colorSpace":"srgb","components":[0,0,0],"alpha":0.5},"offsetX":{"value":0,"unit":"px"},"offsetY":{"value":4,"unit":"px"},"blur":{"value":8,"unit":"px"},"spread":{"value":0,"unit":"px"}}`, `0px 4px 8px 0px rgba(0, 0, 0, 0.5)`, ``},
		{"inset", `{"color":"#000","offsetX":"0","offsetY":"1px","blur":"2px","spread":"0","inset":true}`, `inset 0px 1px 2px 0px #000`, `"inset 0px 1px 2px 0px #000000"`},
		{"inset in a string", `{"color":"#000000","offsetX":0,"offsetY":1,"inset":"true"}`, `inset 0px 1px 0px 0px #000000`, ``},
		{"not inset", `{"color":"#000000","offsetX":0,"offsetY":1,"inset":false,"type":"innerShadow"}`, `0px 1px 0px 0px #000000`, ``},
		{"layers", `[{"color":"#000000","offsetX":0,"offsetY":1},{"color":"#ffffff","offsetX":0,"offsetY":2,"inset":true}]`, `0px 1px 0px 0px #000000, inset 0px 2px 0px 0px #ffffff`, ``},
		{"a design tool's spelling", `{"x":"0","y":"-0.25rem","blur":"10","spread":"0","color":"rgba(0,0,0,0.4)","type":"innerShadow"}`, `inset 0px -0.25rem 10px 0px rgba(0,0,0,0.4)`, `"inset 0px -0.25rem 10px 0px rgba(0, 0, 0, 0.4)"`},
		{"a minus before an alias", `{"x":"0","y":"-calc(1px * 2)","color":"#000000"}`, `0px calc(-1 * calc(1px * 2)) 0px 0px #000000`, ``},
		{"no layers", `[]`, `none`, ``},
		{"none", `"None"`, `none`, ``},
		{"a string", `"0 1px 2px rgb(0 0 0 / 50%), inset 0 0 0 1px red"`, `0px 1px 2px rgb(0 0 0 / 50%), inset 0px 0px 0px 1px red`, `"0px 1px 2px rgba(0, 0, 0, 0.5), inset 0px 0px 0px 1px #ff0000"`},
		{"a colour first and inset last", `"#000000 0 1px inset"`, `inset 0px 1px #000000`, ``},
		{"a string as a layer", `["0 1px #000000",{"color":"#ffffff","offsetX":0,"offsetY":0}]`, `0px 1px #000000, 0px 0px 0px 0px #ffffff`, ``},
		{"a custom property", `"var(--shadow)"`, `var(--shadow)`, ``},
		{"no colour", `{"offsetX":0,"offsetY":0}`, ``, ``},
		{"no offset", `{"color":"red","offsetX":0}`, ``, ``},
		{"a negative blur", `{"color":"red","offsetX":0,"offsetY":0,"blur":-1}`, ``, ``},
		{"a negative blur in a string", `"0 0 -1px red"`, ``, ``},
		{"an offset in percent", `{"color":"red","offsetX":"10%","offsetY":0}`, ``, ``},
		{"lengths apart", `"0 red 1px"`, ``, ``},
		{"one length", `"1px red"`, ``, ``},
		{"none as a layer", `["none","0 0 red"]`, ``, ``},
		{"a layer that does not fit", `[{"color":"red","offsetX":0,"offsetY":0},1]`, ``, ``},
		{"a layer null", `[null]`, ``, ``},
		{"layers within layers", `[[]]`, ``, ``},
	})
}

func TestGradient(t *testing.T) {
	check(t, css.Gradient, []row{
		{"stops", `[{"color":"#0000ff","position":0},{"color":{"colorSpace":"srgb","components":[1,0,0]},"position":1}]`, `linear-gradient(90deg, #0000ff 0%, #ff0000 100%)`, ``},
		{"positions are clamped", `[{"color":"#0000ff","position":-99},{"color":"#ff0000","position":42}]`, `linear-gradient(90deg, #0000ff 0%, #ff0000 100%)`, ``},
		{"positions are percentages", `[{"color":"#0000ff","position":0.07},{"color":"#ff0000","position":"33.3%"},{"color":"#ff0000","position":"0.575"}]`, `linear-gradient(90deg, #0000ff 7%, #ff0000 33.3%, #ff0000 57.5%)`, ``},
		{"a position missing", `[{"color":"#0000ff"},"#ff0000"]`, `linear-gradient(90deg, #0000ff, #ff0000)`, ``},
		{"a single stop stands twice", `[{"color":"#0000ff","position":0.5}]`, `linear-gradient(90deg, #0000ff 50%, #0000ff 50%)`, ``},
		{"a function", `"radial-gradient(circle at 50% 50%, red, blue)"`, `radial-gradient(circle at 50% 50%, red, blue)`, `"radial-gradient(circle at 50% 50%, #ff0000, #0000ff)"`},
		{"functions over each other", `"linear-gradient(red, blue), conic-gradient(red, blue)"`, `linear-gradient(red, blue), conic-gradient(red, blue)`, `"linear-gradient(#ff0000, #0000ff), conic-gradient(#ff0000, #0000ff)"`},
		{"a text with wide colours", `"linear-gradient(in oklch 90deg, color(display-p3 1 0 0) 0%, var(--x))"`, `linear-gradient(in oklch 90deg, color(display-p3 1 0 0) 0%, var(--x))`, `"linear-gradient(in oklch 90deg, #ff0b0c 0%, var(--x))"`},
		{"no stops", `[]`, ``, ``},
		{"a stop without colour", `[{"position":1}]`, ``, ``},
		{"a position that is not a number", `[{"color":"red","position":"middle"}]`, ``, ``},
		{"a colour is not a gradient", `"red"`, ``, ``},
		{"an object", `{"stops":[]}`, ``, ``},
	})
}

func TestTypographyShorthand(t *testing.T) {
	check(t, css.Typography, []row{
		{"a string", `"italic 700 16px/1.5 Open Sans, sans-serif"`, `italic 700 16px/1.5 "Open Sans", sans-serif`, ``},
		{"a string of size and family", `"1rem Inter"`, `1rem Inter`, ``},
		{"a string without family", `"400 16px"`, ``, ``},
		{"a string without size", `"bold Inter"`, ``, ``},
	})
}

func TestTypographyDeclarations(t *testing.T) {
	rows := []struct {
		rule, json, want, js string
		misfit               bool
	}{
		{
			"shorthand and parts",
			`{"fontFamily":["Helvetica Neue","serif"],"fontSize":{"value":16,"unit":"px"},"fontWeight":"bold","letterSpacing":"0.1px","lineHeight":1.20}`,
			"  --t: 700 16px/1.2 \"Helvetica Neue\", serif;\n  --t-font-family: \"Helvetica Neue\", serif;\n  --t-font-size: 16px;\n" +
				"  --t-font-weight: 700;\n  --t-letter-spacing: 0.1px;\n  --t-line-height: 1.2;\n",
			`{"fontFamily":"\"Helvetica Neue\", serif","fontSize":"16px","fontWeight":700,"letterSpacing":"0.1px","lineHeight":1.2}`, false,
		},
		{
			"no shorthand without family", `{"fontSize":"1rem","lineHeight":"AUTO"}`,
			"  --t-font-size: 1rem;\n  --t-line-height: normal;\n", `{"fontSize":"1rem","lineHeight":"normal"}`, false,
		},
		{
			"no weight and no line height", `{"fontSize":16,"fontFamily":"Inter"}`,
			"  --t: 16px Inter;\n  --t-font-family: Inter;\n  --t-font-size: 16px;\n", `{"fontSize":"16px","fontFamily":"Inter"}`, false,
		},
		{
			"what fits is written, what does not is told", `{"fontSize":"1rem","fontFamily":"Inter","fontWeight":"chunky","textCase":"none"}`,
			"  --t-font-family: Inter;\n  --t-font-size: 1rem;\n", `{"fontSize":"1rem","fontFamily":"Inter"}`, true,
		},
		{"a line height in percent", `{"lineHeight":"150%"}`, "  --t-line-height: 150%;\n", `{"lineHeight":"150%"}`, false},
		{"a line height with a unit", `{"lineHeight":{"value":24,"unit":"px"}}`, "  --t-line-height: 24px;\n", `{"lineHeight":"24px"}`, false},
		{"negative sizes do not fit", `{"fontSize":"-1px","lineHeight":-1}`, "", "", true},
		{
			"a style leads the shorthand", `{"fontStyle":"Italic","fontWeight":400,"fontSize":"1rem","fontFamily":"Inter"}`,
			"  --t: italic 400 1rem Inter;\n  --t-font-family: Inter;\n  --t-font-size: 1rem;\n  --t-font-weight: 400;\n  --t-font-style: italic;\n",
			`{"fontStyle":"italic","fontWeight":400,"fontSize":"1rem","fontFamily":"Inter"}`, false,
		},
		{
			"the shorthand does not repeat its initial style", `{"fontSize":"1rem","fontFamily":"Inter","fontStyle":"normal"}`,
			"  --t: 1rem Inter;\n  --t-font-family: Inter;\n  --t-font-size: 1rem;\n  --t-font-style: normal;\n",
			`{"fontSize":"1rem","fontFamily":"Inter","fontStyle":"normal"}`, false,
		},
		{"a style alone is a part", `{"fontStyle":"oblique"}`, "  --t-font-style: oblique;\n", `{"fontStyle":"oblique"}`, false},
		{
			"what CSS does not know as a style is a member like any other", `{"fontSize":"1rem","fontFamily":"Inter","fontStyle":"Regular"}`,
			"  --t: 1rem Inter;\n  --t-font-family: Inter;\n  --t-font-size: 1rem;\n", `{"fontSize":"1rem","fontFamily":"Inter"}`, false,
		},
		{"a string is the shorthand", `"16px Inter"`, "  --t: 16px Inter;\n", `"16px Inter"`, false},
		{"no part", `{"textCase":"none"}`, "", "", true},
		{"a number", `1`, "", "", true},
	}
	for _, r := range rows {
		t.Run(r.rule, func(t *testing.T) {
			v := parse(t, r.json)
			got, failed := css.AppendDeclarations(nil, "--t", css.Typography, v)
			if string(got) != r.want || (failed != nil) != r.misfit {
				t.Errorf("AppendDeclarations = %s, %v, want %s, misfit %v", got, failed, r.want, r.misfit)
			}
			got, _ = css.AppendPrimitive(nil, css.Typography, v)
			if string(got) != r.js {
				t.Errorf("AppendPrimitive = %s, want %s", got, r.js)
			}
		})
	}
}

func TestDeclarations(t *testing.T) {
	rows := []struct {
		rule string
		k    css.Kind
		json string
		want string
	}{
		{"one line for a value", css.Color, `"red"`, "x  --t: red;\n"},
		{"a gradient has its stops", css.Gradient, `[{"color":"red","position":0},{"color":"blue","position":1}]`, "x  --t: linear-gradient(90deg, red 0%, blue 100%);\n  --t-stops: red 0%, blue 100%;\n"},
		{"a gradient of text has none", css.Gradient, `"linear-gradient(red, blue)"`, "x  --t: linear-gradient(red, blue);\n"},
		{"a misfit leaves nothing", css.Gradient, `[{"color":"reddish"}]`, "x"},
		{"a misfit leaves nothing of a value", css.Border, `{"width":"1px","style":"solid"}`, "x"},
	}
	for _, r := range rows {
		got, _ := css.AppendDeclarations([]byte("x"), "--t", r.k, parse(t, r.json))
		if string(got) != r.want {
			t.Errorf("%s: AppendDeclarations = %q, want %q", r.rule, got, r.want)
		}
	}
}

// Every function takes every node: none, and ones that no parser makes.
func TestAnyNodeIsAnswered(t *testing.T) {
	odd := []*jsontree.Node{
		nil,
		{},
		jsontree.NewArray(nil),
		jsontree.NewArray(nil, nil, nil, nil),
		jsontree.NewObject(jsontree.Member{Name: "color"}, jsontree.Member{Name: "width"}, jsontree.Member{Name: "style"}),
		jsontree.NewObject(jsontree.Member{Name: "colorSpace", Value: jsontree.NewString("srgb")}, jsontree.Member{Name: "components"}),
		jsontree.NewObject(jsontree.Member{Name: "value"}, jsontree.Member{Name: "unit"}),
		{Kind: jsontree.Number},
		{Kind: jsontree.Number, Text: "x"},
		jsontree.NewString("\xff\xfe"),
		{Kind: 99},
	}
	for k := css.Unknown; k <= css.NumberOrDimension+1; k++ {
		for _, v := range odd {
			css.Append(nil, k, v)
			css.AppendDeclarations(nil, "--t", k, v)
			css.AppendPrimitive(nil, k, v)
			css.FitsKind(k, v)
			css.InferType(v)
		}
	}
}
