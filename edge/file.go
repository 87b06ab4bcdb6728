package edge

import (
	"math"
	"slices"
	"sync/atomic"
	"time"

	"example.com/livery/edge/coding"
	"example.com/livery/edge/memcache"
)

// file is one served file in the codings that were made of it. It is not changed: another coding
// makes another file.
type file struct {
	bodies   [coding.Count]*body // by the coding that is asked for; nil: not made
	deltas   []delta             // by the dictionary, the newest last
	failed   error               // the file could not be made, at failedAt
	failedAt time.Time           // when that was
}

// with returns f, which may be nil, with b beside the bodies that it has. The file as it is makes place for a coding that
// says the same in fewer bytes, unless somebody asked for it: there is room for several times as many files.
func (f *file) with(b *body) *file {
	next := &file{}
	if f != nil {
		next.bodies, next.deltas = f.bodies, f.deltas
	}
	next.bodies[b.wanted] = b
	if plain := next.bodies[coding.Identity]; plain != nil && !plain.asked && b.encoding != coding.Identity {
		next.bodies[coding.Identity] = nil
	}
	return next
}

// says returns what the file is, if a body is held that tells, or nil.
func (f *file) says() *plain {
	for _, b := range f.bodies {
		if b != nil && b.says != nil {
			return b.says
		}
	}
	return nil
}

// delta is the file as it is sent to who has another one.
type delta struct {
	from offerKey // the dictionary
	body *body    // nil: a delta does not pay, and the ordinary codings are sent
}

// maxDeltas bounds the dictionaries that one file is sent by; the oldest make place.
const maxDeltas = 32

// deltaCost is what a delta costs besides its bytes, roughly.
const deltaCost = 512

// withDelta returns f with d beside what it has.
func (f *file) withDelta(d delta) *file {
	kept := slices.DeleteFunc(slices.Clone(f.deltas), func(other delta) bool { return other.from == d.from })
	next := *f
	next.deltas = append(kept[max(0, len(kept)+1-maxDeltas):], d)
	return &next
}

// delta returns what is known of a delta from that dictionary.
func (f *file) delta(from *offerKey) (d delta, known bool) {
	for i := range f.deltas {
		if have := &f.deltas[i].from; have.sum == from.sum && *have == *from {
			return f.deltas[i], true
		}
	}
	return delta{}, false
}

// smallest returns the length of the shortest body held.
func (f *file) smallest() int {
	length := math.MaxInt
	for _, b := range f.bodies {
		if b != nil {
			length = min(length, len(b.bytes))
		}
	}
	return length
}

// cost returns the memory that the file takes; bytes that answer for several codings count once.
func (f *file) cost() (sum uint32) {
	sum = fileCost
	counted := false // the bytes of the file as it is
	for _, b := range f.bodies {
		if b == nil {
			continue
		}
		sum += bodyCost
		if b.encoding != coding.Identity || !counted {
			sum += memcache.Allocated(len(b.bytes))
		}
		counted = counted || b.encoding == coding.Identity
	}
	for _, d := range f.deltas {
		sum += deltaCost
		if d.body != nil {
			sum += bodyCost + memcache.Allocated(len(d.body.bytes))
		}
	}
	return sum
}

// body is one served file as it is sent to whoever asks for one coding. It is not changed.
type body struct {
	says     *plain          // what it is a coding of; nil: that is not known, and it is not a dictionary
	wanted   coding.Encoding // what was asked for
	encoding coding.Encoding // what it is in: identity if coding does not pay
	bytes    []byte
	etag     []byte // quoted
	roughTag []byte // the validator of the rougher body that this one replaced, which says the same; nil: none
	rough    bool   // encoded quickly: a smaller one could be made
	asked    bool   // in identity: for its own sake, not to make others of it

	improving atomic.Bool // a smaller one is being made or was tried
	head      []byte      // the first lines of an answer with this body, as the fast path sends them
}

// etagSuffixes tell the validators of one file's codings apart.
var etagSuffixes = [coding.Count]string{"", "-gz", "-zst", "-br"}

// newBody returns content, which must not be changed, as it is sent in a coding that is not a delta; of
// what, the caller says.
func newBody(content []byte, wanted, enc coding.Encoding, rough bool) *body {
	p := newPlain(content)
	b := &body{wanted: wanted, encoding: enc, bytes: content, etag: []byte(`"` + string(p.name) + etagSuffixes[enc] + `"`), rough: rough}
	if enc == coding.Identity {
		b.says = p
	}
	return b
}

// saying returns b, a coding of p.
func (b *body) saying(p *plain) *body {
	b.says = p
	return b
}

// matched returns the validator of the bytes that the client has and may keep, as an If-None-Match
// field lists them, or nil. Who has the body from before a smaller one was made need not fetch that, and
// who has a delta to the same file need not either.
func (b *body) matched(field []byte) []byte {
	switch {
	case len(field) == 0:
		return nil
	case anyMatches(field, b.etag):
		return b.etag
	case b.roughTag != nil && anyMatches(field, b.roughTag):
		return b.roughTag
	case b.says != nil:
		return b.says.matched(field)
	}
	return nil
}
