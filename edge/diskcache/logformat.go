package diskcache

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"math"
)

// A record of a log: a head, the name, the content.
//
//	 4 bytes  CRC-32C of the rest of the head, and of the name
//	 1 byte   what the record is: recordPut or recordDrop
//	 1 byte   0
//	 2 bytes  length of the name
//	 4 bytes  length of the content
//	 8 bytes  rank, in Unix nanoseconds
//	16 bytes  the beginning of SHA-256 of all of the above from the kind on, but the rank, and of name and content
//
// Numbers have their lowest byte first. So what lies in a log is known from heads and names alone, and contents are
// checked when they are read.
const (
	recordPut  = 1
	recordDrop = 2 // what was put under the name before is not there any more

	headBytes    = 36
	sumBytes     = 16
	maxNameBytes = 512
)

// segmentMagic begins each segment.
const segmentMagic = "livery1\n"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// logRecord is a record to write.
type logRecord struct {
	kind    byte
	name    string
	content []byte
	rank    int64 // Unix nanoseconds
}

func (r *logRecord) size() int { return headBytes + len(r.name) + len(r.content) }

// append appends the record as it is written.
func (r *logRecord) append(dst []byte) []byte {
	begin := len(dst)
	dst = append(dst, 0, 0, 0, 0, r.kind, 0)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(r.name)))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(r.content)))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(r.rank))
	sum := recordSum(dst[begin+4:begin+12], []byte(r.name), r.content)
	dst = append(append(append(dst, sum[:sumBytes]...), r.name...), r.content...)
	sealHead(dst[begin : begin+headBytes+len(r.name)])
	return dst
}

// sealHead sets the checksum of a head, behind which its name stands.
func sealHead(head []byte) { binary.LittleEndian.PutUint32(head, crc32.Checksum(head[4:], castagnoli)) }

// setRank changes the rank of a record as it is written.
func setRank(text []byte, h recordHead) {
	binary.LittleEndian.PutUint64(text[12:], uint64(h.rank))
	sealHead(text[:headBytes+h.nameLength])
}

func recordSum(kindAndLengths, name, content []byte) (sum [sha256.Size]byte) {
	h := sha256.New()
	h.Write(kindAndLengths)
	h.Write(name)
	h.Write(content)
	h.Sum(sum[:0])
	return sum
}

// recordHead is what the head of a record says.
type recordHead struct {
	kind       byte
	nameLength int
	length     int // of the content
	rank       int64
}

func (h recordHead) size() int { return headBytes + h.nameLength + h.length }

// readHead reads a head; ok is false if it cannot be one.
func readHead(text []byte) (h recordHead, ok bool) {
	if len(text) < headBytes {
		return h, false
	}
	h = recordHead{
		kind: text[4], nameLength: int(binary.LittleEndian.Uint16(text[6:])),
		length: int(binary.LittleEndian.Uint32(text[8:])), rank: int64(binary.LittleEndian.Uint64(text[12:])),
	}
	return h, (h.kind == recordPut || h.kind == recordDrop) && h.nameLength > 0 && h.nameLength <= maxNameBytes && h.length <= math.MaxInt32
}

// checkHead reports whether a head and its name are as they were written.
func checkHead(text []byte, h recordHead) bool {
	return len(text) >= headBytes+h.nameLength &&
		binary.LittleEndian.Uint32(text) == crc32.Checksum(text[4:headBytes+h.nameLength], castagnoli)
}

// contentOf returns the content of a whole record, if it is as it was written under that name, or nil.
func contentOf(text []byte, name string) []byte {
	h, ok := readHead(text)
	if !ok || h.size() != len(text) || h.kind != recordPut {
		return nil
	}
	own, content := text[headBytes:headBytes+h.nameLength], text[headBytes+h.nameLength:]
	sum := recordSum(text[4:12], own, content)
	if string(own) != name || string(sum[:sumBytes]) != string(text[20:headBytes]) {
		return nil
	}
	return content[:len(content):len(content)]
}
