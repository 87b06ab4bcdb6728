package source_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokens/source"
	_ "example.com/livery/internal/test/sameseed" // make fuzz draws others
	"example.com/livery/renderer/jsontree"
)

// TestValuesInNoResultAreNamed: those of the default too, and by what the results have. What a later file of one mode
// replaces is lost; what sets and sources of a context are meant to be laid over is only named.
func TestValuesInNoResultAreNamed(t *testing.T) {
	t.Parallel()
	set := func(tokens string) string { // "bg 1, fg 2", each in a line of its own
		text := "{\n"
		for i, token := range strings.Split(tokens, ", ") {
			name, value, _ := strings.Cut(token, " ")
			text += strings.Repeat(",", min(i, 1)) + `"` + name + `":{"$type":"number","$value":` + value + "}\n"
		}
		return text + "}"
	}
	theme := func(group, name, sets string) string {
		return `{"name":"` + name + `","group":"` + group + `","selectedTokenSets":{"` + strings.ReplaceAll(sets, " ", `":"enabled","`) + `":"enabled"}}`
	}
	order := func(sets string) string { return `{"tokenSetOrder":["` + strings.ReplaceAll(sets, " ", `","`) + `"]}` }
	brands := "," + theme("Brand", "Acme", "acme") + "," + theme("Brand", "Globex", "globex") + "]"
	resolver := func(dark, normal, compact string) string {
		return `{"version":"2025.10","sets":{"top":{"sources":[{"$ref":"top.json"}]}},"modifiers":{"theme":{"default":"light","contexts":{"light":[{"$ref":"light.json"}],"dark":[` + dark + `]}},` +
			`"density":{"default":"normal","contexts":{"normal":[` + normal + `],"compact":[` + compact + `]}}},"resolutionOrder":[{"$ref":"#/modifiers/theme"},{"$ref":"#/modifiers/density"},{"$ref":"#/sets/top"}]}`
	}
	for _, c := range []struct {
		rule  string
		files map[string]string
		lost  string // places and values
		named string
	}{
		{
			rule: "a theme's set over the set of all themes",
			files: map[string]string{
				"base.json": set("bg 1, fg 2, both 3"), "light.json": set("bg 4, both 5"), "dark.json": set("both 6"), "$metadata.json": order("base light dark"),
				"$themes.json": "[" + theme("Mode", "Light", "base light") + "," + theme("Mode", "Dark", "base dark") + "]",
			},
			named: "base.json:4 3",
		},
		{
			rule: "a value that a later set has too",
			files: map[string]string{
				"base.json": set("bg 1"), "light.json": set("bg 1"), "dark.json": set("bg 2"), "$metadata.json": order("base light dark"),
				"$themes.json": "[" + theme("Mode", "Light", "base light") + "," + theme("Mode", "Dark", "base dark") + "]",
			},
		},
		{
			rule: "two sets of one theme",
			files: map[string]string{
				"light.json": set("bg 1"), "dark.json": set("bg 2"), "dark2.json": set("bg 3"), "$metadata.json": order("light dark dark2"),
				"$themes.json": "[" + theme("Mode", "Light", "light") + "," + theme("Mode", "Dark", "dark dark2") + "]",
			},
			named: "dark.json:2 2",
		},
		{
			rule: "sets of another group, but for what another choice has",
			files: map[string]string{
				"light.json": set("bg 1, fg 2"), "dark.json": set("bg 3, fg 4"), "acme.json": set("bg 5, fg 6"), "globex.json": set("bg 7"),
				"$metadata.json": order("light dark acme globex"),
				"$themes.json":   "[" + theme("Mode", "Light", "light") + "," + theme("Mode", "Dark", "dark") + brands,
			},
			named: "dark.json:2 3, light.json:2 1",
		},
		{
			rule: "sets that are modes by their names",
			files: map[string]string{
				"global.json": set("bg 1"), "light.json": set("bg 2, x 3, y 4"), "dark.json": set("bg 5"),
				"brands/acme.json": set("x 6, y 7"), "brands/globex.json": set("y 8"), "$metadata.json": order("global light dark brands/acme brands/globex"),
			},
			lost: "light.json:4 4", named: "global.json:2 1",
		},
		{
			rule: "files of one context, and a default context under a set",
			files: map[string]string{
				"light.json": set("bg 1, z 2"), "a.json": set("bg 3, x 4"), "b.json": set("bg 5, z 7"), "top.json": set("z 6"),
				"t.resolver.json": resolver(`{"$ref":"a.json"},{"$ref":"b.json"}`, "", ""),
			},
			lost: "b.json:3 7, light.json:3 2", named: "a.json:2 3",
		},
		{
			rule: "contexts under each context of a later modifier, but for what one of them lacks",
			files: map[string]string{
				"light.json": set("bg 1, x 2"), "dark.json": set("bg 8, x 9"), "normal.json": set("bg 3, x 4"), "compact.json": set("bg 5"), "top.json": set("y 6"),
				"t.resolver.json": resolver(`{"$ref":"dark.json"}`, `{"$ref":"normal.json"}`, `{"$ref":"compact.json"}`),
			},
			lost: "dark.json:2 8, light.json:2 1",
		},
	} {
		for _, kept := range []bool{false, true} { // a default that livery.yaml names, and the files would not have first
			dir := written(t, c.files)
			decided := func(all []tokenfile.Dimension) (modes []string) {
				for _, d := range all {
					modes = append(modes, d.Modes[len(d.Modes)-1])
				}
				return modes
			}
			if !kept {
				decided = nil
			}
			lost, named, _ := hiddenIn(t, dir, decided)
			slices.Sort(lost)
			slices.Sort(named)
			if strings.Join(lost, ", ") != c.lost || strings.Join(named, ", ") != c.named {
				t.Errorf("%s, kept %v: lost are %q, want %q, and named are %q, want %q", c.rule, kept, lost, c.lost, named, c.named)
			}
		}
	}
}

