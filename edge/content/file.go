package content

import (
	"math"
	"slices"
	"time"

	"example.com/livery/edge/coding"
	"example.com/livery/edge/memcache"
)

// File is one served file in the codings that were made of it. It is not changed: another coding
// makes another file.
type File struct {
	bodies   [coding.Count]*Body // by the coding that is asked for; nil: not made
	deltas   []delta             // by the dictionary, the newest last
	failed   error               // the file could not be made, at failedAt
	failedAt time.Time           // when that was
}

// with returns f, which may be nil, with b beside the bodies that it has. The file as it is makes place for a coding that
// says the same in fewer bytes, unless a client asked for it: there is room for several times as many files.
func (f *File) with(b *Body) *File {
	next := &File{}
	if f != nil {
		next.bodies, next.deltas = f.bodies, f.deltas
	}
	next.bodies[b.wanted] = b
	if plain := next.bodies[coding.Identity]; plain != nil && !plain.requested && b.Encoding != coding.Identity {
		next.bodies[coding.Identity] = nil
	}
	return next
}

// Body returns the file as it is sent for a coding; nil: that is not made.
func (f *File) Body(enc coding.Encoding) *Body { return f.bodies[enc] }

// plain returns what the file is, if a body is held that tells, or nil.
func (f *File) plain() *PlainInfo {
	for _, b := range f.bodies {
		if b != nil && b.Plain != nil {
			return b.Plain
		}
	}
	return nil
}

// delta is the file as it is sent to a client that has another one.
type delta struct {
	from DictionaryKey // the dictionary
	body *Body         // nil: a delta does not pay, and the ordinary codings are sent
}

// maxDeltas bounds the dictionaries that one file is sent by; the oldest are dropped.
const maxDeltas = 32

// What a file takes besides its bytes, roughly: structures, its key, the table's own. A test weighs them.
const (
	fileCost  = 240
	bodyCost  = 448 // with its validators, its digest and the beginning of its head
	deltaCost = 512
)

// withDelta returns f with d beside what it has.
func (f *File) withDelta(d delta) *File {
	kept := slices.DeleteFunc(slices.Clone(f.deltas), func(other delta) bool { return other.from == d.from })
	next := *f
	next.deltas = append(kept[max(0, len(kept)+1-maxDeltas):], d)
	return &next
}

// delta returns what is known of a delta from that dictionary.
func (f *File) delta(from *DictionaryKey) (d delta, known bool) {
	for i := range f.deltas {
		if have := &f.deltas[i].from; have.Digest == from.Digest && *have == *from {
			return f.deltas[i], true
		}
	}
	return delta{}, false
}

// smallest returns the length of the shortest body held.
func (f *File) smallest() int {
	length := math.MaxInt
	for _, b := range f.bodies {
		if b != nil {
			length = min(length, len(b.Bytes))
		}
	}
	return length
}

// cost returns the memory that the file takes; bytes that answer for several codings count once.
func (f *File) cost() (sum uint32) {
	sum = fileCost
	counted := false // the bytes of the file as it is
	for _, b := range f.bodies {
		if b == nil {
			continue
		}
		sum += bodyCost
		if b.Encoding != coding.Identity || !counted {
			sum += memcache.Allocated(len(b.Bytes))
		}
		counted = counted || b.Encoding == coding.Identity
	}
	for _, d := range f.deltas {
		sum += deltaCost
		if d.body != nil {
			sum += d.body.Cost()
		}
	}
	return sum
}
