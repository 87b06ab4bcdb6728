package content

import (
	"crypto/sha256"
	"strconv"
	"sync/atomic"

	"example.com/livery/edge/coding"
	"example.com/livery/edge/memcache"
	"example.com/livery/wasm/abi"
)

// Body is one served file as it is sent to clients that prefer one coding. It is not changed.
type Body struct {
	Plain       *PlainInfo      // what it is a coding of; nil: that is not known, and it is not a dictionary
	Encoding    coding.Encoding // what it is in: Identity if coding does not pay
	Bytes       []byte
	ETag        []byte // quoted
	FastEncoded bool   // a smaller one could be made
	ContentType []byte
	Head        []byte // of an answer with the whole of it, as AppendHead appends

	wanted    coding.Encoding // what was asked for
	fastTag   []byte          // the validator of the larger body that this one replaced, which says the same; nil: none
	requested bool            // in Identity: for its own sake, not to make others of it

	digest        atomic.Pointer[digest] // nil: not hashed yet
	recompressing atomic.Bool            // a smaller one is being made or was tried
}

// etagSuffixes tell the validators of one file's codings apart.
var etagSuffixes = [coding.Count]string{"", "-gz", "-zst", "-br"}

// contentTypes are those of the files.
var contentTypes = [abi.FileCount][]byte{
	abi.TokensCSS:        []byte("text/css; charset=utf-8"),
	abi.TokensValuesJSON: []byte("application/json"),
	abi.TokensDTCGJSON:   []byte("application/design-tokens+json"),
	abi.TokensJSON:       []byte("application/json"),
	abi.TokensFlatJSON:   []byte("application/json"),
}

// NewBody returns content of a file, which must not be changed, as it is sent in a coding that is not a delta. fast says
// that it was encoded quickly, p what it is a coding of; nil: that is not known, or for the file itself that its hash is
// its name.
func NewBody(f abi.File, content []byte, wanted, enc coding.Encoding, fast bool, p *PlainInfo) *Body {
	b := &Body{Plain: p, wanted: wanted, Encoding: enc, Bytes: content, FastEncoded: fast}
	if enc == coding.Identity && p == nil {
		b.Plain = newPlainInfo(content)
	}
	var name []byte
	switch {
	case enc != coding.Identity:
		sum := sha256.Sum256(content)
		name = tagOf(sum)
		b.digest.Store(newDigest(sum))
	default:
		name = b.Plain.name
		b.digest.Store(b.Plain.digest)
	}
	b.ETag = []byte(`"` + string(name) + etagSuffixes[enc] + `"`)
	return b.describe(f)
}

// NewJSON returns a JSON document, which must not be changed, as it is sent. It belongs to no file of a Theme.
func NewJSON(content []byte) *Body {
	return NewBody(abi.TokensJSON, content, coding.Identity, coding.Identity, false, nil)
}

// Cost returns the memory that a body takes.
func (b *Body) Cost() uint32 { return bodyCost + memcache.Allocated(len(b.Bytes)) }

// describe sets what b's answers say of it, and returns it.
func (b *Body) describe(f abi.File) *Body {
	b.ContentType = contentTypes[f]
	b.Head = b.AppendHead(nil, len(b.Bytes))
	return b
}

// AppendHead appends the lines of an answer with so many bytes of b that say what it is.
func (b *Body) AppendHead(dst []byte, length int) []byte {
	dst = append(append(dst, "Content-Type: "...), b.ContentType...)
	if b.Encoding != coding.Identity {
		dst = append(append(dst, "\r\nContent-Encoding: "...), coding.Names[b.Encoding]...)
	}
	return append(strconv.AppendInt(append(dst, "\r\nContent-Length: "...), int64(length), 10), "\r\n"...)
}

// Matches returns the validator of the bytes that the client has and may keep, as an If-None-Match
// field lists them, or nil. A client with the body from before a smaller one was made need not fetch that, and
// one with a delta to the same file need not either.
func (b *Body) Matches(field []byte) []byte {
	switch {
	case len(field) == 0:
		return nil
	case AnyMatches(field, b.ETag):
		return b.ETag
	case b.fastTag != nil && AnyMatches(field, b.fastTag):
		return b.fastTag
	case b.Plain != nil:
		return b.Plain.Matches(field)
	}
	return nil
}

// newDelta returns a delta to p as it is sent.
func newDelta(f abi.File, content []byte, p *PlainInfo) *Body {
	sum := sha256.Sum256(content)
	b := &Body{Plain: p, wanted: coding.Delta, Encoding: coding.Delta, Bytes: content, ETag: p.deltaTag(sum)}
	b.digest.Store(newDigest(sum))
	return b.describe(f)
}
