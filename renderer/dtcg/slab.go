package dtcg

import (
	"strings"

	"example.com/livery/renderer/jsontree"
)

// slabBytes is the length of the longest slab of texts.
const slabBytes = 16 << 10

// textSlab cuts texts from slabs: one allocation serves many.
type textSlab struct{ slab strings.Builder }

// cut returns the text that head and tail are together. It is the first of about so many.
func (t *textSlab) cut(head []byte, tail string, rest int) string {
	length := len(head) + len(tail)
	if t.slab.Cap()-t.slab.Len() < length {
		t.slab = strings.Builder{}
		t.slab.Grow(max(length, min(rest*length, slabBytes)))
	}
	t.slab.Write(head)
	t.slab.WriteString(tail)
	return t.slab.String()[t.slab.Len()-length:]
}

// largestSlab is how many nodes or members the largest slab of a nodeSlab has.
const largestSlab = 64

// nodeSlab cuts nodes and their members from slabs, each twice as large as the one before.
type nodeSlab struct {
	nodes   []jsontree.Node
	members []jsontree.Member
}

// node returns n for keeps.
func (s *nodeSlab) node(n jsontree.Node) *jsontree.Node {
	if len(s.nodes) == cap(s.nodes) {
		s.nodes = make([]jsontree.Node, 0, min(2*cap(s.nodes)+1, largestSlab))
	}
	s.nodes = append(s.nodes, n)
	return &s.nodes[len(s.nodes)-1]
}

// copy returns members of the caller's own.
func (s *nodeSlab) copy(members []jsontree.Member) []jsontree.Member {
	if cap(s.members)-len(s.members) < len(members) {
		s.members = make([]jsontree.Member, 0, max(len(members), min(2*cap(s.members), largestSlab)))
	}
	start := len(s.members)
	s.members = append(s.members, members...)
	return s.members[start:len(s.members):len(s.members)]
}
