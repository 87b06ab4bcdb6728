package modes_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/origin/modes"
	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/modesheet"
	"example.com/livery/storage/record"
)

func parse(t interface{ Fatal(...any) }, text string) *jsontree.Node {
	n, err := jsontree.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A list is read as it is shown, and one without entries is none.
func TestListsAreReadAsTheyAreShown(t *testing.T) {
	list, faults := modes.Parse(parse(t, `{"modes":[{"dimension":"scheme","mode":"light","variant":null,"when":null},
		{"mode":"dark-2","dimension":"scheme","variant":"v","when":"print","for":"b","more":1}]}`))
	want := []record.Mode{{Dimension: "scheme", Mode: "light"}, {Dimension: "scheme", Mode: "dark-2", Variant: "v", When: "print", For: "b"}}
	if !reflect.DeepEqual(list, want) || faults != nil {
		t.Errorf("Parse() = %+v, %q, want %+v", list, faults, want)
	}
	body := modes.NewBody(want)
	if len(body.Modes) != 2 || body.Modes[0].Variant != nil || *body.Modes[1].Variant != "v" || body.Modes[1].For != "b" || body.Modes[1].When != "print" {
		t.Errorf("NewBody() = %+v", body)
	}
	if list, faults := modes.Parse(parse(t, `{"modes":[]}`)); list != nil || faults != nil {
		t.Errorf("Parse() of an empty list = %v, %q", list, faults)
	}
	if got, want := modes.Variants(want), []string{"v", "b"}; !slices.Equal(got, want) {
		t.Errorf("Variants() = %v, want %v", got, want)
	}
}

// Each fault names its entry and says what is right.
func TestFaultsNameTheEntry(t *testing.T) {
	entry := func(text string) string {
		return `{"modes":[{"dimension":"a","mode":"b","variant":null},` + text + `]}`
	}
	many := func(n int, of string) string {
		var all []string
		for i := range n {
			all = append(all, strings.ReplaceAll(of, "#", fmt.Sprint(i)))
		}
		return `{"modes":[` + strings.Join(all, ",") + `]}`
	}
	for _, tt := range []struct{ body, want string }{
		{`{}`, "modes: must be a list"},
		{`{"modes":{}}`, "modes: must be a list"},
		{entry(`1`), "modes[1]: must be an object"},
		{entry(`{"mode":"b","variant":null}`), "modes[1]: dimension: must be 1 to 32 of a-z, 0-9 and -"},
		{entry(`{"dimension":"A","mode":"b","variant":null}`), "modes[1]: dimension: must be"},
		{entry(`{"dimension":"a\"]{}","mode":"b","variant":null}`), "modes[1]: dimension: must be"},
		{entry(`{"dimension":"a","mode":"1b","variant":null}`), "modes[1]: mode: must be"},
		{entry(`{"dimension":"a","mode":"b\n","variant":null}`), "modes[1]: mode: must be"},
		{entry(`{"dimension":"a","mode":"` + strings.Repeat("b", 33) + `","variant":null}`), "modes[1]: mode: must be"},
		{entry(`{"dimension":"a","mode":"c"}`), "modes[1]: variant: must be the id"},
		{entry(`{"dimension":"a","mode":"c","variant":""}`), "modes[1]: variant: must be the id"},
		{entry(`{"dimension":"a","mode":"c","variant":1}`), "modes[1]: variant: must be the id"},
		{entry(`{"dimension":"a","mode":"c","variant":null,"when":"(min-width: 1px)"}`), "modes[1]: when: must be one of (prefers-color-scheme: dark)"},
		{entry(`{"dimension":"a","mode":"c","variant":null,"when":""}`), "modes[1]: when: must be"},
		{entry(`{"dimension":"a","mode":"c","variant":null,"for":""}`), "modes[1]: for: must be"},
		{entry(`{"dimension":"a","mode":"c","variant":null,"for":{}}`), "modes[1]: for: must be"},
		{entry(`{"dimension":"a","mode":"b","variant":"v"}`), "modes[1]: a.b stands at modes[0] already"},
		{entry(`{"dimension":"a","mode":"b","variant":"v","for":"x","when":"print"}`), "modes[1]: when: differs from that of modes[0]"},
		{many(5, `{"dimension":"d#","mode":"b","variant":null}`), "modes: a Theme may have 4 dimensions, not 5"},
		{many(17, `{"dimension":"d","mode":"m#","variant":null}`), "modes: a Theme may have 16 modes, not 17"},
		{many(1001, `{"dimension":"d","mode":"m","variant":null,"for":"b#"}`), "modes: may hold 1000 entries, not 1001"},
	} {
		if _, faults := modes.Parse(parse(t, tt.body)); len(faults) != 1 || !strings.HasPrefix(faults[0], tt.want) {
			t.Errorf("Parse(%.200s) has the faults %q, want %q", tt.body, faults, tt.want)
		}
	}
	for _, body := range []string{
		many(1000, `{"dimension":"d","mode":"m","variant":null,"for":"b#"}`), many(16, `{"dimension":"d","mode":"m#","variant":null}`),
		many(4, `{"dimension":"d#","mode":"b","variant":null}`), entry(`{"dimension":"a","mode":"b","variant":"v","for":"x"}`),
	} {
		if _, faults := modes.Parse(parse(t, body)); faults != nil {
			t.Errorf("Parse(%.200s) has the faults %q", body, faults)
		}
	}
}

var list = []record.Mode{
	{Dimension: "scheme", Mode: "light"},
	{Dimension: "contrast", Mode: "more", Variant: "more", When: "(prefers-contrast: more)"},
	{Dimension: "scheme", Mode: "dark", Variant: "acme-dark", When: "print", For: "acme"},
	{Dimension: "scheme", Mode: "dark", Variant: "dark", When: "print"},
	{Dimension: "scheme", Mode: "dark", Variant: "", When: "print", For: "plain"},
	{Dimension: "contrast", Mode: "less", Variant: "acme-less", For: "acme"},
}

// A brand's entry takes the place of the general one; a mode that only other brands have overrides nothing.
func TestBrandsHaveTheirOwnModes(t *testing.T) {
	for brand, want := range map[string]string{
		"":      "[{scheme [{light  } {dark print dark}]} {contrast [{more (prefers-contrast: more) more} {less  }]}]",
		"other": "[{scheme [{light  } {dark print dark}]} {contrast [{more (prefers-contrast: more) more} {less  }]}]",
		"acme":  "[{scheme [{light  } {dark print acme-dark}]} {contrast [{more (prefers-contrast: more) more} {less  acme-less}]}]",
		"plain": "[{scheme [{light  } {dark print }]} {contrast [{more (prefers-contrast: more) more} {less  }]}]",
	} {
		if got := spelled(modes.Of(list, brand)); got != want {
			t.Errorf("Of(%q) = %s, want %s", brand, got, want)
		}
	}
}

// spelled prints dimensions, those with light-dark() with "~" behind them.
func spelled(all []modesheet.Dimension) string {
	return strings.NewReplacer("] false}", "]}", "] true}", "]}~").Replace(fmt.Sprint(all))
}

// A value names dimensions or single modes, each once, in the order of the Theme; everything else names nothing.
func TestValuesHaveOneSpelling(t *testing.T) {
	all := modes.Of(list, "")
	for value, want := range map[string]string{
		"scheme":                     "true [{scheme [{light  } {dark print dark}]}]",
		"scheme~light-dark,contrast": "true [{scheme [{light  } {dark print dark}]}~ {contrast [{more (prefers-contrast: more) more} {less  }]}]",
		"scheme,contrast":            "true [{scheme [{light  } {dark print dark}]} {contrast [{more (prefers-contrast: more) more} {less  }]}]",
		"contrast":                   "true [{contrast [{more (prefers-contrast: more) more} {less  }]}]",
		"scheme.dark":                "false [{scheme [{dark print dark}]}]",
		"scheme.light,contrast.less": "false [{scheme [{light  }]} {contrast [{less  }]}]",
	} {
		chosen, conditional, ok := modes.Select(all, value)
		if got := fmt.Sprint(conditional, " ", spelled(chosen)); got != want || !ok {
			t.Errorf("Select(%q) = %s, %v, want %s", value, got, ok, want)
		}
	}
	for _, value := range []string{
		"", ",", "scheme,", ",scheme", "contrast,scheme", "scheme,scheme", "scheme.dark,scheme.light", "scheme.dark,scheme.dark", "scheme,contrast.more",
		"scheme.dark,contrast", "scheme.", ".dark",
		"contrast~light-dark", "scheme,contrast~light-dark", "scheme~light-dark,contrast~light-dark", "scheme.dark~light-dark", "scheme~light-dark.dark", "~light-dark", "scheme~", "scheme.none", "scheme.dark.", "scheme.dark.x", "Scheme", "scheme ", "contrast.more,scheme.dark", "other",
		strings.Repeat("scheme,", 1000) + "scheme",
	} {
		if chosen, _, ok := modes.Select(all, value); ok {
			t.Errorf("Select(%q) = %v, want nothing", value, chosen)
		}
	}
	for _, mode := range []string{"light", "dark"} {
		one := modes.Of([]record.Mode{{Dimension: "scheme", Mode: mode, Variant: "v"}}, "")
		if chosen, _, ok := modes.Select(one, "scheme~light-dark"); !ok || len(chosen[0].Modes) != 2 || chosen[0].Modes[1].Variant != "" || len(one[0].Modes) != 1 {
			t.Errorf("Select(scheme~light-dark) of %s alone = %v, %v, want the other mode beside it, without a Variant", mode, chosen, ok)
		}
	}
	if _, _, ok := modes.Select(nil, "scheme"); ok {
		t.Error("a Theme without modes has a dimension")
	}
}

func TestUseFindsModesAndBrands(t *testing.T) {
	for id, want := range map[string]bool{"dark": true, "acme": true, "plain": true, "acme-less": true, "none": false} {
		if got := modes.Use(list, id); got != want {
			t.Errorf("Use(%q) = %v, want %v", id, got, want)
		}
	}
}

// Maps laid over one another make the files of a Theme over which they are laid one after the other, whatever they hold:
// aliases into each other, groups, paths that the Theme lacks.
func TestMergedMapsMakeTheFilesOfTheSum(t *testing.T) {
	theme := `{"color":{"$type":"color","a":{"$value":"#111111"},"b":{"$value":"{color.a}"},"c":{"$value":"{color.b}"}},
		"size":{"$type":"dimension","s":{"$value":{"value":1,"unit":"px"}},"m":{"$value":"{size.s}"},"none":{"$value":"{size.gone}"}}}`
	paths := []string{"color.a", "color.b", "color.c", "color", "size.s", "size.m", "size.none", "size.gone", "no.such"}
	values := []string{`"#222222"`, `"#33333380"`, `"{color.a}"`, `"{color.c}"`, `{"value":2,"unit":"rem"}`, `"{size.s}"`, `null`, `"{size.m}"`}
	rapid.Check(t, func(t *rapid.T) {
		sum := map[string]string{}
		var order []string
		var maps []*jsontree.Node
		for range rapid.IntRange(0, 5).Draw(t, "maps") { // a brand and four modes
			var members []string
			for _, path := range rapid.SliceOfNDistinct(rapid.SampledFrom(paths), 0, 4, rapid.ID).Draw(t, "paths") {
				value := rapid.SampledFrom(values).Draw(t, "value")
				members = append(members, fmt.Sprintf("%q:%s", path, value))
				if _, known := sum[path]; !known {
					order = append(order, path)
				}
				sum[path] = value
			}
			maps = append(maps, parse(t, "{"+strings.Join(members, ",")+"}"))
		}
		var flat []string
		for _, path := range order {
			flat = append(flat, fmt.Sprintf("%q:%s", path, sum[path]))
		}
		want, err := renderer.Load(theme, "{"+strings.Join(flat, ",")+"}", "")
		if err != nil {
			t.Fatal(err)
		}
		got := renderer.LoadTree(parse(t, theme), modes.Merge(maps...), "")
		for f := range renderer.File(renderer.FileCount) {
			if g, w := string(got.Append(nil, f)), string(want.Append(nil, f)); g != w {
				t.Fatalf("%s = %s, want %s", f.Name(), g, w)
			}
		}
	})
}
