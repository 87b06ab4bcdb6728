package patch

import (
	"slices"

	"example.com/livery/renderer/jsontree"
)

// cell is a place in a document under edit: a value, and once something below it was touched the
// changes to its members or items. A cell is made when an operation first names its place, so that
// a batch costs what it touches. The identity of a cell is what a rename follows: it survives a
// move, a replace, and a remove with an add at the same place, which is the same as a replace.
type cell struct {
	parent *cell // nil for the root and for what was taken out
	name   string
	slot   int // in an object: position among the base members, or ^position among the added ones

	node    *jsontree.Node // the value, or if members or items is set the value beneath them
	members *members
	items   *items
	grown   int // bytes that changes below added to node's own

	origin   *cell // the parent in the document as it was; nil for what is not of it
	was      string
	original bool // node is of the document as it was, so what is found in it has an origin
}

// members are the changes to an object.
type members struct {
	places map[int]*cell    // by base position: what stands there now; nil means nothing
	names  map[string]*cell // names that were looked at; nil means that the name is free
	added  []*cell          // behind the base members; nil means taken out again
	lost   map[string]*cell // by name: what a remove took; an add of the name goes on with its identity
	live   int              // members now
}

// items are the elements of an array under edit.
type items struct{ list []item }

type item struct {
	node *jsontree.Node
	cell *cell // nil until an operation names the element
}

func (i item) freeze() *jsontree.Node {
	if i.cell != nil {
		return i.cell.freeze()
	}
	return i.node
}

func (c *cell) openObject() *members {
	if c.members == nil {
		c.members = &members{places: map[int]*cell{}, names: map[string]*cell{}, live: len(c.node.Members)}
	}
	return c.members
}

func (c *cell) openArray() *items {
	if c.items == nil {
		list := make([]item, len(c.node.Items()))
		for i, node := range c.node.Items() {
			list[i].node = node
		}
		c.items = &items{list}
	}
	return c.items
}

// length returns the number of elements of an array.
func (c *cell) length() int {
	if c.items != nil {
		return len(c.items.list)
	}
	return len(c.node.Items())
}

// member returns the member of an object called name, or nil.
func (c *cell) member(name string) *cell {
	if c.members != nil {
		if found, known := c.members.names[name]; known {
			return found
		}
	}
	i := c.node.IndexOf(name)
	if i < 0 {
		return nil
	}
	m := c.openObject()
	found := &cell{parent: c, name: name, slot: i, node: c.node.Members[i].Value, original: c.original}
	if c.original {
		found.origin, found.was = c, name
	}
	m.names[name], m.places[i] = found, found
	return found
}

// element returns element i of an array. Elements have no origin: renames do not go through arrays.
func (c *cell) element(i int) *cell {
	e := &c.openArray().list[i]
	if e.cell == nil {
		e.cell = &cell{parent: c, node: e.node}
	}
	return e.cell
}

// setValue replaces the value; the place and its identity stay.
func (c *cell) setValue(v *jsontree.Node) {
	c.node, c.members, c.items, c.grown, c.original = v, nil, nil, 0, false
}

// put makes child the member called name: in place of the member that has the name, else behind all.
func (c *cell) put(name string, child *cell) {
	old := c.member(name)
	m := c.openObject()
	child.parent, child.name = c, name
	m.names[name] = child
	delete(m.lost, name)
	if old != nil {
		old.parent = nil
		child.slot = old.slot
		m.set(child.slot, child)
		return
	}
	child.slot = ^len(m.added)
	m.added = append(m.added, child)
	m.live++
}

// adopt gives child, which is new, the identity of what a remove took from its place to be.
func (c *cell) adopt(name string, child *cell) {
	if lost := c.openObject().lost[name]; lost != nil {
		child.origin, child.was = lost.origin, lost.was
	}
}

// lose remembers that child was removed from c, not moved away.
func (c *cell) lose(child *cell) {
	if c.members.lost == nil {
		c.members.lost = map[string]*cell{}
	}
	c.members.lost[child.name] = child
}

// takeMember takes a member out.
func (c *cell) takeMember(child *cell) {
	c.members.names[child.name] = nil
	c.members.set(child.slot, nil)
	c.members.live--
	child.parent = nil
}

// rename gives a member another name at its place. A member that has the name already is taken out.
func (c *cell) rename(child *cell, name string) {
	if old := c.member(name); old != nil {
		c.takeMember(old)
	}
	c.members.names[child.name] = nil
	child.name = name
	c.members.names[name] = child
	delete(c.members.lost, name)
}

func (m *members) set(slot int, c *cell) {
	if slot < 0 {
		m.added[^slot] = c
		return
	}
	m.places[slot] = c
}

// insert puts child before element i of an array.
func (c *cell) insert(i int, child *cell) {
	child.parent, child.name = c, ""
	a := c.openArray()
	a.list = slices.Insert(a.list, i, item{cell: child})
}

// takeElement takes element i out of an array.
func (c *cell) takeElement(i int) *cell {
	taken := c.element(i)
	c.items.list = slices.Delete(c.items.list, i, i+1)
	taken.parent = nil
	return taken
}

// pointer returns where the cell stands now; it must not stand below an array.
func (c *cell) pointer() jsontree.Pointer {
	var p jsontree.Pointer
	for ; c.parent != nil; c = c.parent {
		p = append(p, c.name)
	}
	slices.Reverse(p)
	return p
}

// originPointer returns where the cell stood in the document as it was.
func (c *cell) originPointer() jsontree.Pointer {
	var p jsontree.Pointer
	for ; c.origin != nil; c = c.origin {
		p = append(p, c.was)
	}
	slices.Reverse(p)
	return p
}

// freeze returns the value with all changes. It shares whatever was not changed, and new objects
// are indexed. The cell can be edited on.
func (c *cell) freeze() *jsontree.Node {
	switch {
	case c.members != nil:
		return c.freezeObject()
	case c.items != nil:
		items := make([]*jsontree.Node, len(c.items.list))
		for i, e := range c.items.list {
			items[i] = e.freeze()
		}
		return jsontree.NewArray(items...)
	}
	return c.node
}

func (c *cell) freezeObject() *jsontree.Node {
	m := c.members
	list := make([]jsontree.Member, 0, m.live)
	from := 0
	for _, i := range m.touched() {
		list = append(list, c.node.Members[from:i]...)
		from = i + 1
		if child := m.places[i]; child != nil {
			list = append(list, jsontree.Member{Name: child.name, Value: child.freeze()})
		}
	}
	list = append(list, c.node.Members[from:]...)
	for _, child := range m.added {
		if child != nil {
			list = append(list, jsontree.Member{Name: child.name, Value: child.freeze()})
		}
	}
	n := jsontree.NewObject(list...)
	n.Index()
	return n
}

// touched returns the base positions that have a cell or were emptied, in order.
func (m *members) touched() []int {
	positions := make([]int, 0, len(m.places))
	for i := range m.places {
		positions = append(positions, i)
	}
	slices.Sort(positions)
	return positions
}

// eachMember calls visit for the members that have cells, in an order that is always the same.
func (m *members) eachMember(visit func(*cell)) {
	for _, i := range m.touched() {
		if child := m.places[i]; child != nil {
			visit(child)
		}
	}
	for _, child := range m.added {
		if child != nil {
			visit(child)
		}
	}
}
