package patch

import (
	"math"
	"strconv"

	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// Diff returns the operations that make to out of from, both objects or both arrays: first the
// moves, in the order and with the temporary names that doing them one after another needs, then
// for each value that differs the cheaper in bytes of replacing it whole and of changing what is
// inside. made is the document that Apply makes of from by them: equal to to (jsontree.Equal), with
// what moved within its parent in its place. It shares nodes with from and to. Moves whose From is
// not in from or whose To is not in to are passed over. Two equal documents have no difference,
// whatever the moves say. Diff takes time linear in the documents and the moves.
func Diff(from, to *jsontree.Node, moves []record.Move) (ops []Operation, made *jsontree.Node) {
	if jsontree.Equal(from, to) {
		return nil, from
	}
	moved, ops := planMoves(from, to, moves)
	d := differ{ops: ops, measures: measures{}}
	made = d.inside(moved, to)
	return d.ops, made
}

// differ collects the operations between two trees.
type differ struct {
	path     []byte // the pointer to the value at hand, as it is written
	ops      []Operation
	bytes    int // of the operations since the start, in their stored form
	measures measures
	nodes    []jsontree.Node   // for objects to come: most have one member that differs, and there can be many (BenchmarkDiff)
	members  []jsontree.Member // for theirs
}

// node makes the value at d.path equal to b, and returns what it is then: a itself if nothing differs.
func (d *differ) node(a, b *jsontree.Node) *jsontree.Node {
	count, bytes := len(d.ops), d.bytes
	var made *jsontree.Node
	if a.Kind == b.Kind && (a.Kind == jsontree.Object || a.Kind == jsontree.Array) {
		made = d.inside(a, b)
	} else if jsontree.Equal(a, b) {
		made = a
	}
	if made == nil {
		d.ops, d.bytes, made = d.ops[:count], bytes, b
		d.emit("replace", b)
	}
	return made
}

// inside makes the members or elements of a those of b. It returns what a is then, or nil as soon as it is as cheap to
// replace a whole.
func (d *differ) inside(a, b *jsontree.Node) *jsontree.Node {
	if a.Kind == jsontree.Array {
		return d.array(a, b)
	}
	if b.Kind == jsontree.Object {
		return d.object(a, b)
	}
	return a
}

func (d *differ) object(a, b *jsontree.Node) *jsontree.Node {
	var made []jsontree.Member // nil as long as nothing differs
	before, budget := d.bytes, 0
	for i, m := range a.Members {
		was, above := m.Value, len(d.path)
		if m.Value = memberAt(b, i, m.Name); m.Value != was {
			d.enter(m.Name)
			m.Value = d.member(was, m.Value)
			d.path = d.path[:above]
		}
		if made == nil && m.Value == was {
			continue
		}
		if made == nil {
			made, budget = d.startMembers(a.Members[:i], len(b.Members)), d.budget(b)
		}
		if d.bytes-before >= budget {
			return nil
		}
		if m.Value != nil {
			made = append(made, m)
		}
	}
	for i, m := range b.Members {
		if memberAt(a, i, m.Name) != nil {
			continue
		}
		if made == nil {
			made, budget = d.startMembers(a.Members, len(b.Members)), d.budget(b)
		}
		above := d.enter(m.Name)
		d.emit("add", m.Value)
		if d.path = d.path[:above]; d.bytes-before >= budget {
			return nil
		}
		made = append(made, m)
	}
	if made == nil {
		return a
	}
	return d.newObject(made)
}

// slab is how many nodes, and how many members at least, are allocated at once.
const slab = 8

func (d *differ) newObject(members []jsontree.Member) *jsontree.Node {
	if len(d.nodes) == 0 {
		d.nodes = make([]jsontree.Node, slab)
	}
	n := &d.nodes[0]
	d.nodes = d.nodes[1:]
	n.Kind, n.Members = jsontree.Object, members
	n.Index()
	return n
}

// startMembers returns a copy of members with the capacity for so many; not nil.
func (d *differ) startMembers(members []jsontree.Member, capacity int) []jsontree.Member {
	if d.members == nil || capacity > len(d.members) {
		d.members = make([]jsontree.Member, max(capacity, slab))
	}
	list := d.members[:0:capacity]
	d.members = d.members[capacity:]
	return append(list, members...)
}

// member makes the member at d.path equal to b, which is nil if it has to go, and returns what it is then.
func (d *differ) member(a, b *jsontree.Node) *jsontree.Node {
	if b == nil {
		d.emit("remove", nil)
		return nil
	}
	return d.node(a, b)
}

// memberAt returns the member of n called name, or nil. It is most often the one at i.
func memberAt(n *jsontree.Node, i int, name string) *jsontree.Node {
	if i < len(n.Members) && n.Members[i].Name == name {
		return n.Members[i].Value
	}
	return n.Find(name)
}

// array keeps the common start and end and changes what lies between them element by element.
func (d *differ) array(a, b *jsontree.Node) *jsontree.Node {
	start := 0
	for start < len(a.Items()) && start < len(b.Items()) && jsontree.Equal(a.Items()[start], b.Items()[start]) {
		start++
	}
	endA, endB := len(a.Items()), len(b.Items())
	for endA > start && endB > start && jsontree.Equal(a.Items()[endA-1], b.Items()[endB-1]) {
		endA, endB = endA-1, endB-1
	}
	if start == endA && start == endB {
		return a
	}
	before, budget := d.bytes, d.budget(b)
	made := append(make([]*jsontree.Node, 0, len(b.Items())), a.Items()[:start]...)
	for i := start; i < min(endA, endB); i++ {
		above := d.enter(strconv.Itoa(i))
		made = append(made, d.node(a.Items()[i], b.Items()[i]))
		d.path = d.path[:above]
	}
	for i := endA - 1; i >= endB; i-- { // from the end, so that positions before stay what they are
		above := d.enter(strconv.Itoa(i))
		d.emit("remove", nil)
		d.path = d.path[:above]
	}
	for i := endA; i < endB; i++ {
		above := d.enter(strconv.Itoa(i))
		d.emit("add", b.Items()[i])
		d.path = d.path[:above]
		made = append(made, b.Items()[i])
	}
	if d.bytes-before >= budget {
		return nil
	}
	return jsontree.NewArray(append(made, a.Items()[endA:]...)...)
}

// enter goes down to a member or an element, and returns the length of the path above it. The path
// is kept spelled, because most values need no operation of their own (BenchmarkDiff).
func (d *differ) enter(name string) (above int) {
	above = len(d.path)
	d.path = append(d.path, '/')
	for i := range len(name) {
		switch name[i] {
		case '~':
			d.path = append(d.path, "~0"...)
		case '/':
			d.path = append(d.path, "~1"...)
		default:
			d.path = append(d.path, name[i])
		}
	}
	return above
}

// emit appends an operation at d.path.
func (d *differ) emit(name string, value *jsontree.Node) {
	d.bytes += d.cost(name, value)
	d.ops = append(d.ops, Operation{Op: name, Path: string(d.path), Value: value})
}

// budget returns with how many bytes of operations inside the value at d.path it is as cheap to replace it by b whole,
// which the document never is.
func (d *differ) budget(b *jsontree.Node) int {
	if len(d.path) == 0 {
		return math.MaxInt
	}
	return d.cost("replace", b)
}

// cost returns the bytes of an operation at d.path in its stored form, with the comma behind it.
// value may be nil.
func (d *differ) cost(name string, value *jsontree.Node) int {
	n := len(`{"op":"","path":},`) + len(name) + stringBytes(d.path)
	if value != nil {
		n += len(`,"value":`) + d.measures.of(value).bytes
	}
	return n
}
