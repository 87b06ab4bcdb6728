package css

import (
	"slices"
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
	n := Namer{Prefix: prefix}
	return n.Append(dst, path)
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

// Namer is AppendName for many tokens with one prefix. What the names of a group begin with is made once for all
// tokens of the group that come one after the other. It belongs to one goroutine.
type Namer struct {
	Prefix string

	group []string // the path of the group of the last token
	stem  []byte   // what the names in it begin with; empty: of none yet
}

// AppendPath is Append for a dotted path whose segments all are name parts.
func (n *Namer) AppendPath(dst []byte, path string) []byte {
	dst = append(dst, "--"...)
	if n.Prefix != "" {
		dst = append(appendSegment(dst, n.Prefix), '-')
	}
	return jsontree.AppendDashed(dst, path)
}

// Append appends the custom property name of the token at path. It keeps path, which must not change.
func (n *Namer) Append(dst []byte, path []string) []byte {
	last := max(len(path)-1, 0)
	if len(n.stem) == 0 || !slices.Equal(n.group, path[:last]) {
		n.group = path[:last]
		n.stem = appendStem(n.stem[:0], n.Prefix, n.group)
	}
	start := len(dst)
	dst = append(dst, n.stem...)
	if last < len(path) {
		dst = appendNamePart(dst, path[last])
	}
	switch len(dst) - start {
	case len("-"):
		return append(dst, "-root"...)
	case len("--"):
		return append(dst, '-') // CSS keeps "--" for itself
	}
	return dst
}

// appendStem appends what the names of the tokens in a group begin with.
func appendStem(dst []byte, prefix string, group []string) []byte {
	dst = append(dst, '-')
	if prefix != "" {
		dst = appendSegment(append(dst, '-'), prefix)
	}
	for _, segment := range group {
		dst = appendNamePart(dst, segment)
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
