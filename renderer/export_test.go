package renderer

import (
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Closing is what a file may be longer than its last token's end.
const Closing = closing

// AppendWithin is Append of a JSON file for a bound that is small enough for tests. It returns the
// number of tokens and of members that were left out, too.
func (s *Set) AppendWithin(f File, maxBytes int) (out []byte, tokens, members int) {
	w := walker{set: s, end: maxBytes - closing}
	out = w.write(nil, f)
	return out, len(w.left), w.leftMembers
}

// LoadWhole is Load at the cost of the whole Theme.
func (c *CompiledTheme) LoadWhole(overrides *jsontree.Node) *Set {
	return c.loadWhole(dtcg.Overrides(overrides))
}

// Whole reports whether all of s was resolved and rendered, and not only what the overrides reach.
func (s *Set) Whole() bool { return s.change == nil }

// WithRoom returns c as if its files had room for so many bytes more.
func (c *CompiledTheme) WithRoom(bytes int) *CompiledTheme {
	other := *c
	other.room = bytes
	return &other
}
