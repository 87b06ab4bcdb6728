package content

import (
	"crypto/sha256"
	"encoding/base64"
)

// digest is the value of Repr-Digest (RFC 9530) for the bytes of a body, in the coding in which it is sent.
type digest [len(digestPrefix) + (sha256.Size+2)/3*4 + len(":")]byte

const digestPrefix = "sha-256=:"

func newDigest(sum [sha256.Size]byte) *digest {
	d := new(digest)
	end := copy(d[:], digestPrefix)
	base64.StdEncoding.Encode(d[end:len(d)-1], sum[:])
	d[len(d)-1] = ':'
	return d
}

// KnownDigest returns the value of Repr-Digest for an answer with b, or nil if its bytes have not been hashed yet.
func (b *Body) KnownDigest() []byte {
	if d := b.digest.Load(); d != nil {
		return d[:]
	}
	return nil
}

// Digest is KnownDigest, and hashes the bytes if that is not done: a millisecond for each megabyte or so.
func (b *Body) Digest() []byte {
	if known := b.KnownDigest(); known != nil {
		return known
	}
	b.digest.Store(newDigest(sha256.Sum256(b.Bytes)))
	return b.KnownDigest()
}

// DigestsAtOnce reports whether Digest takes no longer than MakeAtOnce.
func (b *Body) DigestsAtOnce() bool { return b.digest.Load() != nil || len(b.Bytes) <= maxTextAtOnce }
