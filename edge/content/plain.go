package content

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"hash/crc32"

	"example.com/livery/edge/coding"
	"example.com/livery/storage/record"
	"example.com/livery/wasm/abi"
)

// PlainInfo is what a file is, whatever coding it is sent in. It is not changed.
type PlainInfo struct {
	length int
	sum    uint32 // CRC-32C of its bytes
	name   []byte // what the validator of its bytes, and of every delta to it, begins with, unquoted

	digest *digest // of its bytes; nil: they were not hashed when it was made
}

// tagBytes is how much of a hash a validator holds.
const tagBytes = 18

// newPlainInfo returns what content is, if it is named by its hash.
func newPlainInfo(content []byte) *PlainInfo {
	sum := sha256.Sum256(content)
	p := namedInfo(content, tagOf(sum))
	p.digest = newDigest(sum)
	return p
}

// namedInfo returns what content is under a name that stands for no other one.
func namedInfo(content, name []byte) *PlainInfo {
	return &PlainInfo{length: len(content), sum: crc32.Checksum(content, castagnoli), name: name}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// says reports whether content is that of p, as far as a fault in memory is to be noticed.
func (p *PlainInfo) says(content []byte) bool {
	return len(content) == p.length && crc32.Checksum(content, castagnoli) == p.sum
}

func tagOf(digest [sha256.Size]byte) []byte {
	return base64.RawURLEncoding.AppendEncode(nil, digest[:tagBytes])
}

// variantTag returns the name of a Variant's file: the hash of what it is rendered from. So the file need not be hashed,
// and one that is rendered from the same has the same name at every edge.
func variantTag(module record.Hash, f abi.File, plan [sha256.Size]byte, edits []byte) []byte {
	h := sha256.New()
	_, _ = fmt.Fprintf(h, "livery file %s\n%s\n%x\n", f.Name(), module, plan)
	h.Write(edits)
	return tagOf([sha256.Size]byte(h.Sum(nil)))
}

// Dictionary reports whether the file is of a size that deltas are made of and to.
func (p *PlainInfo) Dictionary() bool {
	return p != nil && p.length >= coding.MinDictionaryBytes && p.length <= coding.MaxDictionaryBytes
}

// The validator of a delta: `"`, the name of what it says, deltaMark, the beginning of the hash of its
// own bytes, `"`. A client that names one has the file, whichever the dictionary was.
const (
	deltaMark     = "-dcz-"
	deltaTagBytes = 6
)

// deltaTag returns the strong validator of a delta to p, by the hash of the delta's bytes.
func (p *PlainInfo) deltaTag(sum [sha256.Size]byte) []byte {
	tag := append(append([]byte{'"'}, p.name...), deltaMark...)
	return append(base64.RawURLEncoding.AppendEncode(tag, sum[:deltaTagBytes]), '"')
}

// Matches returns the validator of a delta to p that an If-None-Match field lists, as it stands there,
// or nil.
func (p *PlainInfo) Matches(field []byte) []byte {
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
