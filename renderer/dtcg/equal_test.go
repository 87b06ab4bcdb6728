package dtcg_test

import (
	"testing"

	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

func TestTokensAreEqualButForTheirOwnType(t *testing.T) {
	for rule, c := range map[string]struct {
		a, b string
		want bool
	}{
		"a type that only one has":            {`{"$type":"number","$value":1}`, `{"$value":1.0}`, true},
		"two types":                           {`{"$type":"number","$value":1}`, `{"$value":1,"$type":"color"}`, true},
		"another value":                       {`{"$type":"number","$value":1}`, `{"$type":"number","$value":2}`, false},
		"another description":                 {`{"$value":1,"$description":"a"}`, `{"$value":1}`, false},
		"a $type deeper within is a member":   {`{"$value":{"$type":1}}`, `{"$value":{}}`, false},
		"neither has a type, and order is no": {`{"$value":1,"$description":"a"}`, `{"$description":"a","$value":1}`, true},
	} {
		a, err := jsontree.Parse(c.a)
		if err != nil {
			t.Fatal(err)
		}
		b, err := jsontree.Parse(c.b)
		if err != nil {
			t.Fatal(err)
		}
		before := string(jsontree.Append(nil, a))
		if got := dtcg.EqualButType(a, b); got != c.want {
			t.Errorf("%s: EqualButType(%s, %s) = %t, want %t", rule, c.a, c.b, got, c.want)
		}
		if after := string(jsontree.Append(nil, a)); after != before {
			t.Errorf("%s: EqualButType changed %s to %s", rule, before, after)
		}
	}
}
