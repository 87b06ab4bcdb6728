package form

import (
	"fmt"
	"strings"
	"testing"

	"example.com/livery/intake/model"
	"example.com/livery/intake/syntax"
	"example.com/livery/renderer/jsontree"
)

// parse returns a file of a name and text.
func parse(t *testing.T, name, text string) *model.File {
	t.Helper()
	parsed, err := syntax.Parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	return model.NewFile(name, parsed)
}

// describe lists the declarations and problems of documents, one a line.
func describe(documents ...*model.Document) string {
	var lines []string
	for _, d := range documents {
		for i := range d.Decls {
			var when []string
			for _, context := range d.Decls[i].When {
				var all []string
				for _, c := range context {
					all = append(all, strings.TrimSuffix(c.Kind.String()+":"+c.Name+"="+c.Mode, "="))
				}
				when = append(when, strings.Join(all, "&"))
			}
			v := d.Decls[i].Node.Find("$value")
			if d.Decls[i].Group || v == nil {
				v = d.Decls[i].Node
			}
			lines = append(lines, fmt.Sprintf("[%s] %s %s %s", strings.Join(when, " "), strings.Join(d.Decls[i].Path, "."), d.Decls[i].Type, jsontree.Append(nil, v)))
		}
		for _, p := range d.Problems {
			lines = append(lines, fmt.Sprintf("! %s %s: %s: %s", p.Place, p.Path, p.Kind, p.Message))
		}
	}
	return strings.Join(lines, "\n")
}

func TestStudio(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{
			"sets without themes are laid over each other in their order",
			`{"b": {"x": {"value": "1", "type": "spacing"}}, "a": {"x": {"value": "{b.x} * 2", "type": "spacing"}}, "$metadata": {"tokenSetOrder": ["a", "b", "c"]}}`,
			"[] x dimension \"{x} * 2\"\n[] x dimension \"1px\"\n! t.json:1 c: token sets that are missing: the tokenSetOrder names it, and there is no such token set",
		},
		{
			"a theme of each group chooses sets, sources first",
			`{"core": {"c": {"value": "#000", "type": "color"}}, "light": {"a": {"value": "{c}", "type": "color"}}, "dark": {"a": {"value": "#fff", "type": "color"}}, "old": {"z": {"value": "1", "type": "other"}},
			"$themes": [{"name": "Light", "group": "Scheme", "selectedTokenSets": {"core": "source", "light": "enabled"}}, {"name": "Dark", "group": "scheme", "selectedTokenSets": {"core": "source", "dark": "enabled", "light": "disabled"}}]}`,
			"[studio:Scheme=Light studio:Scheme=Dark] c color \"#000\"\n[studio:Scheme=Light] a color \"{c}\"\n[studio:Scheme=Dark] a color \"#fff\"\n! t.json:1 old: token sets in no theme: no theme enables it, and it is left out",
		},
		{
			"the parts of compositions are tokens", `{"s": {"card": {"type": "composition", "value": {"paddingTop": "8", "fill": "{c}"}}, "c": {"value": "red", "type": "color"}}, "$themes": []}`,
			"[] card.paddingTop dimension \"8px\"\n[] card.fill color \"{c}\"\n[] c color \"red\"",
		},
		{
			"shadows and typography have the members of DTCG", `{"s": {"e": {"type": "boxShadow", "value": {"x": "0", "y": "", "blur": "4", "spread": "0", "color": "rgba(#000000, 0.5)", "type": "innerShadow"}}}, "$themes": []}`,
			`[] e shadow {"offsetX":"0","offsetY":"0","blur":"4","spread":"0","color":"#00000080","inset":true}`,
		},
		{
			"sets without metadata are known by their aliases", `{"core": {"c": {"value": "#000", "type": "color"}}, "use": {"d": {"value": "{c}", "type": "color"}, "e": {"value": "$c", "type": "color"}}}`,
			"[] c color \"#000\"\n[] d color \"{c}\"\n[] e color \"{c}\"",
		},
		{
			"numbers are read as sd-transforms does", `{"s": {"l": {"value": "150%", "type": "lineHeights"}, "o": {"value": "50%", "type": "opacity"}, "k": {"value": "2%", "type": "letterSpacing"}, "w": {"value": "700 Italic", "type": "fontWeights"}}, "$themes": []}`,
			"[] l number \"1.5\"\n[] o number \"0.5\"\n[] k dimension \"0.02em\"\n[] w fontWeight \"700\"",
		},
	} {
		documents, err := Read([]*model.File{parse(t, "t.json", c.text)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := describe(documents...); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
}

func TestStudioFolder(t *testing.T) {
	documents, err := Read([]*model.File{
		parse(t, "x/other.json", `{"$metadata": {"tokenSetOrder": []}}`),
		parse(t, "t/$metadata.json", `{"tokenSetOrder": ["base", "brand/acme"]}`),
		parse(t, "t/$themes.json", `[{"name": "acme", "group": "", "selectedTokenSets": {"base": "enabled", "brand/acme": "enabled"}}]`),
		parse(t, "t/base.json", `{"a": {"value": "{brand.acme.b}", "type": "sizing"}}`),
		parse(t, "t/brand/acme.json", `{"b": {"value": "2", "type": "sizing"}}`),
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := "[studio:theme=acme] a dimension \"{b}\"\n[studio:theme=acme] b dimension \"2px\""
	if got := describe(documents[1:]...); got != want || len(documents) != 2 {
		t.Errorf("%d documents:\n%s\nwant:\n%s", len(documents), got, want)
	}
}
