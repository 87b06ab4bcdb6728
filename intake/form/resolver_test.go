package form_test

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/livery/intake/form"
	"example.com/livery/intake/model"
	"example.com/livery/intake/syntax"
	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/renderer/jsontree"
)

// opener opens the files of a map; a name without a text is a file with one token of that name.
func opener(t testing.TB, files map[string]string) form.Options {
	opened := map[string]*model.File{}
	return form.Options{Open: func(document *model.File, name string) (*model.File, error) {
		name = path.Join(path.Dir(document.Name), name)
		text, ok := files[name]
		if strings.HasPrefix(name, "missing") {
			return nil, &model.Error{What: "no such file: " + name, Next: "Write it."}
		} else if !ok {
			text = `{"` + name + `":{"$value":1}}`
		}
		if opened[name] == nil {
			opened[name] = fileOf(t, name, text)
		}
		return opened[name], nil
	}}
}

// resolverDocument is a resolver document with some members, and one with sources in its order.
func resolverDocument(members string) string { return `{"version":"2025.10",` + members + `}` }

func inOrder(sources string) string {
	return resolverDocument(`"resolutionOrder":[{"type":"set","name":"s","sources":[` + sources + `]}]`)
}

const lightAndDark = `"modifiers":{"theme":{"contexts":{"light":[{"$ref":"light.json"}],"dark":[{"$ref":"light.json"},{"$ref":"dark.json"}]},"default":"light"}}`

