package pebble

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// The engine's own keys begin with a zero byte, which no key of the key table does. Numbers are
// big-endian, so that bytewise order is numeric order.
//
//	00 'b' hash (32)      a blob: coding (1), body
//	00 'c' seq (8)        an entry of the change log: tag (8), record.Change
//	00 'f'                the format of this layout (4)
//	00 'i'                the store's ID: 16 random bytes
//	00 'l'                the ID of the store that a restored store goes back to (16); missing: it was not restored
//	00 'n' hash (32)      what is known of a blob without reading it: bytes stored (8), milliseconds
//	                      since 1970 when collection found it unnamed (8, 0 if it did not)
//	00 't'                the start of the change log: seq (8) and tag (8) of the last entry trimmed
//	00 'w'                written now and then to see whether writing works (8)
const (
	ownSpace   = 0x00
	blobSpace  = 'b'
	logSpace   = 'c'
	noteSpace  = 'n'
	formatKey  = "\x00f"
	idKey      = "\x00i"
	lineageKey = "\x00l"
	trimmedKey = "\x00t"
	canaryKey  = "\x00w"
)

// Keys of the key table lie between these two bytes, so every prefix has a successor.
const (
	firstKeyByte = 0x01
	endKeyByte   = 0xff
)

const (
	tagSize     = 8
	hashKeySize = 2 + 32
)

func logKey(seq uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{ownSpace, logSpace}, seq)
}

func logSeq(key []byte) uint64 { return binary.BigEndian.Uint64(key[2:]) }

func blobKey(name record.Hash) []byte { return hashKey(blobSpace, name) }

func noteKey(name record.Hash) []byte { return hashKey(noteSpace, name) }

func hashKey(space byte, name record.Hash) []byte {
	key, err := hex.AppendDecode([]byte{ownSpace, space}, []byte(name))
	if err != nil {
		panic("pebble: key of a name that is not a hash")
	}
	return key
}

// keyHash returns the name in a key that hashKey made.
func keyHash(key []byte) record.Hash { return record.Hash(hex.EncodeToString(key[2:])) }

// checkKey refuses what would reach the engine's own keys.
func checkKey(key []byte) error {
	if len(key) == 0 || key[0] < firstKeyByte || key[0] >= endKeyByte {
		return fmt.Errorf("pebble: key %q does not begin with a table's letter", key)
	}
	return nil
}

func appendCursor(dst []byte, c storage.Cursor) ([]byte, error) {
	return hex.AppendDecode(binary.BigEndian.AppendUint64(dst, c.Seq), []byte(c.Tag))
}

func parseCursor(b []byte) (storage.Cursor, error) {
	if len(b) != 8+tagSize {
		return storage.Cursor{}, fmt.Errorf("%w: a place in the change log of %d bytes", storage.ErrCorrupt, len(b))
	}
	return storage.Cursor{Seq: binary.BigEndian.Uint64(b), Tag: hex.EncodeToString(b[8:])}, nil
}
