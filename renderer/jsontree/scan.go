package jsontree

import "math/bits"

// Texts are read eight bytes at a time. ones is a byte of 1 in each of the eight, high the top bit of each.
const (
	ones = 0x0101010101010101
	high = ones << 7
)

// load64 returns the first eight bytes of s, the first of them lowest.
func load64[T string | []byte](s T) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// word returns the eight bytes of s at a place. It takes one check of bounds, where load64 of the rest of s takes two.
func word[T string | []byte](s T, at int) uint64 { return load64(s[at : at+8]) }

// load32 returns the first four bytes of s, the first of them lowest.
func load32[T string | []byte](s T) uint64 {
	_ = s[3]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}

// store64 writes the eight bytes of x at the beginning of dst, the lowest first.
func store64(dst []byte, x uint64) {
	_ = dst[7]
	dst[0], dst[1], dst[2], dst[3] = byte(x), byte(x>>8), byte(x>>16), byte(x>>24)
	dst[4], dst[5], dst[6], dst[7] = byte(x>>32), byte(x>>40), byte(x>>48), byte(x>>56)
}

// store32 is store64 for the four lower bytes of x.
func store32(dst []byte, x uint64) {
	_ = dst[3]
	dst[0], dst[1], dst[2], dst[3] = byte(x), byte(x>>8), byte(x>>16), byte(x>>24)
}

// isPlain reports whether c stands in a string as it is, whatever is around it and in every reader.
func isPlain(c byte) bool {
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '<'
}

// notPlain marks the lowest byte of x that is not plain by its top bit, and none if all are. Bytes above that one may be
// marked as well. Without the second bit a quote comes right after the control characters. Each byte beyond ASCII is marked
// by one of the terms at least.
func notPlain(x uint64) uint64 {
	backslash, less := x^ones*'\\', x^ones*'<'
	return (x + ones | ((x ^ ones*2) - ones*('"'-1)) | (backslash - ones) | (less - ones)) & high
}

// notBare is notPlain, and marks an opening brace as well, which is a DEL but for one bit. It also marks a vertical bar,
// which is a backslash and a less-than sign but for two.
func notBare(x uint64) uint64 {
	return ((x | ones*4) + ones | ((x ^ ones*2) - ones*('"'-1)) | (((x | ones*0x60) ^ ones*'|') - ones)) & high
}

// plainEnd returns where the run of plain bytes ends that begins at a place in s.
func plainEnd[T string | []byte](s T, at int) int {
	for at+8 <= len(s) {
		if found := notPlain(word(s, at)); found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
		at += 8
	}
	for at < len(s) && isPlain(s[at]) {
		at++
	}
	return at
}

// allPlain reports whether all bytes of s are plain. Most strings are so short that two loads, which may overlap, see all
// of them.
func allPlain[T string | []byte](s T) bool {
	n := len(s)
	if n < 4 {
		return plainEnd(s, 0) == n
	}
	if n < 8 {
		return notPlain(load32(s)|load32(s[n-4:])<<32) == 0
	}
	for at := 8; at < n; at += 8 {
		if notPlain(word(s, at-8)) != 0 {
			return false
		}
	}
	return notPlain(word(s, n-8)) == 0
}

// HasBrace reports whether s has an opening or a closing brace.
func HasBrace(s string) bool {
	for ; len(s) >= 8; s = s[8:] {
		x := load64(s)
		opening, closing := x^ones*'{', x^ones*'}'
		if ((opening-ones)&^opening|(closing-ones)&^closing)&high != 0 {
			return true
		}
	}
	for i := range len(s) {
		if s[i] == '{' || s[i] == '}' {
			return true
		}
	}
	return false
}

// blankEnd returns where the run of blanks ends that begins at a place in s. Most are a line end and up to seven spaces of
// an indentation.
func blankEnd(s string, at int) int {
	for at < len(s) && isBlank(s[at]) {
		at++
		for at+8 <= len(s) {
			if others := word(s, at) ^ ones*' '; others != 0 {
				at += bits.TrailingZeros64(others) / 8
				if s[at] > ' ' {
					return at
				}
				break
			}
			at += 8
		}
	}
	return at
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }
