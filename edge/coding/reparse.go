package coding

import (
	"bytes"

	"example.com/livery/wasm/abi"
)

// mostLonger is the part by which a text may be longer, coded by the matches of others, than by matches that were searched in a
// text like it.
const mostLonger = 0.02

// Reparse returns the Parse of a text that is much like one that was parsed, as a version is like the one before it, without
// a search for matches: a twentieth of the time. It returns nil if the texts are not so much alike.
func Reparse(text []byte, of Shared) *Parse {
	if of.Spans = sharedSpans(of.Text, text); !of.holds(text) {
		return nil
	}
	w := parseWriters.Get().(*parseWriter)
	defer parseWriters.Put(w)
	w.splice(of, len(text), false)
	p := newParse(text, w.matches)
	if p.searched = of.Parse.searched; p.share() > p.searched*(1+mostLonger) {
		return nil
	}
	return p
}

// share returns how long p's text is coded, as a part of its length.
func (p *Parse) share() float64 { return float64(len(p.coded.bits)) / float64(p.length) }

// Of a place where two texts differ.
const (
	sameAgain = 32      // bytes that are the same again end it
	mostAdded = 4 << 10 // bytes that only the second has, at most
	mostTried = 8 << 10 // bytes of the first from which on the second is searched, in all places together
)

// sharedSpans returns the parts of text that stand in old, in the order of both, as far as a short search finds them.
func sharedSpans(old, text []byte) (spans []abi.Span) {
	from, at := 0, 0
	for tried := 0; tried < mostTried; tried++ {
		n := commonPrefix(old[from:], text[at:])
		if n > 0 {
			spans = append(spans, abi.Span{At: at, From: from, Length: n})
		}
		from, at = from+n, at+n
		skipped, added := 0, -1
		for ; added < 0 && tried < mostTried && from+skipped+sameAgain <= len(old); tried++ {
			added = bytes.Index(text[at:min(len(text), at+mostAdded)], old[from+skipped:from+skipped+sameAgain])
			skipped++
		}
		if added < 0 {
			break
		}
		from, at = from+skipped-1, at+added
	}
	return spans
}

// commonPrefix returns the length of what both begin with.
func commonPrefix(a, b []byte) (n int) {
	const step = 1 << 10
	for len(a)-n >= step && len(b)-n >= step && bytes.Equal(a[n:n+step], b[n:n+step]) {
		n += step
	}
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
