package source_test

import (
	"strings"
	"testing"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokens/source"
	"example.com/livery/renderer/jsontree"
)

// TestSeveralModesAreChosenOfAllForms: each of another dimension, over the defaults of the others. A Variant has what is
// otherwise then.
func TestSeveralModesAreChosenOfAllForms(t *testing.T) {
	t.Parallel()
	grid := map[string]string{
		"acme/light/c.json": `{"a":{"$value":1},"b":{"$value":1}}`, "acme/dark/c.json": `{"a":{"$value":2}}`,
		"globex/light/c.json": `{"a":{"$value":3},"b":{"$value":3}}`, "globex/dark/c.json": `{"a":{"$value":4}}`, "core/c.json": `{"k":{"$value":0}}`,
	}
	studio := map[string]string{"st.json": `{"core":{"a":{"value":"1"},"b":{"value":"1"}},"dark":{"a":{"value":"2"}},"globex":{"b":{"value":"2"}},"$metadata":{"tokenSetOrder":["core","dark","globex"]},
"$themes":[{"name":"light","group":"mode","selectedTokenSets":{"core":"enabled"}},{"name":"dark","group":"mode","selectedTokenSets":{"core":"source","dark":"enabled"}},
{"name":"acme","group":"brand","selectedTokenSets":{"core":"source"}},{"name":"globex","group":"brand","selectedTokenSets":{"core":"source","globex":"enabled"}}]}`}
	contexts := map[string]string{"r.json": `{"version":"2025.10","modifiers":{"theme":{"default":"light","contexts":{"light":[{"a":{"$value":1}}],"dark":[{"a":{"$value":2}}]}},
"brand":{"default":"acme","contexts":{"acme":[{"b":{"$value":1}}],"globex":[{"b":{"$value":2}}]}}},"resolutionOrder":[{"$ref":"#/modifiers/theme"},{"$ref":"#/modifiers/brand"}]}`}
	variables := map[string]string{"f.json": `{"collections":[{"id":"1","name":"Mode","modes":[{"modeId":"l","name":"light"},{"modeId":"d","name":"dark"}]},
{"id":"2","name":"Brand","modes":[{"modeId":"a","name":"acme"},{"modeId":"g","name":"globex"}]}],"variables":[
{"id":"3","name":"a","variableCollectionId":"1","resolvedType":"FLOAT","valuesByMode":{"l":1,"d":2}},{"id":"4","name":"b","variableCollectionId":"2","resolvedType":"FLOAT","valuesByMode":{"a":1,"g":2}}]}`}
	values := map[string]string{"v.json": `{"a":{"$type":"number","$value":{"light":1,"dark":2}}}`}
	for _, c := range []struct {
		files   map[string]string
		mode    string
		theme   string // its values; of a failure what it says
		variant string // its overrides
	}{
		{grid, "globex,dark", "k 0 a 4 b 3", "a 4 b 3"},
		{grid, "dark, globex", "k 0 a 4 b 3", "a 4 b 3"},
		{grid, "acme,dark", "k 0 a 2 b 1", "a 2"},
		{grid, "acme,light", "k 0 a 1 b 1", ""},
		{grid, "globex,acme", "globex and acme are modes of one dimension: Name one of them. Valid values: brand: acme, globex; light, dark.", ""},
		{grid, "globex,drak", "the files have no mode drak: Valid values: brand: acme, globex; light, dark.", ""},
		{studio, "dark,globex", "a 2 b 2", "a 2 b 2"},
		{contexts, "globex,dark", "a 2 b 2", "a 2 b 2"},
		{variables, "dark,globex", "a 2 b 2", "a 2 b 2"},
		{values, "dark,x", "the files have no mode x: Valid values: light, dark.", ""},
		{map[string]string{"v.json": `{"a":{"$value":1}}`}, "dark,x", "the files have no mode dark: They have no modes at all; leave --token-mode out.", ""},
		{map[string]string{"B.x,y.tokens.json": `{"a":{"$value":1},"$extensions":{"com.figma.modeName":"x,y"}}`, "B.z.tokens.json": `{"a":{"$value":2},"$extensions":{"com.figma.modeName":"z"}}`}, "x,y", "a 1", "a 1"},
	} {
		dir := written(t, c.files)
		theme, err := source.Theme(&term.App{}, []string{dir}, tokenfile.Options{Mode: c.mode})
		if err != nil {
			f := term.Explain(err)
			if got := f.Sentence + ": " + f.Next; got != c.theme {
				t.Errorf("%q: %s, want %s", c.mode, got, c.theme)
			}
			continue
		}
		variant, err := source.Variant(&term.App{}, []string{dir}, tokenfile.Options{Mode: c.mode})
		if err != nil {
			t.Fatal(err)
		}
		var overrides []string
		for _, m := range variant.Tree.Members {
			overrides = append(overrides, m.Name+" "+m.Value.Text)
		}
		if got := strings.Join(overrides, " "); got != c.variant {
			t.Errorf("%q: the overrides are %s, want %s", c.mode, got, c.variant)
		}
		var got []string
		for _, m := range theme.Tree.Members {
			if value := m.Value.Lookup(jsontree.Pointer{"$value"}); value != nil {
				got = append(got, m.Name+" "+value.Text)
			}
		}
		if text := strings.Join(got, " "); text != c.theme || theme.ClashesInFolders() > 0 {
			t.Errorf("%q: the values are %s, want %s; %d clashes", c.mode, text, c.theme, theme.ClashesInFolders())
		}
	}
}
