package changeset

import (
	"testing"

	"example.com/livery/internal/test/tokentreetest"
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
