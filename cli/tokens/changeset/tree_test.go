package changeset

import (
	"testing"

	"pgregory.net/rapid"

	_ "example.com/livery/internal/test/sameseed" // make fuzz draws others
	"example.com/livery/internal/test/tokentreetest"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

func TestJoin(t *testing.T) {
	cases := []struct{ rule, under, over, want string }{
		{"groups are joined", `{"a":{"x":{"$value":1}}}`, `{"a":{"y":{"$value":2}}}`, `{"a":{"x":{"$value":1},"y":{"$value":2}}}`},
		{"a token takes the place as a whole", `{"a":{"$value":1,"$description":"old"}}`, `{"a":{"$value":2}}`, `{"a":{"$value":2}}`},
		{"a token takes the place of a group", `{"a":{"x":{"$value":1}}}`, `{"a":{"$value":2}}`, `{"a":{"$value":2}}`},
		{"a group takes the place of a token", `{"a":{"$value":1}}`, `{"a":{"x":{"$value":2}}}`, `{"a":{"x":{"$value":2}}}`},
		{"the place of a member is kept", `{"a":{"$value":1},"b":{"$value":2}}`, `{"a":{"$value":3}}`, `{"a":{"$value":3},"b":{"$value":2}}`},
		{"metadata of a group is replaced, not joined", `{"$extensions":{"x":1},"$type":"number"}`, `{"$extensions":{"y":2}}`, `{"$extensions":{"y":2},"$type":"number"}`},
		{"a root token is a token", `{"a":{"$root":{"$value":1,"$type":"number"}}}`, `{"a":{"$root":{"$value":2}}}`, `{"a":{"$root":{"$value":2}}}`},
	}
	for _, c := range cases {
		under := tokentreetest.Parse(t, c.under)
		if got := string(jsontree.Append(nil, Join(under, tokentreetest.Parse(t, c.over)))); got != c.want {
			t.Errorf("%s: Join(%s, %s) = %s, want %s", c.rule, c.under, c.over, got, c.want)
		}
		if after := string(jsontree.Append(nil, under)); after != c.under {
			t.Errorf("%s: Join changed its argument to %s", c.rule, after)
		}
	}
}

// TestTreeIsWhatWasRead: a document that holds only what a token read lists comes back whole, with
// every number as it was spelled.
func TestTreeIsWhatWasRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := tokentreetest.Documents(3).Draw(t, "document")
		back, err := Tree(tokentreetest.SetOf(root))
		if err != nil {
			t.Fatal(err)
		}
		if !jsontree.Equal(root, back) {
			t.Errorf("tree(read(%s)) = %s", jsontree.Append(nil, root), jsontree.Append(nil, back))
		}
		if got, want := jsontree.Append(nil, dtcg.Read(back).Root), jsontree.Append(nil, root); len(got) != len(want) {
			t.Errorf("tree(read(%s)) spells numbers anew: %s", want, got)
		}
	})
}
