package color

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"

	"example.com/livery/renderer"
)

// rgb is a colour in 8-bit sRGB.
type rgb [3]int

// sample is a colour in the space it is written in, as DTCG counts its components.
type sample struct {
	Space      string     `json:"space"`
	Components [3]float64 `json:"components"`
}

// space says from where to where the components of random colours go. The wide ones reach what no
// screen shows.
type space struct {
	name       string
	near, wide [3][2]float64
}

var (
	unit     = [3][2]float64{{0, 1}, {0, 1}, {0, 1}}
	over     = [3][2]float64{{-0.5, 1.5}, {-0.5, 1.5}, {-0.5, 1.5}}
	hue      = [2]float64{-90, 450}
	percent  = [2]float64{0, 100}
	rgbSpace = func(name string) space { return space{name, unit, over} }
)

var spaces = []space{
	rgbSpace("srgb"), rgbSpace("srgb-linear"),
	{"hsl", [3][2]float64{hue, percent, percent}, [3][2]float64{hue, {0, 140}, {-20, 120}}},
	{"hwb", [3][2]float64{hue, percent, percent}, [3][2]float64{hue, {0, 60}, {0, 60}}},
	{"lab", [3][2]float64{percent, {-50, 50}, {-50, 50}}, [3][2]float64{percent, {-160, 160}, {-160, 160}}},
	{"lch", [3][2]float64{percent, {0, 50}, hue}, [3][2]float64{percent, {0, 200}, hue}},
	{"oklab", [3][2]float64{{0, 1}, {-0.12, 0.12}, {-0.12, 0.12}}, [3][2]float64{{0, 1}, {-0.5, 0.5}, {-0.5, 0.5}}},
	{"oklch", [3][2]float64{{0, 1}, {0, 0.12}, hue}, [3][2]float64{{0, 1}, {0, 0.5}, hue}},
	rgbSpace("display-p3"), rgbSpace("a98-rgb"), rgbSpace("prophoto-rgb"), rgbSpace("rec2020"),
	{"xyz-d65", [3][2]float64{{0, 0.95}, {0, 1}, {0, 1.09}}, over},
	{"xyz-d50", [3][2]float64{{0, 0.96}, {0, 1}, {0, 0.82}}, over},
}

// decimals is how many digits a random component has after its point: what people and tools write.
const decimals = 1e4

// samples returns the corners of every space and as many random colours of each, the same in every run.
func samples(each int) []sample {
	random := rand.New(rand.NewPCG(4, 2025))
	var all []sample
	for _, s := range spaces {
		for corner := range 8 {
			var c [3]float64
			for i := range c {
				c[i] = s.near[i][corner>>i&1]
			}
			all = append(all, sample{s.name, c})
		}
		for n := range each {
			limits := s.near
			if n%2 == 1 {
				limits = s.wide
			}
			var c [3]float64
			for i, limit := range limits {
				c[i] = math.Round((limit[0]+random.Float64()*(limit[1]-limit[0]))*decimals) / decimals
			}
			all = append(all, sample{s.name, c})
		}
	}
	return all
}

// render returns what tokens.values.json holds of each colour.
func render(colors []sample) ([]rgb, error) {
	theme := map[string]any{}
	for i, c := range colors {
		theme[fmt.Sprint("c", i)] = map[string]any{"$type": "color", "$value": map[string]any{"colorSpace": c.Space, "components": c.Components}}
	}
	text, err := json.Marshal(theme)
	if err != nil {
		return nil, err
	}
	set, err := renderer.Load(string(text), "", "")
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	if err := json.Unmarshal(set.Append(nil, renderer.TokensValuesJSON), &values); err != nil {
		return nil, fmt.Errorf("tokens.values.json: %w", err)
	}
	ours := make([]rgb, len(colors))
	for i := range colors {
		if ours[i], err = readHex(values[fmt.Sprint("c", i)]); err != nil {
			return nil, fmt.Errorf("%v: %w", colors[i], err)
		}
	}
	return ours, nil
}

// readHex reads "#rrggbb".
func readHex(s string) (rgb, error) {
	if len(s) != 7 || s[0] != '#' {
		return rgb{}, fmt.Errorf("%q is not a colour of six digits", s)
	}
	b, err := hex.DecodeString(s[1:])
	if err != nil {
		return rgb{}, err
	}
	return rgb{int(b[0]), int(b[1]), int(b[2])}, nil
}
