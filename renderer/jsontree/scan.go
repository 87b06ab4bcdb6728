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

// load32 returns the first four bytes of s, the first of them lowest.
func load32[T string | []byte](s T) uint64 {
	_ = s[3]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}

// isPlain reports whether c stands in a string as it is, whatever is around it and in every reader.
func isPlain(c byte) bool {
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '<'
}

// notPlain marks the lowest byte of x that is not plain by its top bit, and none if all are. Bytes above that one may be
// marked as well.
func notPlain(x uint64) uint64 {
	quote, backslash, less := x^ones*'"', x^ones*'\\', x^ones*'<'
	return (x | (x + ones) | (x - ones*0x20) | (quote - ones) | (backslash - ones) | (less - ones)) & high
}

// plainEnd returns where the run of plain bytes ends that begins at a place in s.
func plainEnd[T string | []byte](s T, at int) int {
	for at+8 <= len(s) {
		if found := notPlain(load64(s[at:])); found != 0 {
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
		if notPlain(load64(s[at-8:])) != 0 {
			return false
		}
	}
	return notPlain(load64(s[n-8:])) == 0
}

// blankEnd returns where the run of blanks ends that begins at a place in s. Most are spaces of an indentation.
func blankEnd(s string, at int) int {
	for at < len(s) && (s[at] == ' ' || s[at] == '\n' || s[at] == '\r' || s[at] == '\t') {
		at++
		for at+8 <= len(s) {
			if others := load64(s[at:]) ^ ones*' '; others != 0 {
				at += bits.TrailingZeros64(others) / 8
				break
			}
			at += 8
		}
	}
	return at
}
