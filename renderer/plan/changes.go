package plan

import (
	"bytes"
	"slices"
)

// Changes collects what an overlay changes, in the order of the file. The zero value changes
// nothing. It belongs to one goroutine.
type Changes struct {
	edits  []byte // as they lie in the overlay
	text   []byte
	near   []uint32          // by hash: the number of the first edit of a text, counted from 1; 0 is free
	shared map[string]uint32 // the positions in text of those that found no place in near
	size   int               // by how much the file grows; negative if it shrinks
}

// near has a place for most texts, and each text a few that it may have: however many share them, as
// they may on purpose, to look costs no more.
const (
	nearFewest = 1 << 6
	nearMost   = 1 << 12
	nearPlaces = 4
)

// Grow makes room for a number of calls of Replace. It may be called before the first of them.
func (c *Changes) Grow(edits int) {
	c.edits = slices.Grow(c.edits, editBytes*edits)
	length := nearFewest
	for length < min(edits, nearMost) {
		length *= 2
	}
	c.near = make([]uint32, length)
}

// Replace puts after in the place of before, which must be what the file has from byte at on. Calls
// must come in the order of the file and not overlap. What is equal at the beginning and at the end
// is left alone; equal texts are kept once. It keeps neither argument.
func (c *Changes) Replace(at int, before, after []byte) {
	if bytes.Equal(before, after) {
		return
	}
	equal := commonPrefix(before, after)
	at, before, after = at+equal, before[equal:], after[equal:]
	equal = commonSuffix(before, after)
	before, after = before[:len(before)-equal], after[:len(after)-equal]
	from := c.keep(after)
	c.edits = store32(store32(c.edits, uint32(at)), uint32(len(before)))
	c.edits = store32(store32(c.edits, from), uint32(len(after)))
	c.size += len(after) - len(before)
}

// keep returns where in c.text the bytes of after, the text of the edit that comes next, stand, and adds
// them if they do not.
func (c *Changes) keep(after []byte) uint32 {
	if c.near == nil {
		c.near = make([]uint32, nearFewest)
	}
	hash := uint32(sumOf(0, after))
	for i := range uint32(nearPlaces) {
		place := &c.near[(hash+i)&uint32(len(c.near)-1)]
		if *place == 0 {
			*place = uint32(len(c.edits)/editBytes) + 1
			return c.add(after)
		}
		e := (*edit)(c.edits[(*place-1)*editBytes:])
		if string(c.text[e.from():e.from()+e.length()]) == string(after) {
			return uint32(e.from())
		}
	}
	from, ok := c.shared[string(after)]
	if !ok {
		if c.shared == nil {
			c.shared = map[string]uint32{}
		}
		from = c.add(after)
		c.shared[string(after)] = from
	}
	return from
}

func (c *Changes) add(after []byte) (from uint32) {
	from = uint32(len(c.text))
	c.text = append(c.text, after...)
	return from
}

// Append appends the overlay that makes these changes to p. It returns dst as it was if the file
// would be longer than MaxFileBytes. p must be the plan of the file whose places Replace was given.
func (c *Changes) Append(dst []byte, p Plan) []byte {
	if len(p.text)+c.size > MaxFileBytes {
		return dst
	}
	dst = slices.Grow(dst, headBytes+len(c.edits)+len(c.text))
	dst = head{p.file, p.sum, uint32(len(c.edits) / editBytes), uint32(len(c.text))}.append(dst, overlayMagic)
	return append(append(dst, c.edits...), c.text...)
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