// names lists the paths of declarations, with the mode of those of a context.
func names(d *model.Document) string {
	var words []string
	for _, decl := range d.Decls {
		word := strings.Join(decl.Path, "/")
		for _, context := range decl.When {
			word += "@" + context[len(context)-1].Mode
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

func TestResolverOrder(t *testing.T) {
	files := map[string]string{
		"g.json": `{"x":{"$value":0},"y":{"$value":1},"z":{"$value":2}}`, "part.json": `{"a/b":{"c":{"d":{"$value":1}}},"e":{"$value":2}}`,
		"sd.json": `{"p.q":1,"r.s":2}`, "modes.json": `{"m":{"$value":{"light":1,"dark":2}}}`,
		"other.json": resolverDocument(`"sets":{"o":{"sources":[{"$ref":"a"},{"i":{"$value":1}}]}},"resolutionOrder":[{"$ref":"#/sets/o"}]`),
	}
	for _, c := range []struct{ rule, text, want string }{
		{"sets have files and tokens", inOrder(`{"$ref":"a"},{"x":{"$value":1}},{"$ref":"b/c"}`), "a x b/c"},
		{"contexts hold in their mode", resolverDocument(lightAndDark + `,"resolutionOrder":[{"$ref":"#/modifiers/theme"}]`), "light.json@light light.json@dark dark.json@dark"},
		{"a set in a context is its sources", resolverDocument(`"sets":{"s":{"sources":[{"$ref":"a"},{"$ref":"b"}]}},"modifiers":{"m":{"contexts":{"x":[{"$ref":"#/sets/s"},{"$ref":"c"}],"y":[]}}},"resolutionOrder":[{"$ref":"#/modifiers/m"}]`), "a@x b@x c@x"},
		{"sets come where the order has them, also twice", resolverDocument(`"sets":{"s":{"sources":[{"$ref":"a"}]}},` + lightAndDark + `,"resolutionOrder":[{"$ref":"#/sets/s"},{"$ref":"#/modifiers/theme"},{"$ref":"#/sets/s"}]`), "a light.json@light light.json@dark dark.json@dark a"},
		{"the order has sets and modifiers of its own", resolverDocument(`"sets":{"A":{"sources":[{"$ref":"a"}]}},"resolutionOrder":[{"type":"set","name":"A","sources":[{"$ref":"#/sets/A"}]},{"type":"modifier","name":"T","contexts":{"x":[{"$ref":"b"}]}}]`), "a b@x"},
		{"a set and a modifier may have one name", resolverDocument(`"sets":{"theme":{"sources":[{"$ref":"a"}]}},` + lightAndDark + `,"resolutionOrder":[{"$ref":"#/sets/theme"},{"$ref":"#/modifiers/theme"}]`), "a light.json@light light.json@dark dark.json@dark"},
		{"parts of files, with and without the first slash", inOrder(`{"$ref":"part.json#/a~1b/c"},{"$ref":"part.json#a~1b"},{"$ref":"my%20file"}`), "d c/d my file"},
		{"definitions, and what refers to what refers", resolverDocument(`"$defs":{"a/b.json":{"x":{"$value":1}},"c":{"$ref":"#/$defs/a~1b.json"},"d":[{"$ref":"f"}]},"sets":{"s":{"sources":[{"$ref":"#/$defs/c"},{"$ref":"#/$defs/d"}]},"t":{"$ref":"#/sets/s"}},"resolutionOrder":[{"$ref":"#/sets/t"}]`), "x f"},
		{"members beside a reference replace those of its target", resolverDocument(`"$defs":{"c":{"$ref":"g.json","y":{"$value":2}}},"resolutionOrder":[{"type":"set","name":"s","sources":[{"x":{"$value":1},"$ref":"g.json"},{"$ref":"#/$defs/c","z":{}}]}]`), "y z x x y z"},
		{"sources and contexts beside a reference count", resolverDocument(`"sets":{"s":{"sources":[{"$ref":"a"}]}},` + lightAndDark + `,"resolutionOrder":[{"$ref":"#/sets/s","sources":[{"$ref":"b"}]},{"$ref":"#/modifiers/theme","contexts":{"light":[{"$ref":"l"}]}}]`), "b l@light"},
		{"names that look like members of objects", resolverDocument(`"resolutionOrder":[{"type":"modifier","name":"toString","contexts":{"__proto__":[{"$ref":"a"}],"x":[]},"default":"__proto__"}]`), "a@__proto__"},
		{"files of other forms", inOrder(`{"$ref":"sd.json"}`), "p/q r/s"},
		{"modes of values in contexts", resolverDocument(`"resolutionOrder":[{"type":"modifier","name":"t","contexts":{"x":[{"$ref":"modes.json"}]}}]`), "m@x m@dark"},
		{"a set of another document", inOrder(`{"$ref":"other.json#/sets/o"}`), "a i"},
	} {
		documents, err := form.Read([]*model.File{fileOf(t, "r.json", c.text)}, opener(t, files))
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		if got := names(documents[0]); got != c.want || documents[0].Form != "a resolver document" {
			t.Errorf("%s: %s has %s, want %s\n%s", c.rule, documents[0].Form, got, c.want, outline(documents...))
		}
		for _, decl := range documents[0].Decls {
			if p, ok := jsontree.ParsePointer(decl.Pointer); !ok || decl.File.Root.Lookup(p) == nil {
				t.Errorf("%s: %s has no place %s", c.rule, decl.File.Name, decl.Pointer)
			}
		}
	}
}

func TestResolverProblems(t *testing.T) {
	text := resolverDocument(`"name":"acme","sets":{"a":{"sources":[{"$ref":"g.json","x":{"$value":9}}]},"u":{"sources":[{"u":{"$value":1}}]}},"loose":{"l":{"$value":1}},
"modifiers":{"theme":{"default":"dark","contexts":{"light":[{"$ref":"a"},{"i":{"$value":1}},{"$ref":"missing.json"}],"dark":[]}},"size":{"contexts":{"s":[],"m":[{"$ref":"#/sets/none"}]}}},
"resolutionOrder":[{"$ref":"#/sets/a"},{"$ref":"#/modifiers/theme"},{"$ref":"#/modifiers/size"}]`)
	documents, err := form.Read([]*model.File{fileOf(t, "r.json", text)}, opener(t, map[string]string{"g.json": `{"x":{"$value":0},"y":{"$value":1}}`}))
	if err != nil {
		t.Fatal(err)
	}
	want := "= resolver:theme dark default dark\n= resolver:size s default s\ny  {\"$value\":1}\nx  {\"$value\":9}\n" +
		"! g.json:1 x: another x stands beside the $ref to this one\n" +
		"!! r.json:2 theme.light: r.json:2: no such file: missing.json; the context is left out\n" +
		"!! r.json:2 size.m: r.json:2: the document has no #/sets/none; the context is left out\n" +
		"! r.json:1 u: the resolutionOrder does not lead to it, and it is left out\n" +
		"!! r.json:1 loose: a resolver document has tokens in its sources only; move it into a set"
	if got := outline(documents...); got != want {
		t.Errorf("read:\n%s\nwant:\n%s", got, want)
	}
}

func TestResolverErrors(t *testing.T) {
	set := func(source string) string {
		return resolverDocument(`"sets":{"s":{"sources":[` + source + `]}},"resolutionOrder":[{"$ref":"#/sets/s"}]`)
	}
	for _, c := range []struct{ rule, text, pointer, want string }{
		{"another version", `{"version":"2026.01","resolutionOrder":[]}`, "/version", "must be 2025.10"},
		{"no order", resolverDocument(`"sets":{}`), "/resolutionOrder", "no sets or modifiers in its resolutionOrder"},
		{"a set that is missing", resolverDocument(`"resolutionOrder":[{"$ref":"#/sets/s"}]`), "/resolutionOrder/0", "has no #/sets/s"},
		{"a part of a set in the order", resolverDocument(`"sets":{"s":{"sources":[]}},"resolutionOrder":[{"$ref":"#/sets/s/sources"}]`), "/resolutionOrder/0", "neither"},
		{"a text in the order", resolverDocument(`"resolutionOrder":["#/sets/s"]`), "/resolutionOrder/0", "not a set or modifier"},
		{"a set without a name", resolverDocument(`"resolutionOrder":[{"type":"set","sources":[]}]`), "/resolutionOrder/0", "not a set or modifier"},
		{"a name twice", resolverDocument(`"resolutionOrder":[{"type":"set","name":"s","sources":[]},{"type":"modifier","name":"s","contexts":{"x":[]}}]`), "/resolutionOrder/1", "stands twice"},
		{"a modifier without contexts", resolverDocument(`"modifiers":{"m":{"context":{"x":[]}}},"resolutionOrder":[{"$ref":"#/modifiers/m"}]`), "/resolutionOrder/0", "has no contexts"},
		{"a default that is not a context", resolverDocument(`"modifiers":{"m":{"contexts":{"x":[]},"default":"y"}},"resolutionOrder":[{"$ref":"#/modifiers/m"}]`), "/modifiers/m/default", "not one of its contexts"},
		{"a modifier in a set", resolverDocument(`"sets":{"s":{"sources":[{"$ref":"#/modifiers/theme/contexts/light"}]}},` + lightAndDark + `,"resolutionOrder":[{"$ref":"#/sets/s"}]`), "/sets/s/sources/0", "only the resolutionOrder may"},
		{"the order in a set", set(`{"$ref":"#/resolutionOrder/0"}`), "/sets/s/sources/0", "into the resolutionOrder"},
		{"sources that are no array", resolverDocument(`"sets":{"s":{"sources":{"x":{"$value":1}}}},"resolutionOrder":[{"$ref":"#/sets/s"}]`), "/sets/s/sources", "not an array"},
		{"a source that is no object", set(`"a.json"`), "/sets/s/sources/0", "not an object"},
		{"a reference that is no text", set(`{"$ref":7}`), "/sets/s/sources/0", "not a file or a JSON Pointer: 7"},
		{"a pointer that is not valid", set(`{"$ref":"#/sets/~x"}`), "/sets/s/sources/0", "must lead into the document"},
		{"a server", set(`{"$ref":"https://example.com/tokens.json"}`), "/sets/s/sources/0", "fetches nothing"},
		{"a set of a file in place of one", resolverDocument(`"sets":{"s":{"$ref":"other.json#/sets/s"}},"resolutionOrder":[{"$ref":"#/sets/s"}]`), "/sets/s/sources", "not an array"},
		{"tokens beside a set", resolverDocument(`"sets":{"s":{"sources":[]},"t":{"sources":[{"$ref":"#/sets/s","x":{"$value":1}}]}},"resolutionOrder":[{"$ref":"#/sets/t"}]`), "/sets/t/sources/0", "cannot replace some of its sources"},
		{"a circle of one", set(`{"$ref":"#/sets/s"}`), "/sets/s/sources/0", "circular"},
		{"the document itself", set(`{"$ref":"#"}`), "/sets/s/sources/0", "circular"},
		{"a circle of three", resolverDocument(`"sets":{"a":{"sources":[{"$ref":"#/sets/b"}]},"b":{"sources":[{"$ref":"#/$defs/c"}]}},"$defs":{"c":[{"$ref":"#/sets/a/sources"}]},"resolutionOrder":[{"$ref":"#/sets/a"}]`), "", "circular"},
		{"a circle of sets", resolverDocument(`"sets":{"a":{"$ref":"#/sets/b"},"b":{"$ref":"#/sets/a"}},"resolutionOrder":[{"$ref":"#/sets/a"}]`), "", "circular"},
		{"a circle of files", set(`{"$ref":"circle.json#/sets/s"}`), "", "circular"},
		{"a file that is missing", set(`{"$ref":"missing.json"}`), "/sets/s/sources/0", "no such file"},
		{"a file without the group", set(`{"$ref":"a.json#/b"}`), "/sets/s/sources/0", "has no group /b"},
		{"a token of a file", set(`{"$ref":"a.json#/a.json"}`), "/sets/s/sources/0", "is a token"},
		{"another document", set(`{"$ref":"circle.json"}`), "/sets/s/sources/0", "is a resolver document too"},
		{"a default that cannot be read", resolverDocument(`"modifiers":{"m":{"contexts":{"x":[{"$ref":"missing.json"}]}}},"resolutionOrder":[{"$ref":"#/modifiers/m"}]`), "/modifiers/m/contexts/x/0", "no such file"},
	} {
		_, err := form.Read([]*model.File{fileOf(t, "r.json", c.text)}, opener(t, map[string]string{"circle.json": set(`{"$ref":"circle.json#/sets/s"}`)}))
		e, ok := errors.AsType[*model.Error](err)
		if !ok || !strings.Contains(e.What, c.want) || c.pointer != "" && e.Pointer != c.pointer || e.Next == "" {
			t.Errorf("%s: Read(%s) = %+v, want %q at %s", c.rule, c.text, e, c.want, c.pointer)
		}
	}
}

// A few sets that refer to each other do not make sources without end.
func TestResolverIsBounded(t *testing.T) {
	text := `"sets":{"a":{"sources":[{"x":{"$value":1}}]}`
	for name := 'b'; name <= 'z'; name++ {
		ref := `{"$ref":"#/sets/` + string(name-1) + `"}`
		text += `,"` + string(name) + `":{"sources":[` + ref + "," + ref + `]}`
	}
	_, err := form.Read([]*model.File{fileOf(t, "r.json", resolverDocument(text+`},"resolutionOrder":[{"$ref":"#/sets/z"}]`))}, form.Options{})
	if err == nil || !strings.Contains(err.Error(), "too many sources") {
		t.Errorf("Read(sets that double 25 times) = %v, want an error", err)
	}
}

func TestResolverCase(t *testing.T) {
	const dir = "../../../shared/cases/tokens/14-resolver/"
	read := func(name string) (*model.File, error) {
		text, err := os.ReadFile(dir + name)
		if err != nil {
			return nil, err
		}
		return fileOf(t, name, string(text)), nil
	}
	f, err := read("acme.resolver.json")
	if err != nil {
		t.Skipf("SKIPPED: no ../shared with the case beside the repository: %v", err)
	}
	documents, err := form.Read([]*model.File{f}, form.Options{Open: func(document *model.File, name string) (*model.File, error) {
		return read(filepath.ToSlash(filepath.Join(filepath.Dir(document.Name), name)))
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(outline(documents...), "\n")
	for _, want := range []string{
		"= resolver:theme light,dark,Dim default light", "= resolver:size s,m default m", "bg color {\"$type\":\"color\",\"$value\":\"{palette.paper}\"}", "link  {\"$ref\":\"#/palette/accent/$root\"}",
		"cta/  {\"$extends\":\"{btn}\",\"$deprecated\":false}", "resolver:theme=dark btn.face color \"{palette.accent.soft}\"", "resolver:theme=Dim fg color \"#cccccc\"",
		"resolver:size=s step dimension {\"value\":12,\"unit\":\"px\"}", "z number {\"$type\":\"number\",\"$value\":1}",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("no line %s in\n%s", want, strings.Join(got, "\n"))
		}
	}
	if len(documents[0].Problems) > 0 || len(documents[0].Files) < 3 {
		t.Errorf("problems %v of %d files", documents[0].Problems, len(documents[0].Files))
	}
}

// Whatever a document says, reading it ends, with a document or an error that says what to do.
func TestResolverIsTotal(t *testing.T) {
	words := rapid.SampledFrom([]string{"#/sets/a", "#/sets/b", "#/modifiers/m", "#/$defs/a", "#", "#/resolutionOrder/0", "f.json", "f.json#/a", "%", "~", ""})
	members := rapid.SampledFrom([]string{"a", "b", "m", "$ref", "sources", "contexts", "default", "name", "type", "$value"})
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
			for _, name := range rapid.SliceOfNDistinct(members, 0, 3, rapid.ID[string]).Draw(t, "names") {
				n.Members = append(n.Members, jsontree.Member{Name: name, Value: value(depth-1).Draw(t, name)})
			}
			n.Index()
			return n
		})
	}
	o := opener(t, map[string]string{"f.json": resolverDocument(`"a":{"sources":[{"$ref":"f.json#/a"}]},"resolutionOrder":[]`)})
	rapid.Check(t, func(t *rapid.T) {
		root := jsontree.NewObject(jsontree.Member{Name: "version", Value: jsontree.NewString("2025.10")})
		for _, name := range []string{"sets", "modifiers", "$defs"} {
			root.Members = append(root.Members, jsontree.Member{Name: name, Value: value(4).Draw(t, name)})
		}
		order := jsontree.NewArray(rapid.SliceOfN(value(3), 1, 3).Draw(t, "order")...)
		root.Members = append(root.Members, jsontree.Member{Name: "resolutionOrder", Value: order})
		root.Index()
		f := model.NewFile("r.json", &syntax.File{Root: root})
		if _, err := form.Read([]*model.File{f}, o); err != nil {
			if e, ok := errors.AsType[*model.Error](err); !ok || e.Next == "" || e.What == "" {
				t.Fatalf("Read = %#v", err)
			}
		}
	})
}
