// Package tree edits the JSON trees of token files. With, MapMembers and MapChildren build new nodes, since other trees may share
// what they are given; Group, Put and Index change a tree that is being built.
package tree

import (
	"slices"
	"strings"

	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// With returns an object with another value of a member, which comes first if it is new; without the member if value is nil.
func With(n *jsontree.Node, name string, value *jsontree.Node) *jsontree.Node {
	members := make([]jsontree.Member, 0, len(n.Members)+1)
	if value != nil && n.IndexOf(name) < 0 {
		members = append(members, jsontree.Member{Name: name, Value: value})
	}
	for _, m := range n.Members {
		if m.Name == name {
			m.Value = value
		}
		if m.Value != nil {
			members = append(members, m)
		}
	}
	result := jsontree.NewObject(members...)
	result.Index()
	return result
}

// MapMembers returns an object with each member replaced by what change returns for it; a member whose value is nil then
// is left out. The result is n itself if change returns each member as it is.
func MapMembers(n *jsontree.Node, change func(jsontree.Member) jsontree.Member) *jsontree.Node {
	members, changed := make([]jsontree.Member, 0, len(n.Members)), false
	for _, m := range n.Members {
		after := change(m)
		changed = changed || after != m
		if after.Value != nil {
			members = append(members, after)
		}
	}
	if !changed {
		return n
	}
	result := jsontree.NewObject(members...)
	result.Index()
	return result
}

// MapChildren returns a value with each value directly in it replaced by what change returns for it. name is that of the
// member; of an array's item it is empty. The result is n itself if change returns each value as it is.
func MapChildren(n *jsontree.Node, change func(name string, value *jsontree.Node) *jsontree.Node) *jsontree.Node {
	if n == nil {
		return nil
	}
	result, changed := &jsontree.Node{Kind: n.Kind}, false
	for _, m := range n.Members {
		value := change(m.Name, m.Value)
		changed = changed || value != m.Value
		result.Members = append(result.Members, jsontree.Member{Name: m.Name, Value: value})
	}
	for _, item := range n.Items() {
		value := change("", item)
		changed = changed || value != item
		result.AddItem(value)
	}
	if !changed {
		return n
	}
	result.Index()
	return result
}

// MapTokens returns a document with each token replaced by what change returns for it. The result is n itself if change returns each token
// as it is.
func MapTokens(n *jsontree.Node, change func(at jsontree.Pointer, token *jsontree.Node) *jsontree.Node) *jsontree.Node {
	return mapTokens(n, nil, change)
}

func mapTokens(n *jsontree.Node, at jsontree.Pointer, change func(at jsontree.Pointer, token *jsontree.Node) *jsontree.Node) *jsontree.Node {
	return MapMembers(n, func(m jsontree.Member) jsontree.Member {
		switch below := append(at[:len(at):len(at)], m.Name); {
		case dtcg.IsMetadata(m.Name) || !m.Value.IsObject():
		case dtcg.IsToken(m.Value):
			m.Value = change(below, m.Value)
		default:
			m.Value = mapTokens(m.Value, below, change)
		}
		return m
	})
}

// Group returns the group at a path below n. It adds the groups that are missing.
func Group(n *jsontree.Node, path ...string) *jsontree.Node {
	for _, name := range path {
		i := slices.IndexFunc(n.Members, func(m jsontree.Member) bool { return m.Name == name }) // an index may be old
		if i < 0 {
			i, n.Members = len(n.Members), append(n.Members, jsontree.Member{Name: name, Value: jsontree.NewObject()})
		}
		n = n.Members[i].Value
	}
	return n
}

// Put adds a value at a path below n at which none stands yet, and the groups above it that are missing. The caller calls
// Index when all values are there.
func Put(n *jsontree.Node, path []string, value *jsontree.Node) {
	last := len(path) - 1
	n = Group(n, path[:last]...)
	n.Members = append(n.Members, jsontree.Member{Name: path[last], Value: value})
}

// Index makes each object in n quick to search.
func Index(n *jsontree.Node) {
	n.Index()
	for _, m := range n.Members {
		Index(m.Value)
	}
	for _, item := range n.Items() {
		Index(item)
	}
}

// IsAlias reports whether a value is one alias and nothing else. n may be nil.
func IsAlias(n *jsontree.Node) bool {
	return n.IsString() && strings.HasPrefix(n.Text, "{") && strings.IndexAny(n.Text[1:], "{}") == len(n.Text)-2
}
