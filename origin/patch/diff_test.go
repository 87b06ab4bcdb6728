package patch_test

import (
	"strconv"
	"strings"
	"testing"

	"example.com/livery/origin/patch"
	"example.com/livery/renderer/jsontree"
)

func TestDiff(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 20)
	for _, c := range []struct{ name, from, to, moves, want string }{
		{"equal but for order and spelling", `{"a":1,"b":[2]}`, `{"b":[2.0],"a":1e0}`, "", `[]`},
		{"one value", `{"a":{"x":1,"y":2}}`, `{"a":{"x":1,"y":3}}`, "", `[{"op":"replace","path":"/a/y","value":3}]`},
		{"a token that is gone, one that is new", `{"a":1,"b":2}`, `{"a":1,"c":2}`, "", `[{"op":"remove","path":"/b"},{"op":"add","path":"/c","value":2}]`},
		{
			"replacing the whole is cheaper where much differs",
			`{"a":{"x":1,"y":2}}`, `{"a":{"z":3}}`, "", `[{"op":"replace","path":"/a","value":{"z":3}}]`,
		},
		{
			"changing a part is cheaper where much stays",
			`{"a":{"x":"` + long + `","y":{"z":1}}}`, `{"a":{"x":"` + long + `","y":{"z":2}}}`, "", `[{"op":"replace","path":"/a/y/z","value":2}]`,
		},
		{
			"arrays keep their common start and end",
			`{"a":["` + long + `",1,"` + long + `"]}`, `{"a":["` + long + `",2,3,"` + long + `"]}`, "",
			`[{"op":"replace","path":"/a/1","value":2},{"op":"add","path":"/a/2","value":3}]`,
		},
		{
			"arrays shrink from the end",
			`{"a":["` + long + `",1,2,3,"` + long + `"]}`, `{"a":["` + long + `","` + long + `"]}`, "",
			`[{"op":"remove","path":"/a/3"},{"op":"remove","path":"/a/2"},{"op":"remove","path":"/a/1"}]`,
		},
		{"a rename", `{"a":1,"b":2}`, `{"x":1,"b":2}`, "/a>/x", `[{"op":"move","from":"/a","path":"/x"}]`},
		{
			"a rename with another value (S168)",
			`{"a":{"$value":1},"b":2}`, `{"x":{"$value":2},"b":2}`, "/a>/x",
			`[{"op":"move","from":"/a","path":"/x"},{"op":"replace","path":"/x/$value","value":2}]`,
		},
		{
			"a swap needs one temporary name",
			`{"a":1,"b":2}`, `{"b":1,"a":2}`, "/a>/b /b>/a",
			`[{"op":"move","from":"/a","path":"/~01"},{"op":"move","from":"/b","path":"/a"},{"op":"move","from":"/~01","path":"/b"}]`,
		},
		{
			"a chain needs none",
			`{"a":1,"b":2}`, `{"b":1,"c":2}`, "/a>/b /b>/c",
			`[{"op":"move","from":"/b","path":"/c"},{"op":"move","from":"/a","path":"/b"}]`,
		},
		{
			"a group and a token in it",
			`{"g":{"x":1,"y":2}}`, `{"h":{"z":1,"y":2}}`, "/g>/h /g/x>/h/z",
			`[{"op":"move","from":"/g","path":"/h"},{"op":"move","from":"/h/x","path":"/h/z"}]`,
		},
		{
			"into a group that is new",
			`{"a":1}`, `{"g":{"a":1}}`, "/a>/g/a",
			`[{"op":"add","path":"/g","value":{}},{"op":"move","from":"/a","path":"/g/a"}]`,
		},
		{
			"a group into itself",
			`{"g":{"x":1}}`, `{"g":{"g":{"x":1}}}`, "/g>/g/g",
			`[{"op":"move","from":"/g","path":"/~01"},{"op":"add","path":"/g","value":{}},{"op":"move","from":"/~01","path":"/g/g"}]`,
		},
		{
			"who stands above a target and belongs elsewhere goes first",
			`{"a":{"m":1},"k":2}`, `{"a":{"x":2},"z":{"q":{"m":1}}}`, "/k>/a/x /a>/z/q",
			`[{"op":"add","path":"/z","value":{}},{"op":"move","from":"/a","path":"/z/q"},{"op":"add","path":"/a","value":{}},{"op":"move","from":"/k","path":"/a/x"}]`,
		},
		{"moves that lead nowhere are passed over", `{"a":1}`, `{"a":2}`, "/b>/c /a>/d />/a a>b", `[{"op":"replace","path":"/a","value":2}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, to := parse(t, c.from), parse(t, c.to)
			ops, made := patch.Diff(from, to, moves(c.moves))
			if got := string(patch.Append(nil, ops)); got != c.want {
				t.Errorf("Diff(%s, %s, %s)\n = %s\nwant %s", c.from, c.to, c.moves, got, c.want)
			}
			if got, _, faults := patch.Apply(from, ops, patch.Limits{}); len(faults) > 0 || !jsontree.Equal(got, to) || text(got) != text(made) {
				t.Errorf("applying it gives %v, %v, and Diff made %s", got, faults, text(made))
			}
		})
	}
}

// Thousands of renames in one draft cost linear time and one operation each.
func TestDiffOfManyRenames(t *testing.T) {
	t.Parallel()
	const count = 10000
	from, to := jsontree.NewObject(), jsontree.NewObject()
	var list []string
	for i := range count {
		a, b := "a"+strconv.Itoa(i), "a"+strconv.Itoa(i+1) // each name is taken by the next
		from.Members = append(from.Members, jsontree.Member{Name: a, Value: jsontree.NewString(a)})
		to.Members = append(to.Members, jsontree.Member{Name: b, Value: jsontree.NewString(a)})
		list = append(list, "/"+a+">/"+b)
	}
	from.Index()
	to.Index()
	ops, made := patch.Diff(from, to, moves(strings.Join(list, " ")))
	if len(ops) != count {
		t.Errorf("%d operations, want %d", len(ops), count)
	}
	if got, _, faults := patch.Apply(from, ops, patch.Limits{}); len(faults) > 0 || text(got) != text(to) || text(made) != text(to) {
		t.Errorf("applying them: %v", faults)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{`[`, "byte 1"},
		{`{}`, "an array of operations was expected, found a object"},
		{`[1]`, "operation 0: an object was expected"},
		{`[{"op":"remove","path":"/a"},{"op":"remove"}]`, "operation 1: member path is missing"},
		{`[{"path":"/a"}]`, "member op is missing"},
		{`[{"op":"move","path":"/a","from":1}]`, "member from must be a string"},
	} {
		if _, err := patch.Parse(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse(%s) = %v, want %q", c.text, err, c.want)
		}
	}
}
