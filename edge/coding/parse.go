package coding

import (
	"bytes"
	"context"
	"sync"
	"unsafe"

	"example.com/livery/wasm/abi"
	"github.com/andybalholm/brotli"
	"github.com/andybalholm/brotli/matchfinder"
)

// Parse is the LZ77 stage of encoding a text: where its parts stood before. Contents that share most of their bytes
// with the text are encoded from it in a fraction of the time, as no match has to be searched for. It is not changed.
type Parse struct {
	length  int // of the text
	matches []match
	deflate *deflateCode
	coded   codedText // by deflate

	searched float64 // share of the text in which the matches were searched
}

// match is a matchfinder.Match in half the memory.
type match struct{ unmatched, length, distance uint32 }

// The bounds of a match that every coding can send, and of what it pays for.
const (
	minMatch    = 4
	maxDistance = 1 << 15 // of gzip

	// MaxParseBytes is the length of the longest text that NewParse takes.
	MaxParseBytes = 1 << 20
)

// NewParse finds the matches of a text: about a millisecond for 60 KB, and two megabytes of memory meanwhile.
func NewParse(text []byte) *Parse {
	p := newParse(text, (&matchfinder.Bargain1{MaxDistance: maxDistance}).FindMatches(nil, text))
	p.searched = p.share()
	return p
}

func newParse(text []byte, found []matchfinder.Match) *Parse {
	p := &Parse{length: len(text), matches: make([]match, len(found))}
	for i, m := range found {
		p.matches[i] = match{uint32(m.Unmatched), uint32(m.Length), uint32(m.Distance)}
	}
	p.deflate = newDeflateCode(text, found)
	p.coded = p.deflate.codeText(text, found)
	return p
}

// Bytes returns the memory that p takes.
func (p *Parse) Bytes() int {
	return 12*cap(p.matches) + 4*cap(p.coded.at) + cap(p.coded.bits) + 128 + int(unsafe.Sizeof(deflateCode{})) + 512
}

// Shared is what a content shares with a text that was parsed.
type Shared struct {
	Text  []byte
	Parse *Parse     // of Text
	Spans []abi.Span // in the order of the content, and of the text
	Room  []byte     // that the content may be put in
}

// Parsed reports whether EncodeParsed makes a coding.
func Parsed(enc Encoding) bool { return enc == Gzip || enc == Brotli }

// EncodeParsed encodes content by what it shares with a text, while a request waits: it takes a slot, and waits for one until
// ctx is done. It returns nil if there is none, the content does not share that, or the coding is not Parsed. Equal arguments
// give equal bytes.
func (p *Encoders) EncodeParsed(ctx context.Context, content []byte, enc Encoding, by Shared) []byte {
	if !Parsed(enc) || !by.holds(content) || !p.takeSlot(ctx) {
		return nil
	}
	defer func() { <-p.slots }()
	w := parseWriters.Get().(*parseWriter)
	defer parseWriters.Put(w)
	return bytes.Clone(w.write(content, enc, by)) // to its own length: it is kept
}

// takeSlot waits for a slot until ctx is done, and reports whether there is one.
func (p *Encoders) takeSlot(ctx context.Context) bool {
	select {
	case p.slots <- struct{}{}:
		return true
	default:
	}
	select {
	case p.slots <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// holds reports whether the spans are in order and content has what they say.
func (by *Shared) holds(content []byte) bool {
	if by.Parse.length != len(by.Text) {
		return false
	}
	at, from := 0, 0
	for _, s := range by.Spans {
		if s.Length < 0 || s.At < at || s.From < from || s.Length > len(content)-s.At || s.Length > len(by.Text)-s.From {
			return false
		}
		if at, from = s.At+s.Length, s.From+s.Length; !bytes.Equal(content[s.At:at], by.Text[s.From:from]) {
			return false
		}
	}
	return true
}

// parseWriters are used again: one takes some 100 KB.
var parseWriters = sync.Pool{New: func() any { return &parseWriter{} }}

// parseWriter encodes contents by the matches of a Parse.
type parseWriter struct {
	splicer
	brotli brotli.Encoder
	out    []byte
}

// gzipHead begins a gzip stream that says nothing of a file (RFC 1952 section 2.3).
const gzipHead = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"

// otherShare is the part by which a content may be longer than its text, both gzipped, before it has a code of its own: it is
// not much like the text.
const otherShare = 20

func (w *parseWriter) write(content []byte, enc Encoding, by Shared) []byte {
	p := by.Parse
	w.splice(by, len(content), enc == Gzip)
	if enc == Brotli {
		w.brotli.Reset()
		w.out = w.brotli.Encode(w.out[:0], content, w.matches, true)
		return w.out
	}
	w.out = p.deflate.appendGzip(w.out[:0], content, w.matches, w.runs, &p.coded)
	if (len(w.out)-len(p.deflate.begin.out))*p.length > len(p.coded.bits)*len(content)/otherShare*(otherShare+1) {
		w.splice(by, len(content), false)
		w.out = newDeflateCode(content, w.matches).appendGzip(w.out[:0], content, w.matches, nil, nil)
	}
	return w.out
}
