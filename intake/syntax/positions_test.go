package syntax

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"

	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/renderer/jsontree"
)

func TestPlaces(t *testing.T) {
	places := Locate("{\n  \"a\": [{\"x\": 1}, \"}\"],\n  \"b/c\": {\n    \"\\u00e4\": {\"$value\": \"\\\"\"},\n    \"ö\": 1, \"d\": true\n  }\n}")
	cases := []struct {
		pointer      string
		line, column int
	}{
		{"", 1, 0},
		{"/a", 2, 3},
		{"/a/0", 2, 9},
		{"/a/0/x", 2, 10},
		{"/a/1", 2, 19},
		{"/a/2", 2, 0},
		{"/b~1c", 3, 3},
		{"/b~1c/ä", 4, 5},
		{"/b~1c/ä/$value", 4, 16},
		{"/b~1c/d", 5, 13},
		{"/b~1c/none", 3, 0},
	}
	for _, c := range cases {
		if line, column := places.Line(c.pointer), places.Column(c.pointer); line != c.line || column != c.column {
			t.Errorf("Line, Column(%s) = %d, %d, want %d, %d", c.pointer, line, column, c.line, c.column)
		}
	}
}

// TestLocateFindsEveryMember: every member of every object and every item of every array has a place, whatever the text.
func TestLocateFindsEveryMember(t *testing.T) {
	var value func(depth int) *rapid.Generator[*jsontree.Node]
	value = func(depth int) *rapid.Generator[*jsontree.Node] {
		return rapid.Custom(func(t *rapid.T) *jsontree.Node {
			kind := rapid.IntRange(0, 3).Draw(t, "kind")
			switch {
			case depth == 0 || kind == 0:
				return jsontree.NewString(rapid.StringN(0, 4, -1).Draw(t, "text"))
			case kind == 1:
				return jsontree.NewArray(rapid.SliceOfN(value(depth-1), 0, 3).Draw(t, "items")...)
			}
			n := jsontree.NewObject()
			for _, name := range rapid.SliceOfNDistinct(rapid.StringN(0, 3, -1), 0, 3, rapid.ID[string]).Draw(t, "names") {
				n.Members = append(n.Members, jsontree.Member{Name: name, Value: value(depth-1).Draw(t, "member")})
			}
			return n
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		root := value(3).Draw(t, "root")
		text := string(jsontree.Append(nil, root))
		places := Locate(text)
		var visit func(n *jsontree.Node, at jsontree.Pointer)
		visit = func(n *jsontree.Node, at jsontree.Pointer) {
			for i, item := range n.Items() {
				below := append(at[:len(at):len(at)], strconv.Itoa(i))
				if places.Column(below.String()) == 0 {
					t.Fatalf("Locate(%s) does not know %s", text, below)
				}
				visit(item, below)
			}
			for _, m := range n.Members {
				below := append(at[:len(at):len(at)], m.Name)
				if places.Column(below.String()) == 0 {
					t.Fatalf("Locate(%s) does not know %s", text, below)
				}
				visit(m.Value, below)
			}
		}
		visit(root, nil)
	})
}
