package form

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"example.com/livery/intake/model"
	"example.com/livery/intake/tree"
	"example.com/livery/intake/value"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// bareNumber is one without a unit, as people write it in a string too.
var bareNumber = regexp.MustCompile(`^-?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$`)

// commentNames are the members in which people write comments.
var commentNames = []string{"comment", "description", "desc", "docs", "documentation", "note", "notes"}

// tokenMembers are the members of a token without dollar signs that are never tokens inside it.
var tokenMembers = append([]string{"value", "type", "sets", "original", "attributes", "deprecated", "deprecated_comment"}, commentNames...)

// isAnyToken reports whether n is a token of DTCG or of the form before it, and not a group with a group called value.
func isAnyToken(n *jsontree.Node) bool {
	v := n.Find("value")
	switch {
	case !n.IsObject():
		return false
	case n.Find("$value") != nil:
		return true
	case v == nil || n.Find("unit") != nil:
		return false
	}
	return n.Find("type").IsString() || !v.IsObject() || !holdsToken(v)
}

// isQuantity reports whether a member of a group is a number and a unit, which without dollar signs is a token.
func isQuantity(n *jsontree.Node) bool {
	v := n.Find("value")
	return v != nil && bareNumber.MatchString(v.Text) && value.Text(n.Find("unit")) != ""
}

// holdsToken reports whether an object is a token or one stands below it.
func holdsToken(n *jsontree.Node) bool {
	return isAnyToken(n) || slices.ContainsFunc(n.Members, func(m jsontree.Member) bool {
		return !dtcg.IsMetadata(m.Name) && m.Value.IsObject() && holdsToken(m.Value)
	})
}

// valueName returns the name of the member of a token that holds its value.
func valueName(token *jsontree.Node) string {
	if token.Find("$value") == nil {
		return "value"
	}
	return "$value"
}

// valueOf returns the value of a token.
func valueOf(token *jsontree.Node) *jsontree.Node {
	return cmp.Or(token.Find("$value"), token.Find("value"))
}

// walkTokens visits the tokens of a group in their order, also those that stand inside tokens, with the $type of the nearest group above, and, if visitGroup
// is not nil, the metadata of groups. at is the place of the group.
func walkTokens(group *jsontree.Node, at jsontree.Pointer, visit func(at jsontree.Pointer, token *jsontree.Node, above string), visitGroup func(at jsontree.Pointer, metadata *jsontree.Node)) {
	walkGroup(group, at, "", visit, visitGroup)
}

func walkGroup(n *jsontree.Node, at jsontree.Pointer, above string, visit func(jsontree.Pointer, *jsontree.Node, string), visitGroup func(jsontree.Pointer, *jsontree.Node)) {
	isToken := isAnyToken(n) || isQuantity(n)
	if isToken {
		visit(slices.Clone(at), n, above)
	} else if metadata := metadataOf(n); visitGroup != nil && len(metadata.Members) > 0 {
		visitGroup(slices.Clone(at), metadata)
	}
	above = cmp.Or(value.Text(n.Find("$type")), above)
	for _, m := range n.Members {
		if !dtcg.IsMetadata(m.Name) && m.Value.IsObject() && !(isToken && slices.Contains(tokenMembers, m.Name)) {
			walkGroup(m.Value, append(at, m.Name), above, visit, visitGroup)
		}
	}
}

// metadataOf returns the members of a group that begin with $.
func metadataOf(group *jsontree.Node) *jsontree.Node {
	return tree.MapMembers(group, func(m jsontree.Member) jsontree.Member {
		if !dtcg.IsMetadata(m.Name) {
			m.Value = nil
		}
		return m
	})
}

// strayMembers names the members of groups that are neither groups nor tokens. A comment is not lost.
func strayMembers(f *model.File, group *jsontree.Node, pointer string) (problems []model.Problem) {
	var walk func(n *jsontree.Node, at jsontree.Pointer)
	walk = func(n *jsontree.Node, at jsontree.Pointer) {
		for _, m := range n.Members {
			below := append(at[:len(at):len(at)], m.Name)
			switch {
			case dtcg.IsMetadata(m.Name) || isAnyToken(m.Value) || isQuantity(m.Value):
			case m.Value.IsObject():
				walk(m.Value, below)
			default:
				problems = append(problems, model.Problem{
					Place: model.Place{File: f, Pointer: pointer + below.String()}, Path: strings.Join(below, "."), Kind: "members that are neither group nor token",
					Message: value.Spell(m.Value) + " is left out", Lost: !slices.Contains(commentNames, strings.TrimLeft(strings.ToLower(m.Name), "_")),
				})
			}
		}
	}
	walk(group, nil)
	return problems
}

// newToken returns a token of DTCG with a type and a value, and with the description, the deprecation and the members that begin with $ of n.
func newToken(n *jsontree.Node, kind string, v *jsontree.Node) *jsontree.Node {
	token := jsontree.NewObject()
	if kind != "" {
		token.Members = append(token.Members, jsontree.Member{Name: "$type", Value: jsontree.NewString(kind)})
	}
	token.Members = append(token.Members, jsontree.Member{Name: "$value", Value: v})
	for _, name := range append([]string{"$description"}, commentNames...) {
		if d := n.Find(name); value.Text(d) != "" {
			token.Members = append(token.Members, jsontree.Member{Name: "$description", Value: d})
			break
		}
	}
	if d := n.Find("deprecated"); d != nil && n.Find("$deprecated") == nil && (value.Text(d) != "" || d.True) {
		if reason := n.Find("deprecated_comment"); d.True && value.Text(reason) != "" {
			d = reason
		}
		token.Members = append(token.Members, jsontree.Member{Name: "$deprecated", Value: d})
	}
	for _, m := range n.Members {
		if dtcg.IsMetadata(m.Name) && m.Name != "$type" && m.Name != "$value" && m.Name != "$description" {
			token.Members = append(token.Members, m)
		}
	}
	token.Index()
	return token
}

func itemsOf(n *jsontree.Node) []*jsontree.Node {
	if n == nil {
		return nil
	}
	return n.Items()
}

func membersOf(n *jsontree.Node) []jsontree.Member {
	if n == nil {
		return nil
	}
	return n.Members
}
