package tokentree

import (
	"strings"

	"example.com/livery/renderer/jsontree"
)

// IsMeta reports whether a member of a group is neither a token nor a group.
func IsMeta(name string) bool { return strings.HasPrefix(name, "$") && name != "$root" }

// overlay returns under with over laid on top: groups are joined, a token and every $… member of
// over takes the place of what stood there. Neither is changed.
func overlay(under, over *jsontree.Node) *jsontree.Node {
	if !IsGroup(under) || !IsGroup(over) {
		return over
	}
	return JoinGroups(under, over)
}

// JoinGroups is overlay for two groups.
func JoinGroups(under, over *jsontree.Node) *jsontree.Node {
	members := append(make([]jsontree.Member, 0, len(under.Members)+len(over.Members)), under.Members...)
	joined := jsontree.NewObject(members...)
	joined.Index()
	for _, m := range over.Members {
		i := joined.IndexOf(m.Name)
		switch {
		case i < 0:
			members = append(members, m)
		case IsMeta(m.Name):
			members[i].Value = m.Value
		default:
			members[i].Value = overlay(members[i].Value, m.Value)
		}
	}
	result := jsontree.NewObject(members...)
	result.Index()
	return result
}

// IsGroup reports whether n is an object without $value.
func IsGroup(n *jsontree.Node) bool { return n.IsObject() && n.Find("$value") == nil }

// JoinFlat lays one flat map over another.
func JoinFlat(under, over *jsontree.Node) *jsontree.Node {
	members := append([]jsontree.Member(nil), under.Members...)
	joined := jsontree.NewObject(members...)
	joined.Index()
	for _, m := range over.Members {
		if i := joined.IndexOf(m.Name); i >= 0 {
			members[i].Value = m.Value
			continue
		}
		members = append(members, m)
	}
	result := jsontree.NewObject(members...)
	result.Index()
	return result
}
