package edge

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/bits"

	"example.com/livery/wasm/abi"
	"github.com/klauspost/compress/zstd"
)

// A delta is a file compressed with another one, which the client has, as the dictionary: "dcz" of
// Compression Dictionary Transport (RFC 9842). The dictionary is the same file of the same Theme or
// Variant at another version, or at this one under another address.

// digest is the SHA-256 of a file as it is. Clients name by it what they have.
type digest [sha256.Size]byte

// The bounds of the files that deltas are made of and to. A client must be able to decode with a
// window of 8 MB (RFC 9842 section 5), which two of the largest fill.
const (
	minDeltaBytes = minEncodeBytes
	maxDeltaBytes = 4 << 20
)

// strictBase64 takes one spelling for every digest.
var strictBase64 = base64.StdEncoding.Strict()

// parseDigest reads an Available-Dictionary field: a byte sequence (RFC 8941 section 3.3.5) of the
// length of a digest, without parameters.
func parseDigest(field []byte) (d digest, ok bool) {
	const coded = (sha256.Size + 2) / 3 * 4
	if len(field) != coded+2 || field[0] != ':' || field[coded+1] != ':' {
		return d, false
	}
	var decoded [coded / 4 * 3]byte
	n, err := strictBase64.Decode(decoded[:], field[1:coded+1])
	return digest(decoded[:sha256.Size]), err == nil && n == sha256.Size
}

// dictionaryHint is what a request says of the dictionary that its client has, and of who reads the
// answer. Its slices are lent; a header that is absent or empty has no bytes.
type dictionaryHint struct {
	available []byte // Available-Dictionary
	site      []byte // Sec-Fetch-Site
	mode      []byte // Sec-Fetch-Mode
	origin    []byte // Origin
}

// dictionary returns what the client's dictionary is named by, if a delta may answer its request.
func (h *dictionaryHint) dictionary() (digest, bool) {
	if len(h.available) == 0 || !h.readable() {
		return digest{}, false
	}
	return parseDigest(h.available)
}

// readable reports whether who asks can read the answer, which every origin may: what is read anyway
// tells nothing by its length (RFC 9842 section 9.3.3, for "Access-Control-Allow-Origin: *").
func (h *dictionaryHint) readable() bool {
	if len(h.site) == 0 || string(h.site) == "same-origin" || len(h.mode) == 0 {
		return true
	}
	switch string(h.mode) {
	case "navigate", "same-origin":
		return true
	case "cors":
		return len(h.origin) > 0
	}
	return false
}

// appendOffer spells Use-As-Dictionary: the answer may serve as the dictionary of the same file of the
// line under every version and latest. There is no lifetime in it: a dictionary is one for as long as
// the answer is fresh.
func appendOffer(dst []byte, line string, f abi.File) []byte {
	dst = append(append(dst, `match="/`...), line...)
	return append(append(append(dst, "/*/"...), f.Name()...), '"')
}

// deltaMagic begins a delta, before the digest of the dictionary: a skippable frame of Zstandard.
const deltaMagic = "\x5e\x2a\x4d\x18\x20\x00\x00\x00"

// encodeDelta returns content as a delta to dictionary, whose digest is sum; neither may be longer than
// maxDeltaBytes. Equal arguments give equal bytes. It takes some ten megabytes of memory meanwhile.
func encodeDelta(dictionary []byte, sum digest, content []byte) ([]byte, error) {
	const minWindow = 1 << 16
	window := 1 << bits.Len(uint(max(minWindow, len(dictionary)+len(content))-1)) // all of both is in reach
	encoder, err := zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
		zstd.WithWindowSize(window), zstd.WithEncoderDictRaw(0, dictionary))
	if err != nil {
		return nil, fmt.Errorf("edge: delta: %w", err)
	}
	out := append(append(make([]byte, 0, 1<<10), deltaMagic...), sum[:]...)
	return bytes.Clone(encoder.EncodeAll(content, out)), nil // to its own length: it is kept
}

// plain is what a file is, whatever coding it is sent in. It is not changed.
type plain struct {
	sum    digest // of its bytes
	length int
	name   []byte // what the validator of its bytes, and of every delta to it, begins with, unquoted
}

func newPlain(content []byte) *plain {
	p := &plain{sum: sha256.Sum256(content), length: len(content)}
	p.name = base64.RawURLEncoding.AppendEncode(nil, p.sum[:tagBytes])
	return p
}

// dictionary reports whether the file is of a size that deltas are made of and to.
func (p *plain) dictionary() bool {
	return p != nil && p.length >= minDeltaBytes && p.length <= maxDeltaBytes
}

// The validator of a delta: `"`, the name of what it says, deltaMark, the beginning of the hash of its
// own bytes, `"`. Whoever names one has the file, whichever the dictionary was.
const (
	deltaMark     = "-dcz-"
	deltaTagBytes = 6
)

// deltaTag returns the strong validator of a delta to p.
func (p *plain) deltaTag(delta []byte) []byte {
	sum := sha256.Sum256(delta)
	tag := append(append([]byte{'"'}, p.name...), deltaMark...)
	return append(base64.RawURLEncoding.AppendEncode(tag, sum[:deltaTagBytes]), '"')
}

// matched returns the validator of a delta to p that an If-None-Match field lists, as it stands there,
// or nil.
func (p *plain) matched(field []byte) []byte {
	for tag, _, rest := nextTag(field); tag != nil; tag, _, rest = nextTag(rest) {
		own, ok := bytes.CutPrefix(tag[1:len(tag)-1], p.name)
		if !ok {
			continue
		}
		if own, ok = bytes.CutPrefix(own, []byte(deltaMark)); ok && len(own) == deltaTagBytes/3*4 && plainTag(own) {
			return tag
		}
	}
	return nil
}

// plainTag reports whether a part of a validator holds nothing that this edge would not write.
func plainTag(part []byte) bool {
	for _, c := range part {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !letter && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}
