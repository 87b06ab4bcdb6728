package form_test

import (
	"fmt"
	"os"
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

// fileOf parses a text.
func fileOf(t testing.TB, name, text string) *model.File {
	t.Helper()
	parsed, err := syntax.Parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	return model.NewFile(name, parsed)
}

// outline lists the dimensions, declarations and problems of documents, one a line. Metadata of a group has a slash behind its path.
func outline(documents ...*model.Document) string {
	var lines []string
	for _, d := range documents {
		for _, dimension := range d.Dimensions {
			lines = append(lines, fmt.Sprintf("= %s:%s %s default %s", dimension.Kind, dimension.Name, strings.Join(dimension.Modes, ","), dimension.Default))
		}
		for _, decl := range d.Decls {
			var when []string
			for _, context := range decl.When {
				var all []string
				for _, c := range context {
					all = append(all, c.Kind.String()+":"+c.Name+"="+c.Mode)
				}
				when = append(when, strings.Join(all, "&"))
			}
			path, node := decl.Name(), decl.Node
			if decl.Group {
				path += "/"
			} else if node.Find("$value") != nil && len(when) > 0 {
				node = node.Find("$value")
			}
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", strings.Join(when, " "), path, decl.Type, jsontree.Append(nil, node))))
		}
		for _, p := range d.Problems {
			lost := "!"
			if p.Lost {
				lost = "!!"
			}
			lines = append(lines, fmt.Sprintf("%s %s %s: %s", lost, p.Place, p.Path, p.Message))
		}
	}
	return strings.Join(lines, "\n")
}

// formCase is a text with what is read of it.
type formCase struct{ rule, text, want string }

func runForms(t *testing.T, wantForm string, o form.Options, cases []formCase) {
	t.Helper()
	for _, c := range cases {
		documents, err := form.Read([]*model.File{fileOf(t, "t.json", c.text)}, o)
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		if got := outline(documents...); got != c.want || documents[0].Form != wantForm {
			t.Errorf("%s: %s is\n%s\nwant %s:\n%s", c.rule, documents[0].Form, got, wantForm, c.want)
		}
	}
}

func TestDTCG(t *testing.T) {
	runForms(t, "a DTCG document", form.Options{}, []formCase{
		{
			"tokens and metadata are as they are written, in their order",
			`{"$schema":"https://x","c":{"$type":"color","$description":"d","a":{"$value":"#000","$extensions":{"x":1}},"e":{},"$deprecated":true},"$root":{"$type":"number","$value":1}}`,
			"/  {\"$schema\":\"https://x\"}\nc/ color {\"$type\":\"color\",\"$description\":\"d\"}\nc.a color {\"$value\":\"#000\",\"$extensions\":{\"x\":1}}\nc.e/ color {}\n" +
				"c/ color {\"$deprecated\":true}\n$root number {\"$type\":\"number\",\"$value\":1}",
		},
		{
			"references are tokens if no member of a group stands beside them",
			`{"a":{"$ref":"#/b/c"},"b":{"$ref":"#/d","c":{"$type":"number","$value":1}},"e":{"$extends":"{b}"}}`,
			"a  {\"$ref\":\"#/b/c\"}\nb/  {\"$ref\":\"#/d\"}\nb.c number {\"$type\":\"number\",\"$value\":1}\ne/  {\"$extends\":\"{b}\"}",
		},
		{
			"a group may be called value, and a name may begin with a dollar sign",
			`{"value":{"$type":"color","value":{"$value":"#111"},"type":{"$value":"#222"}},"$blue":{"$value":"#00f"}}`,
			"value/ color {\"$type\":\"color\"}\nvalue.value color {\"$value\":\"#111\"}\nvalue.type color {\"$value\":\"#222\"}\n$blue  {\"$value\":\"#00f\"}",
		},
		{
			"names without dollar signs or in other letters count",
			`{"a":{"$Value":1,"$type":"number"},"b":{"value":"2px","type":"dimension","comment":"c"}}`,
			"a number {\"$value\":1,\"$type\":\"number\"}\nb dimension {\"$type\":\"dimension\",\"$value\":\"2px\",\"$description\":\"c\"}\n" +
				"! t.json:1 a: $Value counts as $value\n! t.json:1 b: its value counts as its $value: \"2px\"",
		},
		{
			"what is neither group nor token is named",
			`{"version":1,"g":{"comment":"red","sm":"4px","list":[{"$value":1}],"is":true,"t":{"$value":1,"order":2,"darkValue":"#000","in":{"$value":3}},"size":{"value":4,"unit":"px"}}}`,
			"g.t  {\"$value\":1}\ng.t.in  {\"$value\":3}\n! t.json:1 version: 1 is left out; write {\"$value\": …} if it is a token, else put it into $extensions\n" +
				"! t.json:1 g.comment: \"red\" is left out; write {\"$value\": …} if it is a token, else put it into $extensions\n" +
				"!! t.json:1 g.sm: \"4px\" is left out; write {\"$value\": …} if it is a token, else put it into $extensions\n" +
				"!! t.json:1 g.list: it stands in an array, and only groups hold tokens; write a group with a name for each\n" +
				"! t.json:1 g.is: true is left out; write {\"$value\": …} if it is a token, else put it into $extensions\n" +
				"! t.json:1 g.t.order: 2 is left out; put it into $extensions to keep it\n!! t.json:1 g.t.darkValue: \"#000\" is left out; put it into $extensions to keep it\n" +
				"!! t.json:1 g.size: {\"value\":4,\"unit\":\"px\"} is left out; write {\"$value\": …} if it is a token, else put it into $extensions",
		},
		{
			"a $type without a $value is named",
			`{"$value":1,"a":{"$type":"color"},"b":{"$type":"color","$val":"#000"}}`,
			"a/ color {\"$type\":\"color\"}\nb/ color {\"$type\":\"color\",\"$val\":\"#000\"}\n!! t.json:1 $value: 1 is left out: the root of a document is a group\n" +
				"! t.json:1 a: it has a $type and no $value, so it is a group without tokens\n!! t.json:1 b: it has a $val and no $value; write $value",
		},
		{
			"modes of $extensions are those of a collection if it has a name, and the $value is of the first mode that has it",
			`{"a":{"$value":1,"$extensions":{"mode":{"Dark":2,"Light":1},"figma":{"collection":{"name":"Colors"}}}},"b":{"$value":3,"$extensions":{"mode":{"dim":4}}}}`,
			"= figma:Colors Dark,Light default Light\n= value:mode default,dim default default\n" +
				"a  {\"$value\":1,\"$extensions\":{\"mode\":{\"Dark\":2,\"Light\":1},\"figma\":{\"collection\":{\"name\":\"Colors\"}}}}\nfigma:Colors=Dark a  2\n" +
				"b  {\"$value\":3,\"$extensions\":{\"mode\":{\"dim\":4}}}\nvalue:mode=dim b  4",
		},
	})
}

func TestIsDTCG(t *testing.T) {
	for text, want := range map[string]bool{
		`{"$schema":"https://www.designtokens.org/schemas/2025.10/format.json"}`: true, `{"a":{"b":{"$ref":"#/c"}}}`: true, `{"a":{"$VALUE":1}}`: true,
		`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/b"}}}`: false, `{"a":{"b":{"c":1}}}`: false, `[{"$value":1}]`: false, `1`: false,
	} {
		documents, err := form.Read([]*model.File{fileOf(t, "t.json", text)}, form.Options{})
		if err != nil || (documents[0].Form == "a DTCG document") != want {
			t.Errorf("%s is %q, %v", text, documents[0].Form, err)
		}
	}
}

// rebuild lays the declarations that hold always into a tree: metadata member by member, and tokens whole.
func rebuild(decls []model.Decl) *jsontree.Node {
	root := jsontree.NewObject()
	for _, d := range decls {
		n := root
		for i, name := range d.Path {
			if !d.Group && i == len(d.Path)-1 {
				n.Members = append(n.Members, jsontree.Member{Name: name, Value: d.Node})
				break
			}
			at := slices.IndexFunc(n.Members, func(m jsontree.Member) bool { return m.Name == name })
			if at < 0 {
				at, n.Members = len(n.Members), append(n.Members, jsontree.Member{Name: name, Value: jsontree.NewObject()})
			}
			n = n.Members[at].Value
		}
		if d.Group {
			n.Members = append(n.Members, d.Node.Members...)
		}
	}
	return root
}

func TestDTCGKeepsDocuments(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/corpus/*.tokens.json")
	examples, _ := filepath.Glob("../../../shared/suites/dtcg-spec-examples/0*.json")
	cases, _ := filepath.Glob("../../../shared/cases/tokens/*/theme.json")
	if files = slices.Concat(files, examples, cases); len(files) == 0 {
		t.Skip("SKIPPED: no ../shared with documents of DTCG beside the repository")
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f := fileOf(t, filepath.Base(name), string(text))
		documents, err := form.Read([]*model.File{f}, form.Options{})
		if err != nil || documents[0].Form != "a DTCG document" {
			t.Logf("%s is %q: %v", name, documents[0].Form, err)
			continue
		}
		got, want := string(jsontree.Append(nil, rebuild(documents[0].Decls))), string(jsontree.Append(nil, f.Root))
		isLeftOut := func(p model.Problem) bool { return p.Kind != "tokens without a $value" }
		if got != want && !slices.ContainsFunc(documents[0].Problems, isLeftOut) {
			t.Errorf("%s: the declarations are not the document", name)
		}
		for i, p := range documents[0].Problems {
			if i < 3 {
				t.Logf("%s: %s: %s: %s", p.Place, p.Path, p.Kind, p.Message)
			}
		}
	}
}

func TestCases(t *testing.T) {
	const dir = "../../../shared/cases/tokens/"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("SKIPPED: no ../shared with the cases beside the repository")
	}
	for name, want := range map[string]string{
		"06-names/theme.json": "a DTCG document 31 0", "16-numbers/theme.json": "a DTCG document 42 0", "28-alpha-ref/dark.json": "a flat map of paths to values 2 0",
		"28-alpha-ref/theme.json": "a DTCG document 16 0", "31-tokens-dark-files/a/tokens-dark.json": "a DTCG document 5 0", "33-bom-crlf-dup/theme.json": "a DTCG document 2 0",
		"36-braces-in-text/theme.json": "a DTCG document 26 0",
	} {
		text, err := os.ReadFile(dir + name)
		if err != nil {
			t.Fatal(err)
		}
		documents, err := form.Read([]*model.File{fileOf(t, name, string(text))}, form.Options{})
		if err != nil {
			t.Fatal(err)
		}
		d := documents[0]
		isConditional := func(decl model.Decl) bool { return len(decl.When) > 0 }
		if got := fmt.Sprintf("%s %d %d", d.Form, len(d.Decls), len(d.Problems)); got != want || slices.ContainsFunc(d.Decls, isConditional) {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// Each value of a document is in a declaration or in a problem.
func TestDTCGLosesNothing(t *testing.T) {
	names := rapid.SampledFrom([]string{"a", "b", "value", "type", "comment", "$value", "$Value", "$type", "$ref", "$x", "$root", "light", "dark", "_hover"})
	leaves := rapid.SampledFrom([]string{"#000", "4px", "color", "#/a", "{a}", "word"})
	var value func(depth int) *rapid.Generator[*jsontree.Node]
	value = func(depth int) *rapid.Generator[*jsontree.Node] {
		return rapid.Custom(func(t *rapid.T) *jsontree.Node {
			switch kind := rapid.IntRange(0, 5).Draw(t, "kind"); {
			case depth == 0 || kind == 0:
				return jsontree.NewString(leaves.Draw(t, "leaf"))
			case kind == 1:
				return jsontree.NewArray(rapid.SliceOfN(value(depth-1), 0, 2).Draw(t, "items")...)
			}
			n := jsontree.NewObject()
			for _, name := range rapid.SliceOfNDistinct(names, 0, 4, rapid.ID[string]).Draw(t, "names") {
				n.Members = append(n.Members, jsontree.Member{Name: name, Value: value(depth-1).Draw(t, name)})
			}
			n.Index()
			return n
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		root := jsontree.NewObject(jsontree.Member{Name: "$schema", Value: jsontree.NewString("https://www.designtokens.org/schemas/2025.10/format.json")}, jsontree.Member{Name: "g", Value: value(4).Draw(t, "g")})
		f := model.NewFile("t.json", &syntax.File{Root: root})
		documents, err := form.Read([]*model.File{f}, form.Options{})
		if err != nil {
			t.Fatal(err)
		}
		covered := func(p jsontree.Pointer) bool {
			at := p.String() + "/"
			isIn := func(pointer string) bool { return strings.HasPrefix(at, pointer+"/") }
			return slices.ContainsFunc(documents[0].Problems, func(p model.Problem) bool { return isIn(p.Pointer) }) ||
				slices.ContainsFunc(documents[0].Decls, func(d model.Decl) bool {
					return !d.Group && isIn(d.Pointer) || d.Group && slices.ContainsFunc(d.Node.Members, func(m jsontree.Member) bool { return isIn(d.Pointer + "/" + m.Name) })
				})
		}
		var walk func(n *jsontree.Node, at jsontree.Pointer)
		walk = func(n *jsontree.Node, at jsontree.Pointer) {
			if !n.IsObject() && !covered(at) {
				t.Fatalf("%s is in no declaration and no problem: %s", at, jsontree.Append(nil, root))
			}
			for _, m := range n.Members {
				walk(m.Value, append(at[:len(at):len(at)], m.Name))
			}
		}
		walk(root, nil)
	})
}
