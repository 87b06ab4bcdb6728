package patch

import (
	"strconv"

	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// Diff returns the operations that make to out of from, both objects or both arrays: first the
// moves, in the order and with the temporary names that doing them one after another needs, then
// for each value that differs the cheaper in bytes of replacing it whole and of changing what is
// inside. Applying them gives a document equal to to (jsontree.Equal) in which what moved within
// its parent kept its place. Moves whose From is not in from or whose To is not in to are passed
// over. Two equal documents have no difference, whatever the moves say. Diff takes time linear in
// the documents and the moves.
func Diff(from, to *jsontree.Node, moves []record.Move) []Operation {
	if jsontree.Equal(from, to) {
		return nil
	}
	moved, ops := planMoves(from, to, moves)
	d := differ{ops: ops, measures: measures{}}
	d.inside(moved, to)
	return d.ops
}

// differ collects the operations between two trees.
type differ struct {
	path     []byte // the pointer to the value at hand, as it is written
	ops      []Operation
	bytes    int // of the operations since the start, in their stored form
	measures measures
}

// node makes the value at d.path equal to b.
func (d *differ) node(a, b *jsontree.Node) {
	if a.Kind != b.Kind || a.Kind != jsontree.Object && a.Kind != jsontree.Array {
		if !jsontree.Equal(a, b) {
			d.emit("replace", b)
		}
		return
	}
	count, bytes := len(d.ops), d.bytes
	d.inside(a, b)
	if len(d.ops) == count {
		return
	}
	if d.cost("replace", b) <= d.bytes-bytes {
		d.ops, d.bytes = d.ops[:count], bytes
		d.emit("replace", b)
	}
}

// inside makes the members or elements of a those of b.
func (d *differ) inside(a, b *jsontree.Node) {
	if a.Kind == jsontree.Array {
		d.array(a.Items, b.Items)
		return
	}
	if b.Kind == jsontree.Object {
		d.object(a, b)
	}
}

func (d *differ) object(a, b *jsontree.Node) {
	for i := range a.Members {
		m := &a.Members[i]
		other := memberAt(b, i, m.Name)
		if other == m.Value {
			continue
		}
		above := d.enter(m.Name)
		if other == nil {
			d.emit("remove", nil)
		} else {
			d.node(m.Value, other)
		}
		d.path = d.path[:above]
	}
	for i := range b.Members {
		m := &b.Members[i]
		if memberAt(a, i, m.Name) == nil {
			above := d.enter(m.Name)
			d.emit("add", m.Value)
			d.path = d.path[:above]
		}
	}
}

// memberAt returns the member of n called name, or nil. It is most often the one at i.
func memberAt(n *jsontree.Node, i int, name string) *jsontree.Node {
	if i < len(n.Members) && n.Members[i].Name == name {
		return n.Members[i].Value
	}
	return n.Find(name)
}

// array keeps the common start and end and changes what lies between them element by element.
func (d *differ) array(a, b []*jsontree.Node) {
	start := 0
	for start < len(a) && start < len(b) && jsontree.Equal(a[start], b[start]) {
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && jsontree.Equal(a[endA-1], b[endB-1]) {
		endA, endB = endA-1, endB-1
	}
	for i := start; i < min(endA, endB); i++ {
		above := d.enter(strconv.Itoa(i))
		d.node(a[i], b[i])
		d.path = d.path[:above]
	}
	for i := endA - 1; i >= endB; i-- { // from the end, so that positions before stay what they are
		above := d.enter(strconv.Itoa(i))
		d.emit("remove", nil)
		d.path = d.path[:above]
	}
	for i := endA; i < endB; i++ {
		above := d.enter(strconv.Itoa(i))
		d.emit("add", b[i])
		d.path = d.path[:above]
	}
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

// cost returns the bytes of an operation at d.path in its stored form, with the comma behind it.
// value may be nil.
func (d *differ) cost(name string, value *jsontree.Node) int {
	n := len(`{"op":"","path":},`) + len(name) + stringBytes(d.path)
	if value != nil {
		n += len(`,"value":`) + d.measures.of(value).bytes
	}
	return n
}
