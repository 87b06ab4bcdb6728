//go:build browser

package browser

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"example.com/livery/renderer"
	"example.com/livery/renderer/modesheet"
)

//go:embed modes.js
var modesScript string

// modesCase is a Theme with modes.
type modesCase struct {
	document string
	dims     []modesheet.Dimension
	maps     [][]map[string]any // overrides by dimension and mode
}

// flat is tokens.css of one combination.
func (c modesCase) flat(t *testing.T, choice []int) []byte {
	t.Helper()
	merged := map[string]any{}
	for i, mode := range choice {
		if mode >= 0 {
			for path, value := range c.maps[i][mode] {
				merged[path] = value
			}
		}
	}
	text, err := json.Marshal(merged)
	if err != nil {
		t.Fatal(err)
	}
	set, err := renderer.Load(c.document, string(text), "")
	if err != nil {
		t.Fatal(err)
	}
	return set.Append(nil, renderer.TokensCSS)
}

// sheet is the stylesheet of all modes, and the file of each combination by its choice.
func (c modesCase) sheet(t *testing.T) (sheet string, flats map[string]string) {
	t.Helper()
	none := slices.Repeat([]int{-1}, len(c.dims))
	base := c.flat(t, none)
	flats = map[string]string{choiceKey(none): string(base)}
	text, err := modesheet.Append(nil, base, c.dims, func(choice []int) ([]byte, error) {
		flat := c.flat(t, choice)
		flats[choiceKey(choice)] = string(flat)
		return flat, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text), flats
}

func choiceKey(choice []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(choice), " ", ","), "[]")
}

// media is one state of a page's media, and the mode of each dimension that it chooses, -1 for none.
type media struct {
	kind     string
	features map[string]string
	modes    []int
}

