package form_test

import (
	"testing"

	"example.com/livery/intake/form"
)

func TestValues(t *testing.T) {
	o := form.Options{Values: map[string][]string{"density": {"comfortable", "compact"}, "state": {"base", "_active"}}}
	runForms(t, "a DTCG document", o, []formCase{
		{
			"light is the default, whatever the order", `{"a":{"$type":"color","$value":{"dark":"#fff","light":"#000"},"$description":"d"}}`,
			"= value:scheme light,dark default light\na color {\"$type\":\"color\",\"$value\":\"#000\",\"$description\":\"d\"}\nvalue:scheme=dark a color \"#fff\"",
		},
		{
			"base is the default of conditions, of which others than dark and light are no modes", `{"a":{"$value":{"base":1,"_dark":2,"_hover":3,"_osLight":4}}}`,
			"= value:scheme light,dark default light\na  {\"$value\":1}\nvalue:scheme=dark a  2\nvalue:scheme=light a  4\n!! t.json:1 a: its value for _hover is left out: 3",
		},
		{
			"members that the options name", `{"a":{"$value":{"compact":1,"comfortable":2}},"b":{"$value":{"base":1,"_active":2}},"c":{"$value":{"compact":1}}}`,
			"= value:density comfortable,compact default comfortable\n= value:state base,_active default base\n" +
				"a  {\"$value\":2}\nvalue:density=compact a  1\nb  {\"$value\":1}\nvalue:state=_active b  2\nvalue:density=compact c  1",
		},
		{
			"parts of values, of two dimensions too", `{"s":{"$value":[{"color":{"light":"#111","dark":"#222"},"blur":{"comfortable":1,"compact":2}},{"color":{"base":"#333","_dark":"#444"}}]}}`,
			"= value:density comfortable,compact default comfortable\n= value:scheme light,dark default light\n" +
				"s  {\"$value\":[{\"color\":\"#111\",\"blur\":1},{\"color\":\"#333\"}]}\n" +
				"value:density=compact s  [{\"color\":\"#111\",\"blur\":2},{\"color\":\"#333\"}]\n" +
				"value:scheme=dark s  [{\"color\":\"#222\",\"blur\":1},{\"color\":\"#444\"}]\n" +
				"value:density=compact&value:scheme=dark s  [{\"color\":\"#222\",\"blur\":2},{\"color\":\"#444\"}]",
		},
		{
			"modes inside modes", `{"a":{"$value":{"light":1,"dark":{"comfortable":2,"compact":3}}}}`,
			"= value:density comfortable,compact default comfortable\n= value:scheme light,dark default light\n" +
				"a  {\"$value\":1}\nvalue:scheme=dark a  2\nvalue:density=compact&value:scheme=dark a  3",
		},
		{
			"a mode that a part lacks has its default there", `{"a":{"$value":{"x":{"_light":1,"_dark":{"compact":2}},"y":{"light":3,"dark":4}}}}`,
			"= value:density comfortable,compact default comfortable\n= value:scheme light,dark default light\n" +
				"a  {\"$value\":{\"x\":1,\"y\":3}}\nvalue:scheme=dark a  {\"x\":1,\"y\":4}\nvalue:density=compact&value:scheme=dark a  {\"x\":2,\"y\":4}",
		},
		{
			"groups called light and dark, and other objects, are no modes", `{"light":{"$value":1},"dark":{"$value":{"light":300,"bold":700}},"c":{"$value":{"_hover":1}}}`,
			"light  {\"$value\":1}\ndark  {\"$value\":{\"light\":300,\"bold\":700}}\nc  {\"$value\":{\"_hover\":1}}",
		},
	})
}
