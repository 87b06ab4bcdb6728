// Package tokentreetest has what tests of token trees share.
package tokentreetest

import (
	"testing"

	"pgregory.net/rapid"

	"example.com/livery/renderer/jsontree"
)

// Parse parses text, and ends the test if it is not JSON.
func Parse(t testing.TB, text string) *jsontree.Node {
	t.Helper()
	n, err := jsontree.Parse(text)
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	return n
}

// Documents draws documents without empty groups and without members that the API does not list.
func Documents(depth int) *rapid.Generator[*jsontree.Node] {
	return rapid.Custom(func(t *rapid.T) *jsontree.Node {
		n := jsontree.NewObject()
		if rapid.Bool().Draw(t, "typed") {
			n.Members = append(n.Members, jsontree.Member{Name: "$type", Value: jsontree.NewString("number")})
		}
		if rapid.Bool().Draw(t, "described") {
			n.Members = append(n.Members, jsontree.Member{Name: "$description", Value: jsontree.NewString("d")})
		}
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c/d", "e~f", "$root"}), 1, 3, rapid.ID[string]).Draw(t, "names") {
			if depth > 0 && name != "$root" && rapid.Bool().Draw(t, "group") {
				n.Members = append(n.Members, jsontree.Member{Name: name, Value: Documents(depth-1).Draw(t, name)})
				continue
			}
			token := jsontree.NewObject(jsontree.Member{Name: "$value", Value: &jsontree.Node{Kind: jsontree.Number, Text: rapid.SampledFrom([]string{"1", "0.10", "2e3"}).Draw(t, "value")}})
			if rapid.Bool().Draw(t, "extended") {
				token.Members = append(token.Members, jsontree.Member{Name: "$extensions", Value: jsontree.NewObject(jsontree.Member{Name: "x", Value: jsontree.NewString("y")})})
			}
			n.Members = append(n.Members, jsontree.Member{Name: name, Value: token})
		}
		return n
	})
}
