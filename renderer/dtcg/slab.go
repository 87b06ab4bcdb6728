package dtcg

import "strings"

// slabBytes is the length of a slab of texts.
const slabBytes = 16 << 10

// textSlab cuts texts from slabs: one allocation serves many.
type textSlab struct{ slab strings.Builder }

// cut returns the text that head and tail are together.
func (t *textSlab) cut(head []byte, tail string) string {
	length := len(head) + len(tail)
	if t.slab.Cap()-t.slab.Len() < length {
		t.slab = strings.Builder{}
		t.slab.Grow(max(length, slabBytes))
	}
	t.slab.Write(head)
	t.slab.WriteString(tail)
	return t.slab.String()[t.slab.Len()-length:]
}
