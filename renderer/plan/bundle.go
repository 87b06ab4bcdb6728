package plan

import "errors"

// ErrBundle says that bytes are not bundle of this version, or a damaged one.
var ErrBundle = errors.New("plan: not a bundle of version 1, or not a whole one")

const (
	bundleMagic     = "LVYS"
	bundleHeadBytes = 8
	partBytes       = 8
)

// Bundle is the plans of all files of a Theme version, or the overlays of all files of a Variant, in
// one blob, so that a version has one name and takes one request. Its numbers are little-endian:
//
//	byte 0         4         6         8                8+8n
//	     +---------+---------+---------+----------------+--------------------+
//	     | "LVYS"  | version | parts n | n times         | the parts, back to |
//	     |         |       1 |         | u32 at, u32 len | back, at from here |
//	     +---------+---------+---------+----------------+--------------------+
//
// Part i belongs to the file of number i. An empty part says that the file has none. The zero value
// is a bundle without parts.
type Bundle struct {
	count int
	table []byte
	parts []byte
}

// AppendBundle appends the bundle of parts. It returns dst as it was if they are longer than
// 4 GiB together, or more than 65,535.
func AppendBundle(dst []byte, parts [][]byte) []byte {
	total := 0
	for _, part := range parts {
		total += len(part)
	}
	if len(parts) > 1<<16-1 || uint64(total) > 1<<32-1 {
		return dst
	}
	dst = append(dst, bundleMagic...)
	dst = append(dst, version, 0, byte(len(parts)), byte(len(parts)>>8))
	at := uint32(0)
	for _, part := range parts {
		dst = store32(store32(dst, at), uint32(len(part)))
		at += uint32(len(part))
	}
	for _, part := range parts {
		dst = append(dst, part...)
	}
	return dst
}

// OpenBundle opens a bundle and returns ErrBundle if blob is none. It checks every number and
// keeps blob, which must not change as long as the bundle is used.
func OpenBundle(blob []byte) (Bundle, error) {
	if len(blob) < bundleHeadBytes || string(blob[:4]) != bundleMagic || blob[4] != version || blob[5] != 0 {
		return Bundle{}, ErrBundle
	}
	count := int(blob[6]) | int(blob[7])<<8
	rest := blob[bundleHeadBytes:]
	if len(rest) < count*partBytes {
		return Bundle{}, ErrBundle
	}
	b := Bundle{count, rest[:count*partBytes], rest[count*partBytes:]}
	next := uint64(0)
	for i := range count {
		at, length := b.span(i)
		if at != next {
			return Bundle{}, ErrBundle
		}
		next += length
	}
	if next != uint64(len(b.parts)) {
		return Bundle{}, ErrBundle
	}
	return b, nil
}

// Part returns the part of the file of number i: part of the bytes that b was opened from, which
// must not be changed. It is nil if the bundle has none.
func (b Bundle) Part(i uint8) []byte {
	if int(i) >= b.count {
		return nil
	}
	at, length := b.span(int(i))
	if length == 0 {
		return nil
	}
	return b.parts[at : at+length : at+length]
}

func (b Bundle) span(i int) (at, length uint64) {
	entry := b.table[i*partBytes:]
	return uint64(load32(entry)), uint64(load32(entry[4:]))
}
