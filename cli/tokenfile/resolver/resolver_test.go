package resolver_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/livery/cli/tokenfile/resolver"
	_ "example.com/livery/internal/test/sameseed" // make fuzz draws others
	"example.com/livery/internal/test/tokentreetest"
	"example.com/livery/renderer/jsontree"
)

// spelled writes sources in one line: files as they are named, tokens of the document as JSON.
func spelled(list []resolver.Source) string {
	var words []string
	for _, s := range list {
		word := s.File
		if s.Tree != nil {
			word = string(jsontree.Append(nil, s.Tree))
		}
		if len(s.Part) > 0 {
			word += "#" + s.Part.String()
		}
		for _, name := range s.Without {
			word += "-" + name
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// document is a resolver document with some members.
func document(members string) string { return `{"version":"2025.10",` + members + `}` }

// theme is a modifier as most documents have it.
const theme = `"modifiers":{"theme":{"contexts":{"light":[{"$ref":"light.json"}],"dark":[{"$ref":"light.json"},{"$ref":"dark.json"}]},"default":"light"}}`

// The rules of the Resolver Module, section by section.
func TestSourcesComeInTheirOrder(t *testing.T) {
	t.Parallel()
	cases := []struct{ rule, text, inputs, want string }{
		{"sets: files and tokens in the order of the array", document(`"sets":{"s":{"description":"d","$extensions":{"x":{}},"sources":[{"$ref":"a.json"},{"x":{"$value":1}},{"$ref":"b/c.json"}]}},"resolutionOrder":[{"$ref":"#/sets/s"}]`), "", `a.json {"x":{"$value":1}} b/c.json`},
		{"modifiers: the default", document(theme + `,"resolutionOrder":[{"$ref":"#/modifiers/theme"}]`), "", "light.json"},
		{"modifiers: an input", document(theme + `,"resolutionOrder":[{"$ref":"#/modifiers/theme"}]`), "theme=dark", "light.json dark.json"},
		{"inputs: letter case does not count", document(theme + `,"resolutionOrder":[{"$ref":"#/modifiers/theme"}]`), "THEME=Dark", "light.json dark.json"},
		{"inputs: letter case counts between two names", document(`"resolutionOrder":[{"type":"modifier","name":"m","contexts":{"a":[{"$ref":"1"}],"A":[{"$ref":"2"}]}}]`), "m=A", "2"},
		{"inputs: the last of one modifier counts", document(theme + `,"resolutionOrder":[{"$ref":"#/modifiers/theme"}]`), "theme=dark theme=light", "light.json"},
		{"modifiers: a set in a context is its sources", document(`"sets":{"s":{"sources":[{"$ref":"a"},{"$ref":"b"}]}},"modifiers":{"m":{"contexts":{"x":[{"$ref":"#/sets/s"},{"$ref":"c"}],"y":[]}}},"resolutionOrder":[{"$ref":"#/modifiers/m"}]`), "m=x", "a b c"},
		{"modifiers: an empty context", document(`"modifiers":{"m":{"contexts":{"false":[],"true":[{"$ref":"c"}]}}},"resolutionOrder":[{"$ref":"#/modifiers/m"}]`), "m=false", ""},
		{"resolutionOrder: sets after modifiers, a set twice", document(`"sets":{"s":{"sources":[{"$ref":"a"}]}},` + theme + `,"resolutionOrder":[{"$ref":"#/sets/s"},{"$ref":"#/modifiers/theme"},{"$ref":"#/sets/s"}]`), "", "a light.json a"},
		{"resolutionOrder: sets and modifiers of its own", document(`"sets":{"A":{"sources":[{"$ref":"a"}]}},"resolutionOrder":[{"type":"set","name":"A","sources":[{"$ref":"#/sets/A"}]},{"type":"modifier","name":"T","contexts":{"x":[{"$ref":"b"}]},"default":"x"}]`), "", "a b"},
		{"resolutionOrder: a set and a modifier of one name", document(`"sets":{"theme":{"sources":[{"$ref":"a"}]}},` + theme + `,"resolutionOrder":[{"$ref":"#/sets/theme"},{"$ref":"#/modifiers/theme"}]`), "", "a light.json"},
		{"references: parts of files, with and without the first slash, escaped", document(`"resolutionOrder":[{"type":"set","name":"A","sources":[{"$ref":"a.json#/x~1y/z"},{"$ref":"b.json#sets/b"},{"$ref":"my%20file.json"}]}]`), "", "a.json#/x~1y/z b.json#/sets/b my file.json"},
		{"references: $defs, and what refers to what refers", document(`"$defs":{"a/b.json":{"x":{"$value":1}},"c":{"$ref":"#/$defs/a~1b.json"},"d":[{"$ref":"f"}]},"sets":{"s":{"sources":[{"$ref":"#/$defs/c"},{"$ref":"#/$defs/d"}]},"t":{"$ref":"#/sets/s"}},"resolutionOrder":[{"$ref":"#/sets/t"}]`), "", `{"x":{"$value":1}} f`},
		{"extending: members beside a $ref take the place of the target's", document(`"$defs":{"c":{"$ref":"f","y":{"$value":2}}},"resolutionOrder":[{"type":"set","name":"s","sources":[{"x":{"$value":1},"$ref":"a"},{"$ref":"#/$defs/c","z":{}}]}]`), "", `a-x {"x":{"$value":1}} f-y-z {"y":{"$value":2}}-z {"z":{}}`},
		{"extending: another default", document(theme + `,"resolutionOrder":[{"$ref":"#/modifiers/theme","default":"dark"}]`), "", "light.json dark.json"},
		{"extending: other sources of a set", document(`"sets":{"s":{"sources":[{"$ref":"a"}]}},"resolutionOrder":[{"$ref":"#/sets/s","sources":[{"$ref":"b"}]}]`), "", "b"},
		{"names that look like members of objects", document(`"resolutionOrder":[{"type":"modifier","name":"toString","contexts":{"__proto__":[{"$ref":"a"}],"x":[]},"default":"__proto__"}]`), "", "a"},
	}
	for _, c := range cases {
		d, err := resolver.Read(tokentreetest.Parse(t, c.text))
		if err != nil {
			t.Errorf("%s: Read(%s) = %v", c.rule, c.text, err)
			continue
		}
		contexts, wrong := d.Choose(strings.Fields(c.inputs))
		if len(wrong) > 0 {
			t.Errorf("%s: Choose(%s) = %v", c.rule, c.inputs, wrong[0])
			continue
		}
		list, err := d.Sources(contexts)
		if got := spelled(list); err != nil || got != c.want {
			t.Errorf("%s: the sources are %s (%v), want %s", c.rule, got, err, c.want)
		}
		for _, s := range list {
			if p, ok := jsontree.ParsePointer(s.Pointer); !ok || tokentreetest.Parse(t, c.text).Lookup(p) == nil {
				t.Errorf("%s: the document has no place %s", c.rule, s.Pointer)
			}
		}
	}
}

func TestWhatTheModuleForbidsIsRefused(t *testing.T) {
	t.Parallel()
	set := func(source string) string {
		return document(`"sets":{"s":{"sources":[` + source + `]}},"resolutionOrder":[{"$ref":"#/sets/s"}]`)
	}
	cases := []struct{ rule, text, pointer, want string }{
		{"another version", `{"version":"2026.01","resolutionOrder":[]}`, "/version", "must be 2025.10"},
		{"a version that is missing", `{"resolutionOrder":[]}`, "/version", "must be 2025.10"},
		{"an order that is missing", document(`"sets":{}`), "/resolutionOrder", "no sets or modifiers in its resolutionOrder"},
		{"an order that is empty", document(`"resolutionOrder":[]`), "/resolutionOrder", "no sets or modifiers in its resolutionOrder"},
		{"a set that is missing", document(`"resolutionOrder":[{"$ref":"#/sets/s"}]`), "/resolutionOrder/0", "has no #/sets/s"},
		{"a part of a set in the order", document(`"sets":{"s":{"sources":[]}},"resolutionOrder":[{"$ref":"#/sets/s/sources"}]`), "/resolutionOrder/0", "neither"},
		{"an inline set without a name", document(`"resolutionOrder":[{"type":"set","sources":[]}]`), "/resolutionOrder/0", "needs a name and a type"},
		{"an inline set without a type", document(`"resolutionOrder":[{"name":"s","sources":[]}]`), "/resolutionOrder/0", "needs a name and a type"},
		{"a name twice", document(`"resolutionOrder":[{"type":"set","name":"s","sources":[]},{"type":"modifier","name":"s","contexts":{"x":[]}}]`), "/resolutionOrder/1", "stands twice"},
		{"a name that a modifier has", document(theme + `,"resolutionOrder":[{"type":"modifier","name":"theme","contexts":{"x":[]}},{"$ref":"#/modifiers/theme"}]`), "/resolutionOrder/1", "stands twice"},
		{"a modifier without contexts", document(`"modifiers":{"m":{"context":{"x":[]}}},"resolutionOrder":[{"$ref":"#/modifiers/m"}]`), "/modifiers/m", "has no contexts"},
		{"a default that is not a context", document(`"modifiers":{"m":{"contexts":{"x":[]},"default":"y"}},"resolutionOrder":[{"$ref":"#/modifiers/m"}]`), "/modifiers/m/default", "not one of its contexts"},
		{"a modifier in a set", document(`"sets":{"s":{"sources":[{"$ref":"#/modifiers/theme/contexts/light"}]}},` + theme + `,"resolutionOrder":[{"$ref":"#/sets/s"}]`), "/sets/s/sources/0", "only the resolutionOrder may"},
		{"a modifier in a context that is not chosen", document(`"modifiers":{"m":{"contexts":{"x":[],"y":[{"$ref":"#/modifiers/m/contexts/x"}]},"default":"x"}},"resolutionOrder":[{"$ref":"#/modifiers/m"}]`), "/modifiers/m/contexts/y/0", "only the resolutionOrder may"},
		{"a modifier in an inline modifier", document(theme + `,"resolutionOrder":[{"type":"modifier","name":"m","contexts":{"x":[{"$ref":"#/modifiers/theme"}]}}]`), "/resolutionOrder/0/contexts/x/0", "only the resolutionOrder may"},
		{"the order", set(`{"$ref":"#/resolutionOrder/0"}`), "/sets/s/sources/0", "into the resolutionOrder"},
		{"an unused set that is wrong", document(`"sets":{"s":{"sources":[]},"t":{"sources":[{"$ref":"#/sets/none"}]}},"resolutionOrder":[{"$ref":"#/sets/s"}]`), "/sets/t/sources/0", "has no #/sets/none"},
		{"sources that are not an array", document(`"sets":{"s":{"sources":{"x":{"$value":1}}}},"resolutionOrder":[{"$ref":"#/sets/s"}]`), "/sets/s/sources", "not an array"},
		{"a source that is not an object", set(`"a.json"`), "/sets/s/sources/0", "not an object"},
		{"a reference that is not a text", set(`{"$ref":7}`), "/sets/s/sources/0", "not a file or a JSON Pointer: 7"},
		{"a pointer that is not valid", set(`{"$ref":"#/sets/~x"}`), "/sets/s/sources/0", "must lead into the document"},
		{"a server", set(`{"$ref":"https://example.com/tokens.json"}`), "/sets/s/sources/0", "fetches nothing"},
		{"a set of a file in place of one", document(`"sets":{"s":{"$ref":"other.json#/sets/s"}},"resolutionOrder":[{"$ref":"#/sets/s"}]`), "/sets/s", "must lead into the document"},
		{"tokens beside a set", document(`"sets":{"s":{"sources":[]},"t":{"sources":[{"$ref":"#/sets/s","x":{"$value":1}}]}},"resolutionOrder":[{"$ref":"#/sets/t"}]`), "/sets/t/sources/0", "cannot replace some of its sources: x"},
		{"a circle of one", set(`{"$ref":"#/sets/s"}`), "/sets/s/sources/0", "it stands in #/sets/s itself"},
		{"the document itself", set(`{"$ref":"#"}`), "/sets/s/sources/0", "it stands in # itself"},
		{"a circle of three", document(`"sets":{"a":{"sources":[{"$ref":"#/sets/b"}]},"b":{"sources":[{"$ref":"#/$defs/c"}]}},"$defs":{"c":[{"$ref":"#/sets/a/sources"}]},"resolutionOrder":[{"$ref":"#/sets/a"}]`), "", "circular"},
		{"a circle of definitions", document(`"sets":{"a":{"$ref":"#/sets/b"},"b":{"$ref":"#/sets/a"}},"resolutionOrder":[{"$ref":"#/sets/a"}]`), "", "#/sets/b leads to #/sets/a leads to #/sets/b"},
	}
	for _, c := range cases {
		_, err := resolver.Read(tokentreetest.Parse(t, c.text))
		e, ok := errors.AsType[*resolver.Error](err)
		if !ok || !strings.Contains(e.What, c.want) || c.pointer != "" && e.Pointer != c.pointer || e.Next == "" {
			t.Errorf("%s: Read(%s) = %+v, want %q at %s", c.rule, c.text, e, c.want, c.pointer)
		}
	}
}

func TestAllThatIsWrongWithInputsIsNamed(t *testing.T) {
	t.Parallel()
	d, err := resolver.Read(tokentreetest.Parse(t, document(`"resolutionOrder":[
		{"type":"modifier","name":"theme","contexts":{"light":[],"dark":[]}},
		{"type":"modifier","name":"size","contexts":{"default":[],"large":[]}},
		{"type":"modifier","name":"beta","contexts":{"false":[],"true":[]},"default":"false"}]`)))
	if err != nil {
		t.Fatal(err)
	}
	_, wrong := d.Choose([]string{"theme=drak", "foo=bar", "beta"})
	want := []string{
		"the modifier theme has no context drak. Did you mean dark? Valid values: light, dark.",
		"the document has no modifier foo. Valid values: theme, size, beta.",
		"the input beta is not of the form MODIFIER=CONTEXT. Write for example theme=dark.",
		"the modifier size has no default, and no input chooses a context. Give --input size=default. Valid values: default, large.",
	}
	if len(wrong) != len(want) {
		t.Fatalf("Choose names %d faults, want %d", len(wrong), len(want))
	}
	for i, e := range wrong {
		if got := e.What + ". " + e.Next; got != want[i] {
			t.Errorf("fault %d is %s, want %s", i, got, want[i])
		}
	}
	contexts, wrong := d.Choose([]string{"theme=light", "size=large"})
	if len(wrong) > 0 || contexts["theme"] != "light" || contexts["size"] != "large" || contexts["beta"] != "false" {
		t.Errorf("Choose = %v, %v", contexts, wrong)
	}
}

// A few sets that refer to each other must not make sources without end.
func TestSetsThatMultiplyAreBounded(t *testing.T) {
	t.Parallel()
	text := `"sets":{"a":{"sources":[]}`
	for name := 'b'; name <= 'z'; name++ {
		ref := `{"$ref":"#/sets/` + string(name-1) + `"}`
		text += `,"` + string(name) + `":{"sources":[` + ref + "," + ref + `]}`
	}
	_, err := resolver.Read(tokentreetest.Parse(t, document(text+`},"resolutionOrder":[{"$ref":"#/sets/z"}]`)))
	if err == nil || !strings.Contains(err.Error(), "too many sources") {
		t.Errorf("Read(sets that double 25 times) = %v, want a failure", err)
	}
}

func TestWhatIsNotUsedIsListed(t *testing.T) {
	t.Parallel()
	d, err := resolver.Read(tokentreetest.Parse(t, document(`"sets":{"a":{"sources":[{"$ref":"#/sets/b"}]},"b":{"sources":[]},"c":{"sources":[]}},`+theme+`,"resolutionOrder":[{"$ref":"#/sets/a"}]`)))
	if err != nil || strings.Join(d.Unused, " ") != "/sets/c /modifiers/theme" || len(d.Modifiers) != 0 {
		t.Errorf("Read = %+v, %v", d, err)
	}
}

// Whatever a document says, reading it ends, with a result or an *Error that has a next step.
func TestAnyDocumentIsReadOrRefused(t *testing.T) {
	t.Parallel()
	words := rapid.SampledFrom([]string{"#/sets/a", "#/sets/b", "#/modifiers/m", "#/$defs/a", "#", "#/resolutionOrder/0", "f.json", "f.json#/a", "%", "~", ""})
	names := rapid.SampledFrom([]string{"a", "b", "m", "$ref", "sources", "contexts", "default", "name", "type"})
	var value func(depth int) *rapid.Generator[*jsontree.Node]
	value = func(depth int) *rapid.Generator[*jsontree.Node] {
		return rapid.Custom(func(t *rapid.T) *jsontree.Node {
			switch kind := rapid.IntRange(0, 3).Draw(t, "kind"); {
			case depth == 0 || kind == 0:
				return jsontree.NewString(words.Draw(t, "word"))
			case kind == 1:
				return jsontree.NewArray(rapid.SliceOfN(value(depth-1), 0, 3).Draw(t, "items")...)
			}
			n := jsontree.NewObject()
			for _, name := range rapid.SliceOfNDistinct(names, 0, 3, rapid.ID[string]).Draw(t, "names") {
				n.Members = append(n.Members, jsontree.Member{Name: name, Value: value(depth-1).Draw(t, name)})
			}
			n.Index()
			return n
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		root := jsontree.NewObject(jsontree.Member{Name: "version", Value: jsontree.NewString("2025.10")})
		for _, name := range []string{"sets", "modifiers", "$defs"} {
			root.Members = append(root.Members, jsontree.Member{Name: name, Value: value(4).Draw(t, name)})
		}
		order := jsontree.NewArray(rapid.SliceOfN(value(3), 1, 3).Draw(t, "order")...)
		root.Members = append(root.Members, jsontree.Member{Name: "resolutionOrder", Value: order})
		root.Index()
		d, err := resolver.Read(root)
		if err != nil {
			if e, ok := errors.AsType[*resolver.Error](err); !ok || e.Next == "" || e.What == "" {
				t.Fatalf("Read = %#v", err)
			}
			return
		}
		contexts := map[string]string{}
		for _, m := range d.Modifiers {
			contexts[m.Name] = m.Contexts[0]
		}
		if _, err := d.Sources(contexts); err != nil {
			t.Fatalf("Read took what Sources refuses: %v", err)
		}
		resolver.Files(root)
	})
}
