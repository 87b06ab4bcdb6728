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
	at       jsontree.Pointer
	ops      []Operation
	bytes    int // of the operations since the start, in their stored form
	measures measures
}

// node makes the value at d.at equal to b.
func (d *differ) node(a, b *jsontree.Node) {
	if a == b {
		return
	}
	if a.Kind != b.Kind || a.Kind != jsontree.Object && a.Kind != jsontree.Array {
		if !jsontree.Equal(a, b) {
			d.emit(Operation{Op: "replace", Value: b})
		}
		return
	}
	count, bytes := len(d.ops), d.bytes
	d.inside(a, b)
	if len(d.ops) == count {
		return
	}
	whole := d.cost(&Operation{Op: "replace", Path: d.at.String(), Value: b})
	if whole <= d.bytes-bytes {
		d.ops, d.bytes = d.ops[:count], bytes
		d.emit(Operation{Op: "replace", Value: b})
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
	for _, m := range a.Members {
		d.enter(m.Name)
		if other := b.Find(m.Name); other == nil {
			d.emit(Operation{Op: "remove"})
		} else {
			d.node(m.Value, other)
		}
		d.leave()
	}
	for _, m := range b.Members {
		if a.IndexOf(m.Name) < 0 {
			d.enter(m.Name)
			d.emit(Operation{Op: "add", Value: m.Value})
			d.leave()
		}
	}
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
		d.enter(strconv.Itoa(i))
		d.node(a[i], b[i])
		d.leave()
	}
	for i := endA - 1; i >= endB; i-- { // from the end, so that positions before stay what they are
		d.enter(strconv.Itoa(i))
		d.emit(Operation{Op: "remove"})
		d.leave()
	}
	for i := endA; i < endB; i++ {
		d.enter(strconv.Itoa(i))
		d.emit(Operation{Op: "add", Value: b[i]})
		d.leave()
	}
}

func (d *differ) enter(name string) { d.at = append(d.at, name) }

func (d *differ) leave() { d.at = d.at[:len(d.at)-1] }

// emit appends op at d.at.
func (d *differ) emit(op Operation) {
	op.Path = d.at.String()
	d.ops = append(d.ops, op)
	d.bytes += d.cost(&op)
}

// cost returns the bytes of op in its stored form, with the comma behind it.
func (d *differ) cost(op *Operation) int {
	n := len(`{"op":"","path":},`) + len(op.Op) + stringBytes(op.Path)
	if op.Value != nil {
		n += len(`,"value":`) + d.measures.of(op.Value).bytes
	}
	return n
}
