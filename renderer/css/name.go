package css

import "unicode/utf8"

// rootSegment is the segment that names a group's own token, and has no part in its property's name.
const rootSegment = "$root"

// AppendName appends the custom property name of the token at path: "--", the prefix if there is
// one, and the segments, joined with "-". ASCII letters and digits, "-", "_" and visible characters
// beyond ASCII stay as they are, every other character becomes "-". The token of the whole
// document, whose path is "$root" alone, is named "--root" without a prefix, and one whose name
// is empty "---".
func AppendName(dst []byte, prefix string, path []string) []byte {
	dst = append(dst, '-')
	start := len(dst)
	if prefix != "" {
		dst = appendSegment(append(dst, '-'), prefix)
	}
	for _, segment := range path {
		if segment != rootSegment {
			dst = appendSegment(append(dst, '-'), segment)
		}
	}
	switch len(dst) {
	case start:
		return append(dst, "-root"...)
	case start + 1:
		return append(dst, '-') // CSS keeps "--" for itself
	}
	return dst
}

func appendSegment(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		start := i
		for i < len(s) && nameByte(s[i]) {
			i++
		}
		dst = append(dst, s[start:i]...)
		if i == len(s) {
			break
		}
		if s[i] < utf8.RuneSelf {
			dst = append(dst, '-')
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if visible(r) {
			dst = append(dst, s[i:i+size]...)
		} else {
			dst = append(dst, '-')
		}
		i += size
	}
	return dst
}
