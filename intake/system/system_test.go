package system

import (
	"fmt"
	"strings"
	"testing"

	"example.com/livery/intake/form"
	"example.com/livery/intake/model"
	"example.com/livery/intake/syntax"
	"example.com/livery/renderer/jsontree"
)

// readTexts reads texts as files called a, b, and so on.
func readTexts(t *testing.T, texts ...string) []*model.Document {
	t.Helper()
	var files []*model.File
	for i, text := range texts {
		name := string(rune('a'+i)) + ".json"
		if !strings.HasPrefix(text, "{") {
			name = string(rune('a'+i)) + ".css"
		}
		parsed, err := syntax.Parse(name, text)
		if err != nil {
			t.Fatalf("Parse(%s) = %v", text, err)
		}
		files = append(files, model.NewFile(name, parsed))
	}
	documents, err := form.Read(files, form.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return documents
}

// ordered makes a layer of each document.
func ordered(documents []*model.Document) (layers []Layer) {
	for _, d := range documents {
		layers = append(layers, Layer{d})
	}
	return layers
}

func describeProblems(list []model.Problem) string {
	var all []string
	for _, p := range list {
		all = append(all, fmt.Sprintf("%s %s: %s", p.Place, p.Path, p.Message))
	}
	return strings.Join(all, "; ")
}

func TestLay(t *testing.T) {
	const whole = `{"$description":"all","$type":"color","a":{"$extensions":{"x":[1]},"b":{"$value":"#fff","$description":"b"},"c":{"$type":"number","$value":1}},"$defs":{"d":1},"e":{"$ref":"#/a/b"},"f":{}}`
	cases := []struct {
		rule     string
		texts    []string
		want     string
		problems string
	}{
		{"one file keeps its document", []string{whole}, `{"$description":"all","$type":"color","$defs":{"d":1},"a":{"$extensions":{"x":[1]},"b":{"$value":"#fff","$description":"b"},"c":{"$type":"number","$value":1}},"e":{"$ref":"#/a/b"},"f":{}}`, ""},
		{"tokens stand where they are first", []string{`{"a":{"$value":1},"b":{"$value":2}}`, `{"c":{"$value":3},"a":{"$value":4}}`}, `{"a":{"$value":4},"b":{"$value":2},"c":{"$value":3}}`, ""},
		{"groups are joined, their metadata too", []string{`{"a":{"$description":"x","$extensions":{"x":1},"b":{"$value":1}}}`, `{"a":{"$extensions":{"y":1},"c":{"$value":2}}}`}, `{"a":{"$description":"x","$extensions":{"y":1},"b":{"$value":1},"c":{"$value":2}}}`, ""},
		{"definitions are joined", []string{`{"$defs":{"x":{"y":1}},"a":{"$value":1}}`, `{"$defs":{"x":{"z":2}},"b":{"$value":2}}`}, `{"$defs":{"x":{"y":1,"z":2}},"a":{"$value":1},"b":{"$value":2}}`, ""},
		{"a definition that replaces another is named", []string{`{"$defs":{"x":{"$value":1}},"a":{"$value":1}}`, `{"$defs":{"x":{"$value":2}},"b":{"$value":2}}`}, `{"$defs":{"x":{"$value":2}},"a":{"$value":1},"b":{"$value":2}}`, "b.json:1 $defs.x: another file defines it too, and this one counts for both"},
		{"the type of a root is that of its file", []string{`{"$type":"color","a":{"$value":"#fff"}}`, `{"b":{"$value":"1px"}}`}, `{"a":{"$type":"color","$value":"#fff"},"b":{"$value":"1px"}}`, ""},
		{"a root keeps its type if no token would inherit a wrong one", []string{`{"$type":"color","a":{"$value":"#fff"}}`, `{"b":{"$type":"number","$value":1}}`}, `{"$type":"color","a":{"$value":"#fff"},"b":{"$type":"number","$value":1}}`, ""},
		{"a token keeps the type that a group of its file gives it", []string{`{"a":{"$type":"color","b":{"$value":"#fff"}}}`, `{"a":{"$type":"number","c":{"$value":1}}}`}, `{"a":{"$type":"number","b":{"$type":"color","$value":"#fff"},"c":{"$value":1}}}`, ""},
		{"a value without a type keeps the one of before", []string{`{"a":{"$type":"number","$value":1}}`, `{"a":{"$value":2}}`}, `{"a":{"$type":"number","$value":2}}`, ""},
		{"a token whose path is also a group is the root of it", []string{`{"a":{"b":{"$value":1}}}`, `{"a":{"$value":3}}`}, `{"a":{"b":{"$value":1},"$root":{"$value":3}}}`, ""},
		{"in either order", []string{`{"a":{"$type":"number","$value":3},"c":{"$value":"{a} {a.b}"}}`, `{"a":{"$description":"x","b":{"$value":1}}}`}, `{"a":{"$description":"x","$root":{"$type":"number","$value":3},"b":{"$value":1}},"c":{"$value":"{a.$root} {a.b}"}}`, ""},
		{"a later value of a root counts", []string{`{"a":{"$value":3,"b":{"$value":1}}}`, `{"a":{"$value":4}}`, `{"a":{"$root":{"$value":5}}}`}, `{"a":{"$root":{"$value":5},"b":{"$value":1}}}`, ""},
		{"properties of stylesheets refer to tokens of all files", []string{`:root{--x:var(--a);--y:var(--none)}`, `{"a":{"$type":"color","$value":"#fff"}}`}, `{"x":{"$value":"{a}"},"a":{"$type":"color","$value":"#fff"}}`, "a.css:1 y: var(--none) has no value: declare the property that it refers to in one of the files"},
	}
	for _, c := range cases {
		r := Lay(ordered(readTexts(t, c.texts...)), model.Choice{})
		if got := string(jsontree.Append(nil, r.Tree)); got != c.want || describeProblems(r.Problems) != c.problems {
			t.Errorf("%s: Lay(%s) = %s with the problems %q, want %s and %q", c.rule, c.texts, got, describeProblems(r.Problems), c.want, c.problems)
		}
	}
}

// TestLay_Unordered: in a layer what holds under more conditions wins, whatever the files are called.
func TestLay_Unordered(t *testing.T) {
	documents := readTexts(t, `.dark{--a:2px}:root{--b:1px}`, `:root{--a:1px}`)
	dark := model.Choice{form.CSSAxis(".dark"): ""}
	for rule, layers := range map[string][]Layer{"a: 2px": {documents}, "a: 1px": ordered(documents)} {
		r := Lay(layers, dark)
		if got := "a: " + r.Tree.Find("a").Find("$value").Text; got != rule {
			t.Errorf("%d layers give %s, want %s", len(layers), got, rule)
		}
	}
	r := Lay([]Layer{documents}, dark)
	if len(r.Replaced) != 1 || r.Replaced[0].Equals || r.Replaced[0].By.String() != "a.css:1" || r.Replaced[0].Was.String() != "b.css:1" {
		t.Errorf("Replaced = %+v", r.Replaced)
	}
}

// TestLay_Default: a document that lacks the chosen mode of a dimension is read in its default.
func TestLay_Default(t *testing.T) {
	document := func(mode string) *model.Document {
		axis := model.Axis{Kind: model.Figma, Name: "Colors"}
		d := &model.Document{Dimensions: []model.Dimension{{Axis: axis, Modes: []string{mode}, Default: mode}}}
		n, _ := jsontree.Parse(`{"$value":"` + mode + `"}`)
		d.Decls = []model.Decl{{Path: []string{mode}, Node: n, When: []model.Context{{{Axis: axis, Mode: mode}}}}}
		return d
	}
	light, dark := document("light"), document("dark")
	r := Lay(ordered([]*model.Document{light, dark}), model.Choice{light.Dimensions[0].Axis: "light"})
	if got := string(jsontree.Append(nil, r.Tree)); got != `{"light":{"$value":"light"},"dark":{"$value":"dark"}}` {
		t.Errorf("Lay = %s", got)
	}
}

// TestRead_Places: tokens are found in their files after the passes moved and changed them.
func TestRead_Places(t *testing.T) {
	documents := readTexts(t, "{\"a\":{\n\"x.y\":{\"$type\":\"number\",\"$value\":1},\n\"z\":{\"$type\":\"color\",\"$value\":\n\"#fff\"}},\n\"b\":{\"$extends\":\"{a}\"}}")
	r := Read(ordered(documents), model.Choice{})
	for path, want := range map[string]string{"a.x-y": "a.json:2", "a.z": "a.json:3", "b.z": "a.json:3", "b.x-y": "a.json:2", "a": "a.json:2", "b": "a.json:5"} {
		if got := r.PlaceOf(path).String(); got != want {
			t.Errorf("%s is found at %s, want %s", path, got, want)
		}
	}
	if got := r.Place("/a/z/$value").String(); got != "a.json:3" {
		t.Errorf("the value of a.z is found at %s", got)
	}
}
