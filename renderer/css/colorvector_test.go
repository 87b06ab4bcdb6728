package css_test

import (
	"strings"
	"testing"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

// The sample values of CSS Color 4 (sections 9.2, 9.3 and 10.2) and those of its web platform tests:
// one sRGB colour as the specification and its tests spell it in every space.
var publishedColors = []struct {
	hex   string
	texts string // one a line
}{
	{"#7d2329", `lab(29.2345% 39.3825 20.0664)
		lch(29.2345% 44.2 27)
		oklab(40.101% 0.1147 0.0453)
		oklch(40.101% 0.12332 21.555)`},
	{"#c65d06", `lab(52.2345% 40.1645 59.9971)
		lch(52.2345% 72.2 56.2)
		oklch(59.686% 0.15619 49.7694)`},
	{"#c65d07", `oklab(59.686% 0.1009 0.1192)`}, // the same colour with fewer digits
	{"#9d9318", `lab(60.2345% -5.3654 58.956)
		lch(60.2345% 59.2 95.2)
		oklab(0.65125 -0.0320 0.1274)
		oklch(0.65125 0.13138 104.097)`},
	{"#68a639", `lab(62.2345% -34.9638 47.7721)
		lch(62.2345% 59.2 126.2)
		oklab(66.016% -0.1084 0.1114)
		oklch(0.66016 0.15546 134.231)`},
	{"#62acef", `lab(67.5345% -8.6911 -41.6019)
		lch(67.5345% 42.5 258.2)
		oklab(72.322% -0.0465 -0.1150)
		oklch(72.322% 0.12403 247.996)`},
	{"#008000", `green
		lab(46.2775% -47.5621 48.5837)
		lch(46.2775% 67.9892 134.3912)
		oklab(51.975% -0.1403 0.10768)
		oklch(51.975% 0.17686 142.495)
		hwb(120 0% 49.8039%)
		hsl(120 100% 25.0980%)
		color(srgb 0 0.501961 0)
		color(srgb-linear 0 0.21586 0)
		color(display-p3 0.21604 0.49418 0.13151)
		color(a98-rgb 0.281363 0.498012 0.116746)
		color(prophoto-rgb 0.230479 0.395789 0.129968)
		color(xyz 0.07719 0.15438 0.02573)
		color(xyz-d65 0.07719 0.15438 0.02573)
		color(xyz-d50 0.08312 0.154746 0.020961)`},
	{"#ff0000", `red
		lab(54.2905 80.8049 69.891)
		lch(54.2905 106.8372 40.8576)
		oklab(0.62796 0.22486 0.12585)
		oklch(0.62796 0.25768 29.2339)
		color(display-p3 0.91749 0.20029 0.13856)
		color(xyz-d65 0.41239 0.21264 0.01933)`},
	{"#00ff00", `lime
		lab(87.8185 -79.2711 80.9946)
		oklab(0.86644 -0.23389 0.1795)
		oklch(0.86644 0.29483 142.4953)`},
	{"#0000ff", `blue
		lab(29.5683 68.2874 -112.0297)
		lch(29.5683 131.2014 301.3643)
		oklab(0.45201 -0.03246 -0.31153)
		oklch(0.45201 0.31321 264.0520)`},
	{"#ffffff", `white
		lab(100 0 0)
		oklab(1 0 0)
		color(xyz-d50 0.9643 1 0.8251)
		color(xyz-d65 0.95046 1 1.08906)
		color(display-p3 1 1 1)
		color(rec2020 1 1 1)
		color(prophoto-rgb 1 1 1)
		color(a98-rgb 1 1 1)`},
	{"#1bc1a9", `lab(70% -45 0)
		lch(70% 45 180)`},
	{"#c3a90e", `lab(70% 0 70)
		lch(70% 70 90)`},
	{"#2187ed", `lab(55% 0 -60)
		lch(55% 60 270)`},
}

func TestPublishedColors(t *testing.T) {
	for _, c := range publishedColors {
		for text := range strings.Lines(c.texts) {
			text = strings.TrimSpace(text)
			got, misfit := css.AppendPrimitive(nil, css.Color, jsontree.NewString(text))
			if string(got) != `"`+c.hex+`"` {
				t.Errorf("%s = %s, %v, want %s", text, got, misfit, c.hex)
			}
		}
	}
}
