package plan

import "math/bits"

// head is what plans and overlays begin with: a and b are the two numbers at its end.
type head struct {
	file uint8
	sum  uint64
	a, b uint32
}

func openHead(blob []byte, magic string) (h head, ok bool) {
	if len(blob) < headBytes || string(blob[:4]) != magic || blob[4] != version || blob[5] != 0 || blob[7] != 0 {
		return head{}, false
	}
	return head{blob[6], load64(blob[8:]), load32(blob[16:]), load32(blob[20:])}, true
}

func (h head) append(dst []byte, magic string) []byte {
	dst = append(dst, magic...)
	dst = append(dst, version, 0, h.file, 0)
	dst = store32(store32(dst, uint32(h.sum)), uint32(h.sum>>32))
	return store32(store32(dst, h.a), h.b)
}

// sumOf tells plans apart: a file's number, length and bytes, multiplied together eight bytes at a
// time. It finds mistakes, not malice: a sender of an overlay may also send another plan.
func sumOf(file uint8, text []byte) uint64 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	h := mix(uint64(file)^k0, uint64(len(text))^k1)
	for ; len(text) >= 32; text = text[32:] { // four loads with one check
		b := (*[32]byte)(text)
		h = mix(h^load64(b[0:8]), k1)
		h = mix(h^load64(b[8:16]), k1)
		h = mix(h^load64(b[16:24]), k1)
		h = mix(h^load64(b[24:32]), k1)
	}
	for ; len(text) >= 8; text = text[8:] {
		h = mix(h^load64(text), k1)
	}
	var tail [8]byte
	copy(tail[:], text)
	return mix(h^load64(tail[:]), k0)
}

func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

func load32(b []byte) uint32 {
	_ = b[3]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

func load64(b []byte) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

func store32(dst []byte, v uint32) []byte {
	return append(dst, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
}
