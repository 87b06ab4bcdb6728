package renderer

// Closing is what a file may be longer than its last token's end.
const Closing = closing

// AppendWithin is Append of a JSON file for a bound that is small enough for tests. It returns the
// number of tokens and of members that were left out, too.
func (s *Set) AppendWithin(f File, maxBytes int) (out []byte, tokens, members int) {
	w := walker{set: s, end: maxBytes - closing}
	out = w.write(nil, f)
	return out, len(w.left), w.leftMembers
}
