package css

import (
	"strings"
	"unicode/utf8"

	"example.com/livery/renderer/jsontree"
)

// rootSegment is the segment that names a group's own token, and has no part in its property's name.
const rootSegment = "$root"

// AppendName appends the custom property name of the token at path: "--", the prefix if there is
// one, and the segments, joined with "-". ASCII letters and digits, "-", "_" and visible characters
// beyond ASCII stay as they are, every other character becomes "-". The token of the whole
// document, whose path is "$root" alone, is named "--root" without a prefix, and one whose name
// is empty "---".
func AppendName(dst []byte, prefix string, path []string) []byte {
	start := len(dst)
	dst = appendPrefix(dst, prefix)
	for _, segment := range path {
		dst = appendNamePart(dst, segment)
	}
	return closeName(dst, start)
}

// AppendPathName is AppendName for a dotted path of segments without full stops.
func AppendPathName(dst []byte, prefix, path string) []byte {
	start := len(dst)
	dst = appendPrefix(dst, prefix)
	for segment := range strings.SplitSeq(path, ".") {
		dst = appendNamePart(dst, segment)
	}
	return closeName(dst, start)
}

// AppendPartsName is AppendPathName for a path of name parts.
func AppendPartsName(dst []byte, prefix, path string) []byte {
	return jsontree.AppendDashed(append(appendPrefix(dst, prefix), '-'), path)
}

// IsNamePart reports whether a segment stands in a property's name as it is.
func IsNamePart(segment string) bool {
	for i := range len(segment) {
		if !nameBytes[segment[i]] {
			return false
		}
	}
	return segment != ""
}

// appendPrefix appends what all names begin with.
func appendPrefix(dst []byte, prefix string) []byte {
	dst = append(dst, '-')
	if prefix != "" {
		dst = appendSegment(append(dst, '-'), prefix)
	}
	return dst
}

// closeName ends the name that begins at a place in dst, if nothing came of its segments.
func closeName(dst []byte, start int) []byte {
	switch len(dst) - start {
	case len("-"):
		return append(dst, "-root"...)
	case len("--"):
		return append(dst, '-') // CSS keeps "--" for itself
	}
	return dst
}

func appendNamePart(dst []byte, segment string) []byte {
	if segment == rootSegment {
		return dst
	}
	return appendSegment(append(dst, '-'), segment)
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
