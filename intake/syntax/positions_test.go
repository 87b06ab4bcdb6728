package syntax

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"

	_ "example.com/livery/internal/test/sameseed" // make suite NAME=fuzz draws others
	"example.com/livery/renderer/jsontree"
)

func TestPlaces(t *testing.T) {
	f, err := Parse("a.json", "{\n  \"a\": [{\"x\": 1}, \"}\"],\n  \"b/c\": {\n    \"\\u00e4\": {\"$value\": \"\\\"\"},\n    \"ö\": 1, \"d\": true\n  }\n}")
	if err != nil {
		t.Fatal(err)
	}
	places := f.Positions()
	cases := []struct {
		pointer string
		line    int
	}{
		{"", 1},
		{"/a", 2},
		{"/a/0", 2},
		{"/a/0/x", 2},
		{"/a/1", 2},
		{"/a/2", 2},
		{"/b~1c", 3},
		{"/b~1c/ä", 4},
		{"/b~1c/ä/$value", 4},
		{"/b~1c/d", 5},
		{"/b~1c/none", 3},
	}
	for _, c := range cases {
		if line := places.Line(c.pointer); line != c.line {
			t.Errorf("Line(%s) = %d, want %d", c.pointer, line, c.line)
		}
	}
}

// TestPositionsHaveEveryMember: every member of every object and every item of every array has a place, whatever the text.
func TestPositionsHaveEveryMember(t *testing.T) {
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
		f, err := Parse("a.json", text)
		if err != nil {
			t.Fatal(err)
		}
		places := f.Positions()
		var visit func(n *jsontree.Node, at jsontree.Pointer)
		visit = func(n *jsontree.Node, at jsontree.Pointer) {
			for i, item := range n.Items() {
				below := append(at[:len(at):len(at)], strconv.Itoa(i))
				if places.offsets[below.String()] == 0 {
					t.Fatalf("Positions of %s lack %s", text, below)
				}
				visit(item, below)
			}
			for _, m := range n.Members {
				below := append(at[:len(at):len(at)], m.Name)
				if places.offsets[below.String()] == 0 {
					t.Fatalf("Positions of %s lack %s", text, below)
				}
				visit(m.Value, below)
			}
		}
		visit(root, nil)
	})
}
