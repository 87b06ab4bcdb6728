package form

import (
	"testing"

	"example.com/livery/intake/model"
)

func TestFormsWithoutDollarSigns(t *testing.T) {
	for _, c := range []struct{ form, name, text, want string }{
		{
			dictionaryName, "types, comments, aliases with .value, units apart",
			`{"color": {"a": {"value": "05a", "comment": "c"}, "b": {"value": "{color.a.value}", "type": "color"}}, "size": {"s": {"value": 2}, "u": {"value": "4", "unit": "px"}}, "x": "y"}`,
			"[] color.a color \"#05a\"\n[] color.b color \"{color.a}\"\n[] size.s dimension \"2rem\"\n[] size.u dimension \"4px\"\n! t.json:1 x: members that are neither group nor token: \"y\" is left out",
		},
		{
			dictionaryName, "tokens inside tokens, and a group called value",
			`{"a": {"value": "red", "type": "color", "hover": {"value": "blue", "type": "color"}}, "value": {"b": {"value": "1px"}}}`,
			"[] a color \"red\"\n[] a.hover color \"blue\"\n[] value.b  \"1px\"",
		},
		{
			dictionaryName, "a type that is not known leaves the category its own", `{"color": {"a": {"value": "05a", "type": "semantic"}, "b": {"value": "x", "type": "semantic"}}, "size": {"s": {"value": 2, "type": "semantic"}}}`,
			"[] color.a color \"#05a\"\n[] color.b semantic \"x\"\n[] size.s dimension \"2rem\"",
		},
		{
			dictionaryName, "colours of parts, each from 0 to 1", `{"a": {"value": {"red": "0.00000", "green": "0.72549", "blue": 1, "alpha": 1}}, "b": {"value": {"red": 0, "green": 0, "blue": 0, "alpha": 0.5}}, "c": {"value": {"red": 255, "green": 0, "blue": 0, "alpha": 1}}}`,
			"[] a  \"#00b9ff\"\n[] b  \"#00000080\"\n[] c  {\"red\":255,\"green\":0,\"blue\":0,\"alpha\":1}",
		},
		{
			dictionaryName, "a group with an alias to another file is no token set", `{"button": {"size": {"value": "{size.a}"}, "font": {"value": "{font.a}"}}, "a": {"x": {"value": "{size}"}}}`,
			"[] button.size  \"{size.a}\"\n[] button.font  \"{font.a}\"\n[] a.x  \"{size}\"",
		},
		{
			dictionaryName, "values of modes", `{"c": {"value": {"light": "#fff", "dark": "#000"}, "type": "color"}}`,
			"[] c color \"#fff\"\n[value:scheme=dark] c color \"#000\"",
		},
		{
			conditionsName, "semantic tokens follow tokens", `{"theme": {"tokens": {"colors": {"red": {"value": "#f00"}}}, "semanticTokens": {"colors": {"bg": {"value": {"base": "{colors.red}", "_dark": "#000", "_hover": "#111"}}}}, "breakpoints": {"sm": "640px"}, "keyframes": {}}}`,
			"[] colors.red  \"#f00\"\n[] colors.bg  \"{colors.red}\"\n[value:scheme=dark] colors.bg  \"#000\"\n! t.json:1 breakpoints.sm: members that are neither group nor token: \"640px\" is left out\n! t.json:1 keyframes: members beside tokens and semanticTokens: {} is left out\n! t.json:1 colors.bg: conditions that are not modes: its value for _hover is left out: \"#111\"",
		},
		{
			theoName, "aliases stand in place", `{"global": {"type": "color"}, "aliases": {"RED": "#f00", "R2": {"value": "{!RED}"}}, "props": {"A": {"value": "1px solid {!R2}", "type": "border"}, "B": {"value": "{!A}", "type": "border"}}}`,
			"[] A border \"1px solid #f00\"\n[] B border \"{A}\"",
		},
		{
			listName, "names with slashes or dots", `[{"name": "a/b", "value": "1px", "type": "dimension"}, {"path": ["c", "d"], "value": "{a/b}"}, {"value": 1}]`,
			"[] a.b dimension \"1px\"\n[] c.d  \"{a.b}\"\n! t.json:1 2: items that are not tokens: it has no name or no value: {\"value\":1}",
		},
		{
			spectrumName, "a ref of parts counts", `{"a": {"ref": {"fontSize": "{b}"}, "value": {"fontSize": {"sets": {}}}}, "b": {"sets": {"desktop": {"value": "1px"}, "mobile": {"value": "2px"}}}, "s": {"ref": [{"x": "0px", "blur": "1px"}], "value": []}}`,
			"[] a  {\"fontSize\":\"{b}\"}\n[] b  \"1px\"\n[value:set=mobile] b  \"2px\"\n[] s  [{\"offsetX\":\"0px\",\"blur\":\"1px\"}]",
		},
		{
			spectrumName, "the first set is the default", `{"a": {"sets": {"light": {"value": "#fff"}, "dark": {"ref": "{b}"}}}, "b": {"sets": {"desktop": {"value": "1px"}, "mobile": {"value": "2px"}}}, "c": {"value": "3", "ref": "b"}}`,
			"[] a  \"#fff\"\n[value:scheme=dark] a  \"{b}\"\n[] b  \"1px\"\n[value:set=mobile] b  \"2px\"\n[] c  \"{b}\"",
		},
	} {
		documents, err := Read([]*model.File{parse(t, "t.json", c.text)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := describe(documents...); got != c.want || documents[0].Form != c.form {
			t.Errorf("%s: %s:\n%s\nwant %s:\n%s", c.name, documents[0].Form, got, c.form, c.want)
		}
	}
}
