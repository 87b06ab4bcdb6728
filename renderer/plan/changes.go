package plan

import "bytes"

// Changes collects what an overlay changes, in the order of the file. The zero value changes
// nothing. It belongs to one goroutine.
type Changes struct {
	edits  []byte // as they lie in the overlay
	text   []byte
	shared map[string]uint32 // where in text each new text begins
	size   int               // by how much the file grows; negative where it shrinks
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
	c.edits = store32(store32(c.edits, uint32(at)), uint32(len(before)))
	c.edits = store32(store32(c.edits, c.keep(after)), uint32(len(after)))
	c.size += len(after) - len(before)
}

// keep returns where in c.text the bytes of after stand, and adds them where they do not.
func (c *Changes) keep(after []byte) uint32 {
	if from, ok := c.shared[string(after)]; ok {
		return from
	}
	if c.shared == nil {
		c.shared = map[string]uint32{}
	}
	from := uint32(len(c.text))
	c.shared[string(after)] = from
	c.text = append(c.text, after...)
	return from
}

// Append appends the overlay that makes these changes to p. It returns dst as it was where the file
// would be longer than MaxFileBytes. p must be the plan of the file whose places Replace was given.
func (c *Changes) Append(dst []byte, p Plan) []byte {
	if len(p.text)+c.size > MaxFileBytes {
		return dst
	}
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
