package dtcg

import (
	"slices"

	"example.com/livery/renderer/jsontree"
)

// EqualButType reports whether two tokens have equal members beside their own $type, which a group
// above may say as well. It changes neither.
func EqualButType(a, b *jsontree.Node) bool {
	return jsontree.Equal(withoutType(a), withoutType(b))
}

func withoutType(n *jsontree.Node) *jsontree.Node {
	i := n.IndexOf("$type")
	if i < 0 {
		return n
	}
	return jsontree.NewObject(slices.Delete(slices.Clone(n.Members), i, i+1)...)
}
