package content

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"

	"example.com/livery/edge/coding"
	"example.com/livery/wasm/abi"
)

// BodyDisk keeps bodies across restarts, under names of an ID, a file and a coding. It returns what was stored or
// nothing. It may be used concurrently.
type BodyDisk interface {
	Load(name [sha256.Size + 2]byte) []byte
	Has(name [sha256.Size + 2]byte) bool // and counts a request for it
	Store(name [sha256.Size + 2]byte, body []byte) error
	Drop(name [sha256.Size + 2]byte)
}

// storedName names a body on disk.
func storedName(key Key, wanted coding.Encoding) (name [sha256.Size + 2]byte) {
	copy(name[:], key.Inputs[:])
	name[sha256.Size], name[sha256.Size+1] = byte(key.File), byte(wanted)
	return name
}

// storedHead is what stands before the bytes of a body on disk, and before that the validator of the larger body that this
// one replaced, which has FastTag bytes.
type storedHead struct {
	Encoding, Fast, FastTag uint8
	Name                    [tagBytes / 3 * 4]byte // PlainInfo.name
	Sum                     uint32                 // PlainInfo.sum
	Length                  uint64
}

func (b *Body) appendStored(dst []byte) []byte {
	head := storedHead{Encoding: uint8(b.Encoding), FastTag: uint8(len(b.fastTag)), Sum: b.Plain.sum, Length: uint64(b.Plain.length)}
	copy(head.Name[:], b.Plain.name)
	if b.FastEncoded {
		head.Fast = 1
	}
	dst, _ = binary.Append(dst, binary.BigEndian, head) // its size is fixed
	return append(append(dst, b.fastTag...), b.Bytes...)
}

// readStored returns what appendStored wrote, or nil.
func readStored(f abi.File, wanted coding.Encoding, stored []byte) *Body {
	var head storedHead
	n, err := binary.Decode(stored, binary.BigEndian, &head)
	if err != nil || head.Encoding >= coding.Count || len(stored) < n+int(head.FastTag) {
		return nil
	}
	tag, content := stored[n:n+int(head.FastTag)], bytes.Clone(stored[n+int(head.FastTag):])
	plain := &PlainInfo{length: int(head.Length), sum: head.Sum, name: head.Name[:]}
	b := NewBody(f, content, wanted, coding.Encoding(head.Encoding), head.Fast == 1, plain)
	if b.requested = true; len(tag) > 0 {
		b.fastTag = bytes.Clone(tag)
	}
	return b
}

// LoadBody returns a body that the disk has from before a restart, or nil. It is in memory then.
func (s *Store) LoadBody(in *Inputs, f abi.File, enc coding.Encoding) *Body {
	if s.config.Bodies == nil {
		return nil
	}
	key := Key{in.ID, f}
	stored := s.config.Bodies.Load(storedName(key, enc))
	if stored == nil {
		return nil
	}
	b := readStored(f, enc, stored)
	if b != nil {
		s.putOf(in, key, b)
	}
	return b
}

// Persist writes the bodies of an address to disk that are in memory and not there yet, and returns how many. The error is
// that of the disk.
func (s *Store) Persist(in *Inputs) (written int, err error) {
	if s.config.Bodies == nil {
		return 0, nil
	}
	for f := range abi.File(abi.FileCount) {
		key := Key{in.ID, f}
		file, ok := s.files.Peek(key)
		if !ok {
			continue
		}
		for _, b := range file.bodies {
			if b == nil || b.Plain == nil || b.Encoding == coding.Identity && !b.requested || s.config.Bodies.Has(storedName(key, b.wanted)) {
				continue
			}
			if err := s.config.Bodies.Store(storedName(key, b.wanted), b.appendStored(nil)); err != nil {
				return written, err
			}
			written++
		}
	}
	return written, nil
}
