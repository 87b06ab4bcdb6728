package tokentree

import (
	"slices"
	"strings"

	"example.com/livery/intake/tree"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// IsMeta reports whether a member of a group is neither a token nor a group.
func IsMeta(name string) bool { return strings.HasPrefix(name, "$") && name != "$root" }

// overlay returns under with over laid on top: groups are joined, and so are $defs; a token and every
// other $… member of over takes the place of what stood there. Neither is changed.
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
		case IsMeta(m.Name) && m.Name != "$defs":
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

// Only returns a document of some tokens of another, by dotted path, each with the type that it has there and without its
// groups' metadata. Paths that lead to no token are passed over.
func Only(document *jsontree.Node, paths []string) *jsontree.Node {
	result := jsontree.NewObject()
	if len(paths) == 0 {
		return result
	}
	d := dtcg.Read(document)
	for _, path := range slices.Compact(slices.Sorted(slices.Values(paths))) {
		t := d.Token(path)
		if t == nil {
			continue
		}
		at := t.Pointer()
		token := document.Lookup(at)
		if t.Resolved != "" && !t.Inferred && token.Find("$type") == nil {
			token = tree.With(token, "$type", jsontree.NewString(t.Resolved))
		}
		tree.Put(result, at, token)
	}
	tree.Index(result)
	return result
}

// OnlyFlat returns a flat map of some members of another.
func OnlyFlat(all *jsontree.Node, names []string) *jsontree.Node {
	result := jsontree.NewObject()
	for _, name := range names {
		if value := all.Find(name); value != nil && result.Find(name) == nil {
			result.Members = append(result.Members, jsontree.Member{Name: name, Value: value})
		}
	}
	result.Index()
	return result
}
