package diskcache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
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

// logRecord is a record that is about to be written.
type logRecord struct {
	kind    byte
	name    string
	content []byte
	rank    int64  // Unix nanoseconds
	sum     []byte // nil: it is not known yet
	from    place  // where a record that is moved lies; of no segment: it is new
}

func (r *logRecord) size() int { return headBytes + len(r.name) + len(r.content) }

// append appends the record as it is written.
func (r *logRecord) append(dst []byte) []byte {
	begin := len(dst)
	dst = append(dst, 0, 0, 0, 0, r.kind, 0)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(r.name)))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(r.content)))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(r.rank))
	dst = append(dst, make([]byte, sumBytes)...)
	dst = append(append(dst, r.name...), r.content...)
	text := dst[begin:]
	if r.sum == nil {
		r.sum = sumOf(text)
	}
	copy(text[headBytes-sumBytes:], r.sum)
	binary.LittleEndian.PutUint32(text, crc32.Checksum(text[4:headBytes+len(r.name)], castagnoli))
	return dst
}

// sumOf returns the checksum of a record as it is written.
func sumOf(text []byte) []byte {
	h := sha256.New()
	h.Write(text[4:12])
	h.Write(text[headBytes:])
	return h.Sum(nil)[:sumBytes]
}

// recordHead is what the head of a record says.
type recordHead struct {
	kind byte
	name string
	size int // of the record
	rank int64
}

var (
	errCutOff  = errors.New("the file ends within a record")
	errDamaged = errors.New("the head of a record is not as it was written")
)

// readHead reads the head and the name that text begins with. The error is errCutOff or errDamaged.
func readHead(text []byte) (h recordHead, err error) {
	if len(text) < headBytes {
		return h, errCutOff
	}
	nameLength, length := int(binary.LittleEndian.Uint16(text[6:])), binary.LittleEndian.Uint32(text[8:])
	h = recordHead{kind: text[4], size: headBytes + nameLength + int(length), rank: int64(binary.LittleEndian.Uint64(text[12:]))}
	if h.kind != recordPut && h.kind != recordDrop || nameLength == 0 || nameLength > maxNameBytes || length > math.MaxInt32 {
		return h, errDamaged
	}
	if len(text) < headBytes+nameLength {
		return h, errCutOff
	}
	text = text[:headBytes+nameLength]
	if binary.LittleEndian.Uint32(text) != crc32.Checksum(text[4:], castagnoli) {
		return h, errDamaged
	}
	h.name = string(text[headBytes:])
	return h, nil
}

// parseRecord returns the record that text begins with, whose content may be damaged, with its size. The error is errCutOff
// or errDamaged.
func parseRecord(text []byte) (r logRecord, size int, err error) {
	h, err := readHead(text)
	if err == nil && h.size > len(text) {
		err = errCutOff
	}
	if err != nil {
		return r, 0, err
	}
	content := text[headBytes+len(h.name) : h.size : h.size]
	return logRecord{kind: h.kind, name: h.name, content: content, rank: h.rank, sum: text[headBytes-sumBytes : headBytes]}, h.size, nil
}

// wholeRecord returns the record that text is, if it is as it was written under that name.
func wholeRecord(text []byte, name string) (r logRecord, ok bool) {
	r, size, err := parseRecord(text)
	return r, err == nil && size == len(text) && r.kind == recordPut && r.name == name && bytes.Equal(sumOf(text), r.sum)
}
