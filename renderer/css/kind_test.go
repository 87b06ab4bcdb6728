package css_test

import (
	"testing"

	"example.com/livery/renderer/css"
)

func TestInferTypeGoesByShape(t *testing.T) {
	rows := []struct{ json, want string }{
		{`{"colorSpace":"srgb","components":[0,0,0]}`, "color"},
		{`{"value":1,"unit":"px"}`, "dimension"},
		{`{"value":1,"unit":"%"}`, "dimension"},
		{`{"value":1,"unit":"ms"}`, "duration"},
		{`{"value":1,"unit":"dp"}`, ""},
		{`[0,0,1,1]`, "cubicBezier"},
		{`[0,0,1]`, ""},
		{`[{"color":"red","position":0}]`, "gradient"},
		{`{"offsetX":"0","color":"red"}`, "shadow"},
		{`[{"offsetX":"0"},{"offsetX":"0"}]`, "shadow"},
		{`{"color":"red","width":"1px","style":"solid"}`, "border"},
		{`{"color":"red","width":"1px"}`, ""},
		{`{"duration":"1s","timingFunction":"ease"}`, "transition"},
		{`{"lineHeight":1}`, "typography"},
		{`{"dashArray":[]}`, "strokeStyle"},
		{`["Arial","serif"]`, "fontFamily"},
		{`[]`, ""},
		{`["Arial",1]`, ""},
		{`[null]`, ""},
		{`1.5`, "number"},
		{`true`, "boolean"},
		{`"#f00"`, "color"},
		{`"rgb(0 0 0)"`, "color"},
		{`"color-mix(in srgb, red, blue)"`, "color"},
		{`"currentColor"`, "color"},
		{`"red"`, "color"},
		{`"Field"`, ""},
		{`"inherit"`, ""},
		{`"var(--x)"`, ""},
		{`"16px"`, "dimension"},
		{`"-1.5rem"`, "dimension"},
		{`"50%"`, "dimension"},
		{`"200ms"`, "duration"},
		{`"2xl"`, ""},
		{`"16"`, ""},
		{`"cubic-bezier(0, 0, 1, 1)"`, "cubicBezier"},
		{`"hello"`, ""},
		{`""`, ""},
		{`null`, ""},
		{`{}`, ""},
	}
	for _, r := range rows {
		if got := css.InferType(parse(t, r.json)); got != r.want {
			t.Errorf("InferType(%s) = %q, want %q", r.json, got, r.want)
		}
	}
}

func TestFitsKindGoesByJSONKind(t *testing.T) {
	const object, array, pair, color = `{"a":1}`, `["a","b"]`, `{"value":1,"unit":"px"}`, `{"colorSpace":"x"}`
	values := []string{`null`, `"x"`, `"1.5"`, `1`, `true`, object, array, pair, color, `[1,2,3,4]`}
	rows := []struct {
		k    css.Kind
		fits []string
	}{
		{css.Color, []string{`"x"`, `"1.5"`, color}},
		{css.Dimension, []string{`"x"`, `"1.5"`, `1`, pair}},
		{css.Duration, []string{`"x"`, `"1.5"`, `1`, pair}},
		{css.NumberOrDimension, []string{`"x"`, `"1.5"`, `1`, pair}},
		{css.Number, []string{`"1.5"`, `1`}},
		{css.FontFamily, []string{`"x"`, `"1.5"`, array}},
		{css.FontWeight, []string{`"x"`, `"1.5"`, `1`}},
		{css.CubicBezier, []string{`"x"`, `"1.5"`, `[1,2,3,4]`}},
		{css.StrokeStyle, []string{`"x"`, `"1.5"`, object, pair, color}},
		{css.Border, []string{`"x"`, `"1.5"`, object, pair, color}},
		{css.Transition, []string{`"x"`, `"1.5"`, object, pair, color}},
		{css.Typography, []string{`"x"`, `"1.5"`, object, pair, color}},
		{css.Shadow, []string{`"x"`, `"1.5"`, object, array, pair, color, `[1,2,3,4]`}},
		{css.Gradient, []string{`"x"`, `"1.5"`, array, `[1,2,3,4]`}},
		{css.String, []string{`"x"`, `"1.5"`, `1`}},
		{css.Boolean, []string{`true`}},
		{css.Unknown, []string{`"x"`, `"1.5"`, `1`, `true`}},
	}
	for _, r := range rows {
		fits := map[string]bool{}
		for _, v := range r.fits {
			fits[v] = true
		}
		for _, v := range values {
			if got := css.FitsKind(r.k, parse(t, v)); got != fits[v] {
				t.Errorf("FitsKind(kind %d, %s) = %v, want %v", r.k, v, got, fits[v])
			}
		}
		if css.FitsKind(r.k, nil) {
			t.Errorf("FitsKind(kind %d, nil) = true", r.k)
		}
	}
}
