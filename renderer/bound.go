package renderer

import (
	"strconv"

	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/plan"
)

// MaxFileBytes is the length of the longest file. A document within the limits of the API can ask for
// hundreds of gigabytes: one long text and 100,000 aliases of it. Of every file each token is left out
// that would take it past this length, in document order; a shorter one that comes later may find room.
// What a token becomes in one file does not count in another, so each file has bounds of its own.
//
// Before that package dtcg bounds what aliases build, and package css a list, so that neither time
// nor memory is spent on what no file can hold.
const MaxFileBytes = plan.MaxFileBytes

// closing is kept free for what ends a file: one brace for every level of the deepest tree that
// jsontree.Parse reads, and the newline.
const closing = jsontree.MaxDepth + 8

// tooLong reports whether a file that is written to dst has no room for what was written last.
func (w *walker) tooLong(dst []byte) bool { return len(dst) > w.end }

// keep returns dst, the text of the next token included, or dst[:before] if there is none, which
// is from inner on, or no room for it.
func (w *walker) keep(dst []byte, before, inner int) []byte {
	if len(dst) == inner {
		return dst[:before]
	}
	if w.at < 0 {
		return w.keepMember(dst, before)
	}
	if w.tooLong(dst) {
		w.left = append(w.left, int32(w.at))
		return dst[:before]
	}
	if w.stops != nil {
		w.stops[w.at] = int32(len(dst))
	}
	return dst
}

// keepMember is keep for a member of a group or a group that could not be opened.
func (w *walker) keepMember(dst []byte, before int) []byte {
	if w.tooLong(dst) {
		w.leftMembers++
		return dst[:before]
	}
	return dst
}

// Diagnostics lists what the served files leave out and why, in document order. The caller must not
// change the result. It renders the JSON files of a document that may be too long for one of them.
func (s *Set) Diagnostics() []dtcg.Diagnostic {
	if s.change != nil {
		return s.change.diagnostics()
	}
	if s.mayBeLong() {
		return s.withLeftOut()
	}
	return s.diagnostics
}

// aroundToken is what a token takes in a file beside its names and values: a colour in its longest form,
// punctuation.
const aroundToken = 128

// mayBeLong is false if no JSON file can be longer than MaxFileBytes.
func (s *Set) mayBeLong() bool {
	if s.doc.Root == nil {
		return false
	}
	total := jsontree.Length(s.doc.Root) + 2*s.declared // a string of CSS is at most twice as long in JSON
	for i := range s.doc.Tokens {
		t := &s.doc.Tokens[i]
		total += jsontree.StringLength(t.Path) + len(t.Resolved) + aroundToken
		if t.Served != nil && (t.Overridden || t.Served != t.Value) {
			total += 2 * jsontree.Length(t.Served)
		}
		if t.Overridden {
			total += jsontree.Length(t.Value)
		}
	}
	return total > MaxFileBytes
}

// withLeftOut returns the diagnostics, and those of what the JSON files have no room for.
func (s *Set) withLeftOut() []dtcg.Diagnostic {
	all := append([]dtcg.Diagnostic(nil), s.diagnostics...)
	var dst []byte
	for f := range File(FileCount) {
		w := walker{set: s}
		dst = w.append(dst[:0], f)
		for _, i := range w.left {
			all = append(all, noRoom(&s.doc.Tokens[i], f))
		}
		if w.leftMembers > 0 {
			all = append(all, dtcg.Diagnostic{Kind: dtcg.ValueMisfit, Message: f.Name() + " leaves out " +
				strconv.Itoa(w.leftMembers) + " groups and members of groups: it has no more than 64 MiB"})
		}
	}
	s.doc.Sort(all)
	return all
}

// noRoom reports that file f has no room for t.
func noRoom(t *dtcg.Token, f File) dtcg.Diagnostic {
	return dtcg.Diagnostic{Path: t.Path, Kind: dtcg.ValueMisfit, Message: f.Name() + " leaves it out: with it the file would be longer than 64 MiB"}
}
