package content

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"

	"example.com/livery/edge/coding"
)

// PlainInfo is what a file is, whatever coding it is sent in. It is not changed.
type PlainInfo struct {
	Digest coding.Digest // of its bytes
	length int
	name   []byte // what the validator of its bytes, and of every delta to it, begins with, unquoted
}

// tagBytes is how much of the hash of its bytes a validator holds.
const tagBytes = 18

func newPlainInfo(content []byte) *PlainInfo {
	p := &PlainInfo{Digest: sha256.Sum256(content), length: len(content)}
	p.name = plainName(p.Digest)
	return p
}

func plainName(digest coding.Digest) []byte {
	return base64.RawURLEncoding.AppendEncode(nil, digest[:tagBytes])
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

// deltaTag returns the strong validator of a delta to p.
func (p *PlainInfo) deltaTag(delta []byte) []byte {
	sum := sha256.Sum256(delta)
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
