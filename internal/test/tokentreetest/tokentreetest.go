// Package tokentreetest has what tests of token trees share.
package tokentreetest

import (
	"testing"

	"pgregory.net/rapid"

	"example.com/livery/client"
	"example.com/livery/renderer/dtcg"
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

// SetOf is what a token read answers for a document.
func SetOf(root *jsontree.Node) client.TokenSet {
	var set client.TokenSet
	optional := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	described := func(n *jsontree.Node) *string {
		if n.IsString() {
			return &n.Text
		}
		return nil
	}
	document := dtcg.Read(root)
	for _, t := range document.Tokens {
		set.Tokens = append(set.Tokens, client.Token{
			Path: t.Path, Type: optional(t.OwnType()), ResolvedType: optional(t.Resolved), Value: jsontree.Append(nil, t.Value),
			Description: described(t.Node.Find("$description")), Extensions: jsontree.Append(nil, t.Node.Find("$extensions")),
		})
	}
	for _, g := range document.Groups {
		set.Groups = append(set.Groups, client.Group{Path: g.Path, Type: optional(g.Type), Description: described(g.Description)})
	}
	return set
}

// Documents draws documents of what a token read lists: no empty groups, and no members beyond.
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