// TestReplacedSourcesAreNamedWithoutTheirModes: if no context shows them, and not if another may.
func TestReplacedSourcesAreNamedWithoutTheirModes(t *testing.T) {
	t.Parallel()
	const document = `{"version":"2025.10","sets":{"s":{"sources":[{"x":{"$value":1}},{"x":{"$value":2},"y":{"$value":3}}]}},
"modifiers":{"m":{"default":"a","contexts":{
"a":[{"y":{"$value":4},"z":{"$value":5}},
{"z":{"$value":6}}],
"b":[]}}},
"resolutionOrder":[{"$ref":"#/sets/s"},{"$ref":"#/modifiers/m"}]}`
	name := filepath.Join(written(t, map[string]string{"r.json": document}), "r.json")
	s, err := source.Theme(&term.App{}, []string{name}, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, c := range s.Concessions() {
		value, _, _ := strings.Cut(c.Message, ":")
		named = append(named, strings.TrimPrefix(c.Location, name)+" "+c.Path+" "+value)
	}
	if want := []string{":1 x 1", ":3 z 5"}; !slices.Equal(named, want) {
		t.Errorf("named are %q, want %q", named, want)
	}
}

// TestEachValueIsInAResultOrNamed: whatever sets the themes of Tokens Studio take, and which of them are the defaults.
func TestEachValueIsInAResultOrNamed(t *testing.T) {
	rapid.Check(t, func(draw *rapid.T) {
		files, places, taken := map[string]string{}, map[string]string{}, map[string]bool{} // places of values -> "x 1"
		order := []string{"a", "b", "c", "d"}
		for _, set := range order {
			text := "{"
			for i, value := range rapid.SliceOfN(rapid.IntRange(0, 3), 1, 3).Draw(draw, "values") {
				token := string(rune('x' + i))
				text += strings.Repeat(",", min(i, 1)) + "\n" + `"` + token + `":{"$type":"number","$value":` + strconv.Itoa(value) + "}"
				places[set+".json:"+strconv.Itoa(i+2)] = token + " " + strconv.Itoa(value)
			}
			files[set+".json"] = text + "}"
		}
		var themes []string
		for i := range rapid.IntRange(1, 5).Draw(draw, "themes") {
			selected := ""
			for _, set := range order {
				if state := rapid.SampledFrom([]string{"enabled", "source", "disabled"}).Draw(draw, "state"); state != "disabled" {
					selected += strings.Repeat(",", min(len(selected), 1)) + `"` + set + `":"` + state + `"`
					taken[set] = true
				}
			}
			group := rapid.SampledFrom([]string{"Mode", "Brand"}).Draw(draw, "group")
			themes = append(themes, `{"name":"`+strconv.Itoa(i)+`","group":"`+group+`","selectedTokenSets":{`+selected+`}}`)
		}
		files["$themes.json"] = "[" + strings.Join(themes, ",") + "]"
		files["$metadata.json"] = `{"tokenSetOrder":["` + strings.Join(order, `","`) + `"]}`
		last := rapid.Bool().Draw(draw, "last")
		lost, named, shown := hiddenIn(t, written(t, files), func(all []tokenfile.Dimension) (modes []string) {
			for _, d := range all {
				if modes = append(modes, d.Modes[0]); last {
					modes[len(modes)-1] = d.Modes[len(d.Modes)-1]
				}
			}
			return modes
		})
		said := map[string]bool{}
		for _, one := range append(lost, named...) {
			place, _, _ := strings.Cut(one, " ")
			if said[places[place]] = true; shown[places[place]] {
				draw.Errorf("%s of %v is named, and in a result", one, files)
			}
		}
		for place, value := range places {
			if taken[place[:1]] && !shown[value] && !said[value] {
				draw.Errorf("%s of %v is in no result, and not named", place, files)
			}
		}
	})
}

// hiddenIn reads each mode of a folder, and each two, and returns the values that none has, lost and only named, and what
// the documents have.
func hiddenIn(t *testing.T, dir string, decided func([]tokenfile.Dimension) []string) (lost, named []string, shown map[string]bool) {
	t.Helper()
	system, theme, err := source.OpenSystem(&term.App{}, []string{dir}, decided, tokenfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, choices := []*source.Sources{theme}, []map[string]string{}
	for i, d := range system.Dimensions {
		for _, mode := range d.Modes[1:] {
			choices = append(choices, map[string]string{d.Name: mode})
			for _, other := range system.Dimensions[i+1:] {
				for _, second := range other.Modes[1:] {
					choices = append(choices, map[string]string{d.Name: mode, other.Name: second})
				}
			}
		}
	}
	for _, choice := range choices {
		read, err := system.Read(choice)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, read)
	}
	system.NameHidden(all...)
	shown = map[string]bool{}
	said := regexp.MustCompile(`^neither the Theme nor a Variant has this value, for that of \S+\.json:\d+ counts; remove one of the two, or give each a mode$`)
	for _, s := range all {
		for _, m := range s.Tree.Members {
			shown[m.Name+" "+string(jsontree.Append(nil, m.Value.Find("$value")))] = true
		}
		for _, f := range s.Faults {
			if where, reason := f.Place(); said.MatchString(reason) {
				lost = append(lost, strings.TrimPrefix(where, dir+string(filepath.Separator))+" "+f.Value)
			}
		}
		for _, c := range s.Concessions() {
			if value, reason, _ := strings.Cut(c.Message, ": "); said.MatchString(reason) {
				named = append(named, strings.TrimPrefix(c.Location, dir+string(filepath.Separator))+" "+value)
			}
		}
	}
	return lost, named, shown
}
