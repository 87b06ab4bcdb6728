package edge

import (
	"crypto/sha256"
	"encoding/base64"
	"sync/atomic"
	"time"
)

// file is one served file in the codings that were made of it. It is not changed: another coding
// makes another file.
type file struct {
	bodies   [encodingCount]*body // by the coding that is asked for; nil: not made
	failed   error                // the file could not be made, at failedAt
	failedAt time.Time            // when that was
}

// with returns f, which may be nil, with b beside the bodies that it has.
func (f *file) with(b *body) *file {
	next := &file{}
	if f != nil {
		next.bodies = f.bodies
	}
	next.bodies[b.wanted] = b
	return next
}

// bytes returns the size of all bodies; what answers for several codings counts once.
func (f *file) bytes() (sum uint32) {
	for enc, b := range f.bodies {
		if b != nil && (enc == int(identity) || b.encoding != identity) {
			sum += uint32(len(b.bytes) + len(b.head))
		}
	}
	return sum
}

// body is one served file as it is sent to whoever asks for one coding. It is not changed.
type body struct {
	wanted   encoding // what was asked for
	encoding encoding // what it is in: identity where coding does not pay
	bytes    []byte
	etag     []byte // quoted
	roughTag []byte // the validator of the rougher body that this one replaced, which says the same; nil: none
	rough    bool   // encoded quickly: a smaller one could be made

	improving atomic.Bool // a smaller one is being made or was tried
	head      []byte      // the first lines of an answer with this body, as the fast path sends them
}

// newBody returns content, which must not be changed, as it is sent in a coding.
func newBody(content []byte, wanted, enc encoding, rough bool) *body {
	return &body{wanted: wanted, encoding: enc, bytes: content, etag: etagOf(content, enc), rough: rough}
}

// etagOf returns the strong validator of bytes that are sent in a coding, quoted.
func etagOf(content []byte, enc encoding) []byte {
	sum := sha256.Sum256(content)
	return []byte(`"` + base64.RawURLEncoding.EncodeToString(sum[:18]) + etagSuffixes[enc] + `"`)
}

// matched returns the validator of the bytes that the client has and may keep, as an If-None-Match
// field lists them, or nil. Who has the body from before a smaller one was made need not fetch that.
func (b *body) matched(field []byte) []byte {
	switch {
	case len(field) == 0:
		return nil
	case anyMatches(field, b.etag):
		return b.etag
	case b.roughTag != nil && anyMatches(field, b.roughTag):
		return b.roughTag
	}
	return nil
}
