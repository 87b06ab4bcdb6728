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

// visitor is called for the parts of a tree of tokens. at is the place of the part.
type visitor struct {
	token func(at jsontree.Pointer, token *jsontree.Node, above string) // above is the $type of the nearest group
	group func(at jsontree.Pointer, metadata *jsontree.Node)            // of a group with metadata
	stray func(at jsontree.Pointer, v *jsontree.Node)                   // a member of a group that is neither group nor token
}

// walkTokens visits the tokens of a group in their order, also those that stand inside tokens. Functions that are nil are not called.
func walkTokens(group *jsontree.Node, v visitor) { v.walk(group, nil, "", false) }

func (v visitor) walk(n *jsontree.Node, at jsontree.Pointer, above string, isInside bool) {
	isToken := isAnyToken(n) || isQuantity(n)
	if isToken && v.token != nil {
		v.token(at, n, above)
	} else if metadata := metadataOf(n); !isToken && v.group != nil && len(metadata.Members) > 0 {
		v.group(at, metadata)
	}
	isInside, above = isInside || isToken, cmp.Or(value.Text(n.Find("$type")), above)
	for _, m := range n.Members {
		isStray := !m.Value.IsObject()
		if dtcg.IsMetadata(m.Name) || isToken && slices.Contains(tokenMembers, m.Name) || isStray && (isInside || v.stray == nil) {
			continue
		}
		if below := append(at[:len(at):len(at)], m.Name); isStray {
			v.stray(below, m.Value)
		} else {
			v.walk(m.Value, below, above, isInside)
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

// reportStray reports a member of a group that is neither group nor token. A comment is not lost.
func reportStray(d *model.Document, at model.Place, path jsontree.Pointer, v *jsontree.Node) {
	isComment := slices.Contains(commentNames, strings.TrimLeft(strings.ToLower(path[len(path)-1]), "_"))
	d.Report(at, strings.Join(path, "."), strayMember, value.Spell(v)+" is left out", !isComment)
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