// check compares nested elements under each state of the media.
func (c modesCase) check(t *testing.T, trees int, states ...media) {
	t.Helper()
	ctx, cancel := context.WithTimeout(tab.tab, patience)
	defer cancel()
	sheet, flats := c.sheet(t)
	for n, state := range states {
		params := emulation.SetEmulatedMediaParams{Media: state.kind}
		for name, value := range state.features {
			params.Features = append(params.Features, &emulation.MediaFeature{Name: name, Value: value})
		}
		if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, params); err != nil {
			t.Fatal(err)
		}
		dims := make([]map[string]any, len(c.dims))
		for i, d := range c.dims {
			names, base := []string{}, []int{}
			for mode, m := range d.Modes {
				names = append(names, m.Name)
				if m.Variant == "" {
					base = append(base, mode)
				}
			}
			dims[i] = map[string]any{"name": d.Name, "modes": names, "base": base, "system": state.modes[i]}
		}
		input, err := json.Marshal(map[string]any{"sheet": sheet, "dims": dims, "flats": flats, "trees": trees, "seed": n + 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := tab.open(ctx, tab.pages.serve(testPage{css: "/* none */"})); err != nil {
			t.Fatal(err)
		}
		found, err := evaluate[struct {
			Compared  int      `json:"compared"`
			LightDark int      `json:"lightDark"`
			Wrong     []string `json:"wrong"`
		}](ctx, "("+modesScript+")("+string(input)+")")
		if err != nil {
			t.Fatal(err)
		}
		for _, wrong := range found.Wrong {
			t.Errorf("%v: %s", state, wrong)
		}
		if found.Compared == 0 || found.LightDark == 0 == c.dims[0].LightDark {
			t.Errorf("%d values were compared, %d with light-dark()", found.Compared, found.LightDark)
		}
		t.Logf("%v: %d values compared, sheet of %d bytes beside one file of %d", state, found.Compared, len(sheet), len(flats[choiceKey(slices.Repeat([]int{-1}, len(c.dims)))]))
	}
}

var (
	schemes   = modesheet.Dimension{Name: "scheme", Modes: []modesheet.Mode{{Name: "light"}, {Name: "dark", When: "(prefers-color-scheme: dark)", Variant: "dark"}}}
	contrasts = modesheet.Dimension{Name: "contrast", Modes: []modesheet.Mode{{Name: "normal"}, {Name: "more", When: "(prefers-contrast: more)", Variant: "more"}, {Name: "less", When: "(prefers-contrast: less)", Variant: "less"}}}
	densities = modesheet.Dimension{Name: "density", Modes: []modesheet.Mode{{Name: "compact", Variant: "compact"}, {Name: "wide", When: "print", Variant: "wide"}}}
	motions   = modesheet.Dimension{Name: "motion", Modes: []modesheet.Mode{{Name: "full"}, {Name: "less", When: "(prefers-reduced-motion: reduce)", Variant: "less"}, {Name: "forced", When: "(forced-colors: active)", Variant: "forced"}}}
)

// The states of the media for the four dimensions above.
var states = []media{
	{"", nil, []int{-1, -1, -1, -1}},
	{"", map[string]string{"prefers-color-scheme": "dark"}, []int{1, -1, -1, -1}},
	{"", map[string]string{"prefers-color-scheme": "dark", "prefers-contrast": "more"}, []int{1, 1, -1, -1}},
	{"print", map[string]string{"prefers-contrast": "less", "prefers-reduced-motion": "reduce"}, []int{-1, 2, 1, 1}},
	{"", map[string]string{"prefers-reduced-motion": "reduce", "forced-colors": "active"}, []int{-1, -1, -1, 2}},
}

// Each token of each combination of the modes of up to four dimensions is on nested elements what the file of the
// combination says, for random Themes with aliases, tokens that vanish and values that refer to each other.
func TestModesOfNestedElements(t *testing.T) {
	all := []modesheet.Dimension{schemes, contrasts, densities, motions}
	for k := 1; k <= len(all); k++ {
		for seed := range 6 {
			t.Run(fmt.Sprintf("%d dimensions, seed %d", k, seed), func(t *testing.T) {
				c := randomModes(rand.New(rand.NewPCG(uint64(seed), uint64(k))), all[:k])
				var some []media
				for _, s := range states {
					some = append(some, media{s.kind, s.features, s.modes[:k]})
				}
				c.check(t, 12, some...)
			})
		}
	}
}

// The same with light-dark() for the first dimension, which then decides the scheme of each element.
func TestLightDarkOfNestedElements(t *testing.T) {
	all := []modesheet.Dimension{schemes, contrasts, densities}
	all[0].LightDark = true
	for k := 1; k <= len(all); k++ {
		for seed := range 3 {
			t.Run(fmt.Sprintf("%d dimensions, seed %d", k, seed), func(t *testing.T) {
				c := randomModes(rand.New(rand.NewPCG(uint64(seed), uint64(10+k))), all[:k])
				c.maps[0][1]["t.n0"] = "#abcdef"
				c.document = strings.Replace(c.document, `"n0":{"$type":"color","$value":`, `"n0":{"$type":"color","$value":"#012345","was":`, 1)
				var some []media
				for _, s := range states[:3] {
					some = append(some, media{s.kind, s.features, s.modes[:k]})
				}
				c.check(t, 12, some...)
			})
		}
	}
}

func randomModes(random *rand.Rand, dims []modesheet.Dimension) modesCase {
	const tokens = 24
	value := func() any {
		switch random.IntN(4) {
		case 0:
			return fmt.Sprintf("{t.n%d}", random.IntN(tokens))
		case 1:
			return fmt.Sprintf("var(--t-n%d)", random.IntN(tokens))
		default:
			return fmt.Sprintf("#%06x", random.IntN(1<<24))
		}
	}
	group := map[string]any{}
	for i := range tokens {
		group[fmt.Sprintf("n%d", i)] = map[string]any{"$type": "color", "$value": value()}
	}
	text, _ := json.Marshal(map[string]any{"t": group})
	c := modesCase{document: string(text), dims: dims}
	for _, d := range dims {
		var maps []map[string]any
		for _, m := range d.Modes {
			overrides := map[string]any{}
			for range random.IntN(8) {
				if m.Variant != "" {
					overrides[fmt.Sprintf("t.n%d", random.IntN(tokens))] = value()
				}
			}
			maps = append(maps, overrides)
		}
		c.maps = append(c.maps, maps)
	}
	return c
}

// A real design system: a scheme and a contrast.
func TestModesOfPrimer(t *testing.T) {
	dir := filepath.Join("..", "..", "..", "shared", "corpus")
	read := func(name string) (object map[string]any, text string) {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Skipf("NOT PROVEN: %v", err)
		}
		if err := json.Unmarshal(b, &object); err != nil {
			t.Fatal(err)
		}
		return object, string(b)
	}
	_, document := read("github-primer.tokens.json")
	dark, _ := read("github-primer.variant-dark.json")
	darkMore, _ := read("github-primer.variant-dark-hc.json")
	more := map[string]any{}
	for path, value := range darkMore {
		if fmt.Sprint(value) != fmt.Sprint(dark[path]) {
			more[path] = value
		}
	}
	two := modesheet.Dimension{Name: contrasts.Name, Modes: contrasts.Modes[:2]}
	c := modesCase{document: document, dims: []modesheet.Dimension{schemes, two}, maps: [][]map[string]any{{{}, dark}, {{}, more}}}
	light, both := media{"", nil, []int{-1, -1}}, media{"", map[string]string{"prefers-color-scheme": "dark", "prefers-contrast": "more"}, []int{1, 1}}
	c.check(t, 3, light, both)
	c.dims[0].LightDark = true
	c.check(t, 1, light, both)
}

// Values of several schemes that refer to each other in a circle, of which no scheme has the whole.
func TestModesThatReferToEachOther(t *testing.T) {
	c := modesCase{
		document: `{"t":{"a":{"$type":"color","$value":"var(--t-b)"},"b":{"$type":"color","$value":"#010203"},"c":{"$type":"color","$value":"var(--t-a)"}}}`,
		dims:     []modesheet.Dimension{schemes},
		maps:     [][]map[string]any{{{}, {"t.a": "#040506", "t.b": "var(--t-c)"}}},
	}
	c.check(t, 3, media{"", nil, []int{-1}}, media{"", map[string]string{"prefers-color-scheme": "dark"}, []int{1}})
}
