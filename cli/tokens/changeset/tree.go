package changeset

import (
	"slices"
	"strings"

	"example.com/livery/intake/tree"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Join returns the document under with over laid on top. Groups are joined, and so are $defs; a token and every other $… member of over
// takes the place of what stood there. Neither is changed.
func Join(under, over *jsontree.Node) *jsontree.Node {
	return joined(under, over, func(name string, old, young *jsontree.Node) *jsontree.Node {
		if !isGroup(old) || !isGroup(young) || dtcg.IsMetadata(name) && name != "$defs" {
			return young
		}
		return Join(old, young)
	})
}

// JoinFlat lays one flat map of overrides over another.
func JoinFlat(under, over *jsontree.Node) *jsontree.Node {
	return joined(under, over, func(_ string, _, young *jsontree.Node) *jsontree.Node { return young })
}

// joined returns the members of two objects. both returns the value of a member that both have.
func joined(under, over *jsontree.Node, both func(name string, old, young *jsontree.Node) *jsontree.Node) *jsontree.Node {
	members := append(make([]jsontree.Member, 0, len(under.Members)+len(over.Members)), under.Members...)
	for _, m := range over.Members {
		if i := under.IndexOf(m.Name); i >= 0 {
			members[i].Value = both(m.Name, members[i].Value, m.Value)
		} else {
			members = append(members, m)
		}
	}
	return object(members)
}

func object(members []jsontree.Member) *jsontree.Node {
	n := jsontree.NewObject(members...)
	n.Index()
	return n
}

// isGroup reports whether n is an object without $value.
func isGroup(n *jsontree.Node) bool { return n.IsObject() && n.Find("$value") == nil }

// Only returns a document of the tokens at some paths, each with the type that it has in the document, and without the metadata of groups.
func Only(document *jsontree.Node, paths []string) *jsontree.Node {
	result, d := jsontree.NewObject(), dtcg.Read(document)
	for _, path := range slices.Compact(slices.Sorted(slices.Values(paths))) {
		t := d.Token(path)
		if t == nil {
			continue
		}
		token := t.Node
		if t.Resolved != "" && !t.Inferred && token.Find("$type") == nil {
			token = tree.With(token, "$type", jsontree.NewString(t.Resolved))
		}
		tree.Put(result, t.Pointer(), token)
	}
	tree.Index(result)
	return result
}

// OnlyFlat returns a flat map of some members of another.
func OnlyFlat(all *jsontree.Node, names []string) *jsontree.Node {
	var members []jsontree.Member
	for _, m := range all.Members {
		if slices.Contains(names, m.Name) {
			members = append(members, m)
		}
	}
	return object(members)
}

// With returns a document with another value at a path, or without one if value is nil. It adds the groups that are missing.
func With(n *jsontree.Node, path []string, value *jsontree.Node) *jsontree.Node {
	if len(path) == 0 {
		return value
	}
	below := n.Find(path[0])
	if below == nil && value == nil {
		return n
	}
	if below == nil {
		below = jsontree.NewObject()
	}
	below = With(below, path[1:], value)
	if i := n.IndexOf(path[0]); i >= 0 || below == nil {
		return tree.With(n, path[0], below)
	}
	return object(append(slices.Clone(n.Members), jsontree.Member{Name: path[0], Value: below}))
}

// Edited returns a document with other values at the JSON Pointers of edits, and without what is nil there.
func Edited(document *jsontree.Node, edits map[string]*jsontree.Node) *jsontree.Node {
	var inside func(n *jsontree.Node, at jsontree.Pointer) *jsontree.Node
	inside = func(n *jsontree.Node, at jsontree.Pointer) *jsontree.Node {
		return tree.MapMembers(n, func(m jsontree.Member) jsontree.Member {
			below := append(at[:len(at):len(at)], m.Name)
			if value, known := edits[below.String()]; known {
				m.Value = value
			} else if m.Value.IsObject() && !dtcg.IsMetadata(m.Name) {
				m.Value = inside(m.Value, below)
			}
			return m
		})
	}
	return inside(document, nil)
}

// Flat returns the values of a document's tokens as a flat map of dotted path to value.
func Flat(document *jsontree.Node) *jsontree.Node {
	var members []jsontree.Member
	d := dtcg.Read(document)
	for i := range d.Tokens {
		members = append(members, jsontree.Member{Name: d.Tokens[i].Path, Value: d.Tokens[i].Value})
	}
	return object(members)
}

// Pointer returns the JSON Pointer of a dotted path.
func Pointer(path string) string { return jsontree.Pointer(strings.Split(path, ".")).String() }

// Paths returns the paths of the tokens in a document.
func Paths(document *jsontree.Node) []string {
	d := dtcg.Read(document)
	paths := make([]string, len(d.Tokens))
	for i := range d.Tokens {
		paths[i] = d.Tokens[i].Path
	}
	return paths
}

// splitPath splits a dotted path before its last name.
func splitPath(path string) (group, name string) {
	dot := strings.LastIndexByte(path, '.')
	return path[:max(0, dot)], path[dot+1:]
}
