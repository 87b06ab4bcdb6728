package patch

import (
	"strconv"

	"example.com/livery/renderer/jsontree"
)

func (e *editor) add(path jsontree.Pointer, v *jsontree.Node) problem {
	parent, p := e.container(path)
	if p.what != "" {
		return p
	}
	if p := e.fitsDepth(path, e.heightOfValue(v)); p.what != "" {
		return p
	}
	return e.place(parent, path, &cell{node: v})
}

// place puts child at path, whose container is parent. Where a member has the name already child's
// value replaces the member's.
func (e *editor) place(parent *cell, path jsontree.Pointer, child *cell) problem {
	last := path[len(path)-1]
	if parent.node.Kind == jsontree.Array {
		return e.insert(parent, path, child)
	}
	if old := parent.member(last); old != nil {
		return e.setValue(old, child.node, path)
	}
	parent.adopt(last, child)
	return e.put(parent, last, child, path)
}

func (e *editor) setValue(c *cell, v *jsontree.Node, path jsontree.Pointer) problem {
	if e.limits.MaxBytes > 0 {
		grow(c.parent, e.measures.of(v).bytes-e.bytesOf(c))
	}
	c.setValue(v)
	return e.fitsBytes(path)
}

// put makes child a member of parent and counts its bytes.
func (e *editor) put(parent *cell, name string, child *cell, path jsontree.Pointer) problem {
	if e.limits.MaxBytes > 0 {
		n := e.bytesOf(child)
		if old := parent.member(name); old != nil {
			n -= e.bytesOf(old)
		} else {
			n += nameBytes(name) + comma(parent.count())
		}
		grow(parent, n)
	}
	parent.put(name, child)
	return e.fitsBytes(path)
}

// count returns the number of members or elements.
func (c *cell) count() int {
	if c.members != nil {
		return c.members.live
	}
	return len(c.node.Members) + c.length()
}

// comma returns the bytes of the comma that one more member needs beside count others.
func comma(count int) int { return min(count, 1) }

func (e *editor) insert(array *cell, path jsontree.Pointer, child *cell) problem {
	i, p := insertPosition(array, path)
	if p.what != "" {
		return p
	}
	if e.limits.MaxBytes > 0 {
		grow(array, e.bytesOf(child)+comma(array.length()))
	}
	e.spend((array.length() - i) / 16) // elements shift sixteen times faster than members are walked
	array.insert(i, child)
	return e.fitsBytes(path)
}

func insertPosition(array *cell, path jsontree.Pointer) (int, problem) {
	last := path[len(path)-1]
	if last == "-" {
		return array.length(), problem{}
	}
	i, ok := jsontree.ArrayIndex(last)
	if !ok {
		return 0, problem{pointer: path.String(), what: strconv.Quote(clip(last)) + " is not an array position; use a number without leading zeros, or '-' to append"}
	}
	if i > array.length() {
		return 0, problem{pointer: path.String(), what: "position " + last + " is past the end of an array of " + strconv.Itoa(array.length()) + "; use '-' to append"}
	}
	return i, problem{}
}

func (e *editor) replace(path jsontree.Pointer, v *jsontree.Node) problem {
	c, p := e.find(path)
	if p.what != "" {
		return p
	}
	if p := e.fitsDepth(path, e.heightOfValue(v)); p.what != "" {
		return p
	}
	return e.setValue(c, v, path)
}

func (e *editor) remove(path jsontree.Pointer) problem {
	c, p := e.find(path)
	if p.what != "" {
		return p
	}
	parent := c.parent
	if _, p := e.take(path); p.what != "" {
		return p
	}
	if parent.node.Kind == jsontree.Object {
		parent.lose(c)
	}
	return problem{}
}

// take takes what stands at path out of its container.
func (e *editor) take(path jsontree.Pointer) (*cell, problem) {
	c, p := e.find(path)
	if p.what != "" {
		return nil, p
	}
	parent := c.parent
	if e.limits.MaxBytes > 0 {
		n := e.bytesOf(c) + comma(parent.count()-1)
		if parent.node.Kind == jsontree.Object {
			n += nameBytes(c.name)
		}
		grow(parent, -n)
	}
	if parent.node.Kind == jsontree.Object {
		parent.takeMember(c)
		return c, problem{}
	}
	i, _ := jsontree.ArrayIndex(path[len(path)-1])
	e.spend((parent.length() - i) / 16)
	return parent.takeElement(i), e.fitsWork(path)
}

func (e *editor) move(from, path jsontree.Pointer) problem {
	c, p := e.find(from)
	if p.what != "" {
		return p
	}
	if hasPrefix(path, from) {
		if len(path) == len(from) {
			return problem{}
		}
		return problem{pointer: path.String(), what: "a value cannot move into itself; move it elsewhere first"}
	}
	if len(path) > len(from) {
		if p := e.fitsDepth(path, e.heightOf(c)); p.what != "" {
			return p
		}
	}
	if c.parent.node.Kind == jsontree.Array {
		return e.moveElement(from, path)
	}
	return e.moveMember(c, from, path)
}

// moveElement looks for the target only once the element is out: the positions behind it shift.
func (e *editor) moveElement(from, path jsontree.Pointer) problem {
	c, p := e.take(from)
	if p.what != "" {
		return p
	}
	parent, p := e.container(path)
	if p.what != "" {
		return p
	}
	return e.settle(parent, path, c)
}

func (e *editor) moveMember(c *cell, from, path jsontree.Pointer) problem {
	parent, p := e.container(path)
	if p.what != "" {
		return p
	}
	if parent == c.parent {
		return e.rename(c, path)
	}
	if parent.node.Kind == jsontree.Array {
		if _, p := insertPosition(parent, path); p.what != "" {
			return p
		}
	}
	if _, p := e.take(from); p.what != "" {
		return p
	}
	return e.settle(parent, path, c)
}

// settle puts a moved cell down: unlike an added value it takes its identity along.
func (e *editor) settle(parent *cell, path jsontree.Pointer, c *cell) problem {
	if parent.node.Kind == jsontree.Array {
		return e.insert(parent, path, c)
	}
	return e.put(parent, path[len(path)-1], c, path)
}

func (e *editor) rename(c *cell, path jsontree.Pointer) problem {
	name := path[len(path)-1]
	if e.limits.MaxBytes > 0 {
		n := nameBytes(name) - nameBytes(c.name)
		if old := c.parent.member(name); old != nil {
			n -= e.bytesOf(old) + nameBytes(name) + comma(c.parent.count()-1)
		}
		grow(c.parent, n)
	}
	c.parent.rename(c, name)
	return e.fitsBytes(path)
}

func (e *editor) copy(from, path jsontree.Pointer) problem {
	c, p := e.find(from)
	if p.what != "" {
		return p
	}
	parent, p := e.container(path)
	if p.what != "" {
		return p
	}
	if p := e.fitsDepth(path, e.heightOf(c)); p.what != "" {
		return p
	}
	if c.members != nil || c.items != nil { // freezing walks what was opened, and its copy is measured anew
		e.spend(1 + e.bytesOf(c)/8)
		if p := e.fitsWork(path); p.what != "" {
			return p
		}
	}
	return e.place(parent, path, &cell{node: c.freeze()})
}
