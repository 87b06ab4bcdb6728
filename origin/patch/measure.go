package patch

import (
	"unicode/utf8"

	"example.com/livery/renderer/jsontree"
)

// measure is the size of a value.
type measure struct {
	bytes  int // as minified JSON
	height int // levels of nesting; 0 for a scalar
}

// measures remembers the large containers that were measured. A batch that copies one large value
// often walks it once.
type measures map[*jsontree.Node]measure

// worthRemembering is the size from which a container is remembered. To walk a smaller one again is
// cheaper than to find it (BenchmarkDiff).
const worthRemembering = 256

func (ms measures) of(n *jsontree.Node) measure {
	m := ms.walk(n)
	if m.height > 0 && m.bytes >= worthRemembering {
		ms[n] = m
	}
	return m
}

func (ms measures) walk(n *jsontree.Node) measure {
	switch n.Kind {
	case jsontree.Bool:
		if n.True {
			return measure{bytes: len("true")}
		}
		return measure{bytes: len("false")}
	case jsontree.Number:
		return measure{bytes: len(n.Text)}
	case jsontree.String:
		return measure{bytes: stringBytes(n.Text)}
	case jsontree.Array, jsontree.Object:
		if len(ms) > 0 {
			if m, known := ms[n]; known {
				return m
			}
		}
		return ms.container(n)
	}
	return measure{bytes: len("null")}
}

func (ms measures) container(n *jsontree.Node) measure {
	m := measure{bytes: len("[]"), height: 1}
	for _, v := range n.Items() {
		m.include(0, ms.walk(v))
	}
	for i := range n.Members {
		m.include(nameBytes(n.Members[i].Name), ms.walk(n.Members[i].Value))
	}
	if count := len(n.Items()) + len(n.Members); count > 1 {
		m.bytes += count - 1 // commas
	}
	return m
}

func (m *measure) include(name int, inner measure) {
	m.bytes += name + inner.bytes
	m.height = max(m.height, inner.height+1)
}

// nameBytes returns the length of a member name with its colon.
func nameBytes(name string) int { return stringBytes(name) + len(":") }

// stringBytes returns the length of s as jsontree.AppendString writes it.
func stringBytes[T string | []byte](s T) int {
	n := len(s) + len(`""`)
	for i := 0; i < len(s); i++ {
		extra := escapes[s[i]]
		if extra == maybeSeparator {
			extra = 0
			if i+2 < len(s) && s[i+1] == 0x80 && s[i+2]&^1 == 0xA8 { // U+2028, U+2029
				extra = len(`\u2028`) - 3
			}
		}
		n += extra
	}
	return n
}

// maybeSeparator stands in escapes for the first byte of U+2028 and U+2029, and of much else.
const maybeSeparator = -1

// escapes is how many bytes more than one each byte of a string takes.
var escapes = func() (extra [256]int) {
	for c := range 0x20 {
		extra[c] = len(`\u0000`) - 1
	}
	extra['<'], extra[0x7f] = len(`\u0000`)-1, len(`\u0000`)-1
	for _, c := range "\"\\\n\r\t" {
		extra[c] = 1
	}
	extra[0xE2] = maybeSeparator
	return extra
}()

// longestName returns the longest member name anywhere in n, in characters, and that name.
func longestName(n *jsontree.Node) (length int, name string) {
	for _, v := range n.Items() {
		if l, s := longestName(v); l > length {
			length, name = l, s
		}
	}
	for i := range n.Members {
		if l := utf8.RuneCountInString(n.Members[i].Name); l > length {
			length, name = l, n.Members[i].Name
		}
		if l, s := longestName(n.Members[i].Value); l > length {
			length, name = l, s
		}
	}
	return length, name
}

// bytesOf returns the size of a cell with its changes.
func (e *editor) bytesOf(c *cell) int {
	if c.members == nil && c.items == nil {
		return e.measures.of(c.node).bytes
	}
	return e.measures.of(c.node).bytes + c.grown
}

// heightOf returns the nesting of a cell with its changes, or 0 if nesting is not bounded. It
// walks what was opened.
func (e *editor) heightOf(c *cell) int {
	if e.limits.MaxDepth <= 0 {
		return 0
	}
	height := 1
	switch {
	case c.members != nil:
		e.spend(len(c.node.Members) + len(c.members.added))
		for i, m := range c.node.Members {
			if _, touched := c.members.places[i]; !touched {
				height = max(height, 1+e.measures.of(m.Value).height)
			}
		}
		c.members.eachMember(func(child *cell) { height = max(height, 1+e.heightOf(child)) })
	case c.items != nil:
		e.spend(len(c.items.list))
		for _, v := range c.items.list {
			if v.cell != nil {
				height = max(height, 1+e.heightOf(v.cell))
			} else {
				height = max(height, 1+e.measures.of(v.node).height)
			}
		}
	default:
		height = e.measures.of(c.node).height
	}
	return height
}

// grow records that the value at c became n bytes longer.
func grow(c *cell, n int) {
	for ; c != nil; c = c.parent {
		c.grown += n
	}
}
