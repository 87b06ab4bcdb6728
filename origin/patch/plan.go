package patch

import (
	"slices"
	"strconv"

	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// planner turns moves that happen at once into operations that happen one after another. Targets
// are filled from the root downwards; a cell that stands in the way of another and has a target of
// its own goes there first, or in a circle to a temporary name beside it.
type planner struct {
	editor *editor
	ops    []Operation
	todo   map[*cell]*plannedMove // every cell that has to be somewhere else, or has to be where it is
	temps  int
	taken  func(name string) bool // a name that must not be used as a temporary one
}

// plannedMove is one move: cell has to come to stand at to.
type plannedMove struct {
	cell *cell
	to   jsontree.Pointer
	busy bool // being carried out further up the stack
	done bool
}

// planMoves returns from with the moves done, and the operations that do them.
func planMoves(from, to *jsontree.Node, moves []record.Move) (*jsontree.Node, []Operation) {
	if len(moves) == 0 || from.Kind != jsontree.Object || to.Kind != jsontree.Object {
		return from, nil
	}
	p := planner{editor: newEditor(from, Limits{}), todo: make(map[*cell]*plannedMove, len(moves))}
	p.taken = func(name string) bool { return to.IndexOf(name) >= 0 }
	planned := p.sorted(to, moves)
	for _, x := range planned {
		p.perform(x)
	}
	return p.editor.root.freeze(), p.ops
}

// sorted finds what moves and sorts it by the depth of its target.
func (p *planner) sorted(to *jsontree.Node, moves []record.Move) []*plannedMove {
	var list []*plannedMove
	targets := make(map[string]bool, len(moves))
	for _, m := range moves {
		source, ok := jsontree.ParsePointer(m.From)
		target, ok2 := jsontree.ParsePointer(m.To)
		if !ok || !ok2 || len(source) == 0 || len(target) == 0 || targets[m.To] || !leadsThroughObjects(to, target) {
			continue
		}
		c := p.member(source)
		if c == nil || p.todo[c] != nil {
			continue
		}
		targets[m.To] = true
		x := &plannedMove{cell: c, to: target}
		p.todo[c] = x
		list = append(list, x)
	}
	slices.SortStableFunc(list, func(a, b *plannedMove) int { return len(a.to) - len(b.to) })
	return list
}

// leadsThroughObjects reports whether p names a member that no array is above.
func leadsThroughObjects(n *jsontree.Node, p jsontree.Pointer) bool {
	for _, name := range p {
		if n.Kind != jsontree.Object {
			return false
		}
		if n = n.Find(name); n == nil {
			return false
		}
	}
	return true
}

// member returns the cell at a pointer that leads through objects only, or nil.
func (p *planner) member(at jsontree.Pointer) *cell {
	c := p.editor.root
	for _, name := range at {
		if c == nil || c.node.Kind != jsontree.Object {
			return nil
		}
		c = c.member(name)
	}
	return c
}

// perform brings x.cell to x.to.
func (p *planner) perform(x *plannedMove) {
	if x.done || x.busy {
		return
	}
	x.busy = true
	p.clearParents(x)
	p.clearTarget(x)
	if from := x.cell.pointer(); !slices.Equal(from, x.to) {
		if len(x.to) > len(from) && hasPrefix(x.to, from) {
			from = p.park(x.cell, x.cell.parent)
		}
		p.makeParents(x.to)
		p.emit(Operation{Op: "move", From: from.String(), Path: x.to.String()})
	}
	x.busy, x.done = false, true
}

// clearParents sends away what stands above the target and does not belong there.
func (p *planner) clearParents(x *plannedMove) {
	for depth := 1; depth < len(x.to); depth++ {
		above := p.member(x.to[:depth])
		if above == nil {
			return
		}
		p.vacate(above, x.to[:depth], x)
	}
}

// clearTarget sends away what stands at the target, and saves from it what has to go elsewhere.
func (p *planner) clearTarget(x *plannedMove) {
	c := p.member(x.to)
	if c == nil || c == x.cell {
		return
	}
	p.vacate(c, x.to, x)
	if c = p.member(x.to); c == nil || c == x.cell {
		return
	}
	for _, inner := range p.waitingIn(c) {
		if inner.cell != x.cell {
			p.park(inner.cell, p.editor.root)
		}
	}
}

// vacate lets the cell that stands at a place go where it has to go, if that is elsewhere.
func (p *planner) vacate(c *cell, place jsontree.Pointer, x *plannedMove) {
	other := p.todo[c]
	if other == nil || other == x || slices.Equal(other.to, place) {
		return
	}
	// A target as deep as this one or less has all targets above it filled: it can be filled now.
	if !other.busy && len(other.to) <= len(x.to) {
		p.perform(other)
	}
	if c.parent != nil && slices.Equal(c.pointer(), place) {
		p.park(c, c.parent)
	}
}

// waitingIn lists the moves of cells below c that are not done.
func (p *planner) waitingIn(c *cell) []*plannedMove {
	var list []*plannedMove
	var visit func(*cell)
	visit = func(c *cell) {
		if x := p.todo[c]; x != nil && !x.done {
			list = append(list, x) // what is below goes along
			return
		}
		if c.members != nil {
			c.members.eachMember(visit)
		}
	}
	if c.members != nil {
		c.members.eachMember(visit)
	}
	return list
}

// park moves c to a temporary name in parent and returns where that is.
func (p *planner) park(c, parent *cell) jsontree.Pointer {
	from := c.pointer()
	name := ""
	for {
		p.temps++
		name = "~" + strconv.Itoa(p.temps)
		if parent.member(name) == nil && !p.taken(name) {
			break
		}
	}
	to := append(slices.Clip(parent.pointer()), name)
	p.emit(Operation{Op: "move", From: from.String(), Path: to.String()})
	return to
}

// makeParents adds the objects above a target that are not there.
func (p *planner) makeParents(target jsontree.Pointer) {
	for depth := 1; depth < len(target); depth++ {
		above := p.member(target[:depth])
		if above == nil {
			p.emit(Operation{Op: "add", Path: target[:depth].String(), Value: jsontree.NewObject()})
		} else if above.node.Kind != jsontree.Object {
			p.emit(Operation{Op: "replace", Path: target[:depth].String(), Value: jsontree.NewObject()})
		}
	}
}

// emit does op and records it.
func (p *planner) emit(op Operation) {
	p.editor.do(len(p.ops), &op)
	p.ops = append(p.ops, op)
}
