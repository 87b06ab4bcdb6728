package renderer

import (
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/plan"
)

// Compiled is a Theme version, read and rendered once, from which the plans of its files and the
// overlays of any number of Variants are made (package plan). It is not changed after Compile and
// may be used concurrently. It keeps the tree it was compiled from.
type Compiled struct {
	doc    *dtcg.Document
	prefix string
	files  [FileCount]cutFile
	plans  [FileCount]plan.Plan
	blobs  [FileCount][]byte
}

// Compile compiles a Theme version for the custom property prefix, which may be empty. theme must
// not be changed afterwards.
func Compile(theme *jsontree.Node, prefix string) *Compiled {
	c := &Compiled{doc: dtcg.Read(theme), prefix: prefix}
	s := LoadDocument(c.doc, prefix)
	for f := range File(FileCount) {
		c.files[f] = s.cut(f, 0)
		c.blobs[f] = plan.Append(nil, uint8(f), c.files[f].text)
		if p, err := plan.Open(c.blobs[f]); err == nil { // else the tree is deeper than any that is parsed
			c.plans[f], c.files[f].text = p, p.File()
		}
	}
	return c
}

// Plan returns the plan of file f. The caller must not change it. Equal Themes give equal bytes. It is
// nil only where the file is longer than plan.MaxFileBytes, which no tree that was parsed can bring about.
func (c *Compiled) Plan(f File) []byte { return c.blobs[f] }

// Load is LoadTree for the Theme of c, which is not read again. overrides may be nil.
func (c *Compiled) Load(overrides *jsontree.Node) *Set {
	return LoadDocument(overlay(c.doc, overrides), c.prefix)
}

// Overlay returns the overlay that makes of the plan of file f the bytes that s renders, whatever the
// overrides of s do: retype, leave out, bring back, collide. s must come from c.Load. The result grows
// with what differs, not with the Theme. It is nil only where Plan is.
func (c *Compiled) Overlay(s *Set, f File) []byte {
	if s.doc.Root != c.doc.Root {
		panic("renderer: an overlay is compiled from a Set of its own Theme")
	}
	if c.blobs[f] == nil {
		return nil
	}
	before := &c.files[f]
	after := s.cut(f, len(before.text)+len(before.text)/8)
	var changes plan.Changes
	from, to := 0, 0
	for i, end := range before.ends {
		changes.Replace(from, before.text[from:end], after.text[to:after.ends[i]])
		from, to = end, after.ends[i]
	}
	return changes.Append(nil, c.plans[f])
}

// cutFile is a rendered file in pieces: what comes before the text of the first token, and one piece
// from there to the text of the second, and so on to the end. Any way of cutting two files
// gives a true overlay; cutting both at the same tokens gives a small one in one walk.
type cutFile struct {
	text []byte
	ends []int // of each piece; one piece more than there are tokens
}

// cut renders a file into memory of the given capacity, or more, and cuts it.
func (s *Set) cut(f File, capacity int) cutFile {
	c := cutFile{make([]byte, 0, capacity), make([]int, len(s.doc.Tokens)+1)}
	w := walker{set: s, starts: c.ends[:len(s.doc.Tokens)]}
	c.text = w.append(c.text, f)
	next := len(c.text)
	for i := len(c.ends) - 1; i >= 0; i-- {
		if i == len(c.ends)-1 || c.ends[i] > next {
			c.ends[i] = next // a token or a group that was taken back begins where the next one does
		}
		next = c.ends[i]
	}
	return c
}
