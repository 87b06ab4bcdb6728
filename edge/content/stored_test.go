package content

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"

	"example.com/livery/edge/coding"
	"example.com/livery/feedproto"
	"example.com/livery/wasm/abi"
)

// diskOfBodies is a BodyDisk in memory.
type diskOfBodies map[[sha256.Size + 2]byte][]byte

func (d diskOfBodies) Load(name [sha256.Size + 2]byte) []byte { return d[name] }
func (d diskOfBodies) Has(name [sha256.Size + 2]byte) bool    { return d[name] != nil }
func (d diskOfBodies) Drop(name [sha256.Size + 2]byte)        { delete(d, name) }

func (d diskOfBodies) Store(name [sha256.Size + 2]byte, body []byte) error {
	d[name] = bytes.Clone(body)
	return nil
}

// A body that was made smaller is on disk as the smaller one, and the validator of the larger one still matches after a
// restart.
func TestSmallerBodyTakesItsPlaceOnDisk(t *testing.T) {
	disk := diskOfBodies{}
	start := func() *Store {
		s := smallStore(t)
		s.config.Bodies, s.References.disk = disk, disk
		s.config.Recompressed = func() {}
		return s
	}
	s, in := start(), NewInputs(feedproto.Pair{Plan: hashOf("plan", 1), Sealed: true})
	key := Key{in.ID, abi.TokensCSS}
	var text []byte
	for i := range 500 {
		text = fmt.Appendf(text, "--color-%x: #%06x;\n", i*i, i*7919)
	}
	plain := NewBody(abi.TokensCSS, text, coding.Identity, coding.Identity, false, nil)
	content, err := s.encoders.EncodeFast(plain.Bytes, coding.Gzip)
	if err != nil {
		t.Fatal(err)
	}
	fast := NewBody(abi.TokensCSS, content, coding.Gzip, coding.Gzip, true, plain.Plain)
	s.Put(key, fast)
	for range 2 { // before it is made smaller, and after
		if n, err := s.Persist(&in); n != 1 || err != nil {
			t.Fatalf("%d bodies are written, %v, want one", n, err)
		}
		if n, _ := s.Persist(&in); n != 0 {
			t.Fatalf("%d bodies are written again", n)
		}
		s.recompress(recompression{key, coding.Gzip})
	}
	b := start().LoadBody(&in, abi.TokensCSS, coding.Gzip)
	if b == nil || len(b.Bytes) >= len(fast.Bytes) || b.FastEncoded || b.Matches(fast.ETag) == nil || !b.Plain.says(plain.Bytes) {
		t.Fatalf("after a restart: %+v, want the smaller body", b)
	}
	s.References.Replace(nil, &in)
	if s.References.Replace(&in, nil); len(disk) != 0 {
		t.Errorf("%d bodies are on disk of an address that is gone", len(disk))
	}
}

// What is on disk under the name of a body, but is none, is not served.
func TestDiskThatHoldsNoBodyGivesNone(t *testing.T) {
	for _, stored := range [][]byte{{}, {1}, bytes.Repeat([]byte{9}, 30), append([]byte{byte(coding.Count)}, make([]byte, 100)...), append([]byte{1, 0, 255}, make([]byte, 60)...)} {
		if b := readStored(abi.TokensCSS, coding.Gzip, stored); b != nil {
			t.Errorf("%v is read as a body", stored)
		}
	}
}
