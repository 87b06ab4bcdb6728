package coding

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

// Digest is the SHA-256 of a file as it is. Clients name by it what they have.
type Digest [sha256.Size]byte

// The bounds of the files that deltas are made of and to. A client must be able to decode with a
// window of 8 MB (RFC 9842 section 5), which two of the largest fill.
const (
	MinDictionaryBytes = MinBytes
	MaxDictionaryBytes = 4 << 20
)

// strictBase64 takes one spelling for every digest.
var strictBase64 = base64.StdEncoding.Strict()

// parseDigest reads an Available-Dictionary field: a byte sequence (RFC 8941 section 3.3.5) of the
// length of a digest, without parameters.
func parseDigest(field []byte) (d Digest, ok bool) {
	const coded = (sha256.Size + 2) / 3 * 4
	if len(field) != coded+2 || field[0] != ':' || field[coded+1] != ':' {
		return d, false
	}
	var decoded [coded / 4 * 3]byte
	n, err := strictBase64.Decode(decoded[:], field[1:coded+1])
	return Digest(decoded[:sha256.Size]), err == nil && n == sha256.Size
}

// DictionaryHint is what a request says of the dictionary that its client has, and of who reads the
// answer. Its slices are fasthttp's or the loop's; a header that is absent or empty has no bytes.
type DictionaryHint struct {
	Available []byte // Available-Dictionary
	Site      []byte // Sec-Fetch-Site
	Mode      []byte // Sec-Fetch-Mode
	Origin    []byte // Origin
}

// Dictionary returns what the client's dictionary is named by, if a delta may answer its request.
func (h *DictionaryHint) Dictionary() (Digest, bool) {
	if len(h.Available) == 0 || !h.readable() {
		return Digest{}, false
	}
	return parseDigest(h.Available)
}

// readable reports whether who asks can read the answer, which every origin may: what is read anyway
// tells nothing by its length (RFC 9842 section 9.3.3, for "Access-Control-Allow-Origin: *").
func (h *DictionaryHint) readable() bool {
	if len(h.Site) == 0 || string(h.Site) == "same-origin" || len(h.Mode) == 0 {
		return true
	}
	switch string(h.Mode) {
	case "navigate", "same-origin":
		return true
	case "cors":
		return len(h.Origin) > 0
	}
	return false
}

// AppendOffer spells Use-As-Dictionary: the answer may serve as the dictionary of the same file of files,
// "{env}/{theme}/{-|variant}", in the same modes, if there are any, under every version and latest. It names no lifetime:
// a dictionary is one for as long as the answer is fresh.
func AppendOffer(dst []byte, files, modes string, f abi.File) []byte {
	dst = append(append(dst, `match="/`...), files...)
	dst = append(append(dst, "/*/"...), f.Name()...)
	if modes != "" {
		dst = append(append(dst, "?modes="...), modes...)
	}
	return append(dst, '"')
}

// deltaMagic begins a delta, before the digest of the dictionary: a skippable frame of Zstandard.
const deltaMagic = "\x5e\x2a\x4d\x18\x20\x00\x00\x00"

// EncodeDelta returns content as a delta to dictionary, whose digest is sum; neither may be longer than
// MaxDictionaryBytes. Equal arguments give equal bytes. It takes some ten megabytes of memory meanwhile.
func EncodeDelta(dictionary []byte, sum Digest, content []byte) ([]byte, error) {
	const minWindow = 1 << 16
	window := 1 << bits.Len(uint(max(minWindow, len(dictionary)+len(content))-1)) // all of both is in reach
	encoder, err := zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
		zstd.WithWindowSize(window), zstd.WithEncoderDictRaw(0, dictionary))
	if err != nil {
		return nil, fmt.Errorf("coding: delta: %w", err)
	}
	out := append(append(make([]byte, 0, 1<<10), deltaMagic...), sum[:]...)
	return bytes.Clone(encoder.EncodeAll(content, out)), nil // to its own length: it is kept
}
