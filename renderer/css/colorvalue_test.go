package css

import (
	"math"
	"testing"
)

// TestColorValues: a colour has the components that CSS Color 4's sample code computes, and the way back ends where it began.
func TestColorValues(t *testing.T) {
	t.Parallel()
	none := math.NaN()
	cases := []struct {
		text, space string
		want        [3]float64
		alpha       float64
	}{
		{"#ff0000", "lch", [3]float64{54.2906, 106.837, 40.8575}, 1},
		{"#ff000080", "hsl", [3]float64{0, 100, 50}, 0.5},
		{"rgb(0 85 170 / 0.5)", "hsl", [3]float64{210, 100, 33.3333}, 0.5},
		{"#808080", "lch", [3]float64{53.585, 0, none}, 1},
		{"white", "hsl", [3]float64{none, 0, 100}, 1},
		{"lime", "display-p3", [3]float64{0.458402, 0.985265, 0.298295}, 1},
		{"color(display-p3 0 1 0)", "srgb", [3]float64{-0.511579, 1.01827, -0.310673}, 1},
		{"rgba(#0055aa, 25%)", "srgb", [3]float64{0, 0.333333, 0.666667}, 0.25},
		{"oklch(0.5 none none)", "oklch", [3]float64{0.5, none, none}, 1},
	}
	near := func(a, b float64) bool { return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-3 }
	for _, c := range cases {
		v, ok := ParseColor(c.text)
		converted, known := v.In(c.space)
		got := converted.Components
		if !ok || !known || !near(got[0], c.want[0]) || !near(got[1], c.want[1]) || !near(got[2], c.want[2]) || converted.Alpha != c.alpha {
			t.Errorf("%s in %s = %+v, %t, want %v", c.text, c.space, converted, ok && known, c.want)
		}
		if back, ok := converted.In(v.Space); ok && string(back.AppendHex(nil)) != string(v.AppendHex(nil)) {
			t.Errorf("%s in %s and back = %s", c.text, c.space, back.AppendHex(nil))
		}
		if again, ok := ParseColor(string(converted.Append(nil))); c.space != "srgb" && (!ok || again.Space != c.space || !near(again.Components[0], got[0])) {
			t.Errorf("%s in %s = %s, which is parsed as %+v", c.text, c.space, converted.Append(nil), again)
		}
	}
	for _, text := range []string{"currentColor", "light-dark(red, blue)", "{a}", "", "12px"} {
		if v, ok := ParseColor(text); ok {
			t.Errorf("ParseColor(%s) = %+v, want that only a browser knows", text, v)
		}
	}
	if _, ok := (ColorValue{Space: "cmyk"}).In("srgb"); ok {
		t.Error("a colour of no space is converted")
	}
}
