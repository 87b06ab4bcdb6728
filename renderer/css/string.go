package css

import (
	"unicode/utf8"

	"example.com/livery/renderer/jsontree"
)

// appendString writes text raw if it is safe and as one quoted CSS string if not, so every
// text has a rendering.
func appendString(dst []byte, v *jsontree.Node) ([]byte, *Misfit) {
	switch v.Kind {
	case jsontree.String:
		if safe(v.Text) {
			return append(dst, v.Text...), nil
		}
		return appendQuoted(dst, v.Text), nil
	case jsontree.Number:
		return appendQuantity(dst, &number, v)
	}
	return dst, &Misfit{What: "not a string or a number"}
}

// appendBoolean writes the keyword of a boolean.
func appendBoolean(dst []byte, v *jsontree.Node) ([]byte, *Misfit) {
	if v.Kind != jsontree.Bool {
		return dst, &Misfit{What: "not a boolean"}
	}
	if v.True {
		return append(dst, "true"...), nil
	}
	return append(dst, "false"...), nil
}

const hexDigits = "0123456789abcdef"

// appendQuoted appends s as one double-quoted CSS string. What could end the string, a line or an
// HTML element is hex-escaped; bytes that are not UTF-8 become the replacement character.
func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		if escapes(r) {
			dst = appendHexEscape(dst, r)
		} else {
			dst = utf8.AppendRune(dst, r)
		}
		i += size
	}
	return append(dst, '"')
}

// escapes reports whether r is written as a hex escape inside a CSS string.
func escapes(r rune) bool {
	switch r {
	case '"', '\\', '<', '>', '&', 0x2028, 0x2029, 0xFEFF:
		return true
	}
	return r < ' ' || r >= 0x7f && r < 0xA0
}

// appendHexEscape appends a backslash, the code point in hexadecimal and the blank that ends it.
func appendHexEscape(dst []byte, r rune) []byte {
	dst = append(dst, '\\')
	shift := 0
	for r>>(shift+4) != 0 {
		shift += 4
	}
	for ; shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[r>>shift&0xF])
	}
	return append(dst, ' ')
}
