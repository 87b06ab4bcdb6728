package renderer

import (
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/plan"
)

// CompiledTheme is a Theme version, read and rendered once, from which the plans of its files and the
// overlays of any number of Variants are made (package plan). It is not changed after Compile and
// may be used concurrently. It keeps the tree it was compiled from.
type CompiledTheme struct {
	base   *dtcg.Base
	doc    *dtcg.Document // of base
	prefix string
	files  [FileCount]cutFile
	plans  [FileCount]plan.Plan
	blobs  [FileCount][]byte

	// What changes compares a Variant with, as the Set of the Theme alone has it.
	declared    int
	contested   []bool
	diagnostics []dtcg.Diagnostic
	room        int // how much longer every file may become, at least; negative: the Theme has no more room
}

// Compile compiles a Theme version for the custom property prefix, which may be empty. theme must
// not be changed afterwards.
func Compile(theme *jsontree.Node, prefix string) *CompiledTheme {
	base := dtcg.ReadBase(theme)
	s := LoadDocument(base.Theme, prefix)
	c := &CompiledTheme{
		base: base, doc: base.Theme, prefix: prefix,
		declared: s.declared, contested: s.contested, diagnostics: s.diagnostics,
	}
	leftOut := s.leftOut
	text := make([]byte, 0, s.room(TokensJSON)) // of one file after the other
	for f := range File(FileCount) {
		if f != TokensCSS {
			c.files[f].stops = make([]int32, len(s.doc.Tokens))
		}
		leftOut = s.cut(&c.files[f], f, text) || leftOut
		text = c.files[f].text[:0]
		c.blobs[f] = plan.Append(nil, uint8(f), c.files[f].text)
		if p, err := plan.Open(c.blobs[f]); err == nil { // else the tree is deeper than any that is parsed
			c.plans[f], c.files[f].text = p, p.File()
		} else {
			c.files[f].text, leftOut = nil, true
		}
	}
	if c.room = c.roomLeft(); leftOut {
		c.room = -1
	}
	return c
}

// Plan returns the plan of file f. The caller must not change it. Equal Themes give equal bytes. It is
// nil only if the file is longer than plan.MaxFileBytes, which no tree that was parsed can bring about.
func (c *CompiledTheme) Plan(f File) []byte { return c.blobs[f] }

// Load is LoadTree for the Theme of c, which is not read again: it costs what the overrides reach,
// unless these do more than change values. overrides may be nil. The Set keeps c.
func (c *CompiledTheme) Load(overrides *jsontree.Node) *Set {
	list := dtcg.Overrides(overrides)
	if change := c.changed(list); change != nil {
		return &Set{doc: c.doc, prefix: c.prefix, change: change}
	}
	return c.loadWhole(list)
}

// loadWhole is Load at the cost of the whole Theme.
func (c *CompiledTheme) loadWhole(overrides []dtcg.Override) *Set {
	return LoadDocument(overlay(c.doc, overrides), c.prefix)
}

// Overlay returns the overlay that makes of the plan of file f the bytes that s renders, whatever the
// overrides of s do: retype, leave out, bring back, collide. s must come from c.Load. The result grows
// with what differs, not with the Theme. It is nil only if Plan is.
func (c *CompiledTheme) Overlay(s *Set, f File) []byte {
	if s.doc.Root != c.doc.Root || s.change != nil && s.change.of != c {
		panic("renderer: an overlay is compiled from a Set of its own Theme")
	}
	if c.blobs[f] == nil {
		return nil
	}
	if s.change != nil {
		return s.change.overlay(f)
	}
	before := &c.files[f]
	var after cutFile
	s.cut(&after, f, make([]byte, 0, len(before.text)+len(before.text)/8))
	var changes plan.Changes
	from, to := int32(0), int32(0)
	for i, end := range before.ends {
		changes.Replace(int(from), before.text[from:end], after.text[to:after.ends[i]])
		from, to = end, after.ends[i]
	}
	return changes.Append(nil, c.plans[f])
}

// cutFile is a rendered file in pieces: what comes before the text of the first token, and one piece
// from there to the text of the second, and so on to the end. Any way of cutting two files
// gives a true overlay; cutting both at the same tokens gives a small one in one walk.
type cutFile struct {
	text  []byte
	ends  []int32 // of each piece; one piece more than there are tokens
	stops []int32 // by token of a Theme's JSON file: the end of the token's own text; 0 if it has none
}

// piece returns where the piece of a token begins and ends.
func (c *cutFile) piece(token int32) (from, to int32) { return c.ends[token], c.ends[token+1] }

// cut renders a file into dst, which is empty, and cuts it. It reports whether there was no room for all of it.
func (s *Set) cut(c *cutFile, f File, dst []byte) (leftOut bool) {
	c.ends = make([]int32, len(s.doc.Tokens)+1)
	w := walker{set: s, starts: c.ends[:len(s.doc.Tokens)], stops: c.stops}
	c.text = w.append(dst, f)
	next := int32(len(c.text))
	c.ends[len(w.starts)] = next
	for i := len(w.starts) - 1; i >= 0; i-- {
		next = min(next, w.starts[i]) // a token or a group that was taken back begins where the next one does
		w.starts[i] = next
	}
	return len(w.left) > 0 || w.leftMembers > 0
}
