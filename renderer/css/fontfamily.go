package css

import (
	"strings"

	"example.com/livery/renderer/jsontree"
)

// appendFontFamily appends a list of families from a string with commas or from an array of such
// strings. Single identifiers, the generic families among them, stay bare, other names are quoted.
func appendFontFamily(dst []byte, v *jsontree.Node) ([]byte, *Misfit) {
	start := len(dst)
	switch v.Kind {
	case jsontree.String:
		s, _ := textOf(v)
		if word := lower(s); listed(wideKeywords, word) {
			return append(dst, word...), nil
		}
		dst = appendFamilies(dst, start, s)
	case jsontree.Array:
		for _, item := range v.Items() {
			s, ok := textOf(item)
			if !ok {
				return dst, &Misfit{What: "a font family list holds strings only"}
			}
			dst = appendFamilies(dst, start, s)
			if len(dst)-start > maxList {
				return dst, tooLong()
			}
		}
	}
	if len(dst) == start {
		return dst, &Misfit{What: "not a font family"}
	}
	return dst, nil
}

// appendFamilies appends the families of s to the list that begins at start.
func appendFamilies(dst []byte, start int, s string) []byte {
	for s != "" {
		n := familyEnd(s)
		if name := trim(s[:n]); name != "" {
			if len(dst) > start {
				dst = append(dst, ", "...)
			}
			dst = appendFamily(dst, name)
		}
		s = s[min(n+1, len(s)):]
	}
	return dst
}

// familyEnd returns the length of the first family of s: up to a comma outside of quotes, which
// begin a family and are not apostrophe, and outside of parentheses.
func familyEnd(s string) int {
	rest := trimLeft(s)
	skipped := len(s) - len(rest)
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		if end := strings.IndexByte(rest[1:], rest[0]); end >= 0 {
			skipped += end + 2
		}
	}
	depth := 0
	for i := skipped; i < len(s); i++ {
		switch {
		case s[i] == '(':
			depth++
		case s[i] == ')':
			depth--
		case s[i] == ',' && depth <= 0:
			return i
		}
	}
	return len(s)
}

// appendFamily appends one family, which is not empty.
func appendFamily(dst []byte, name string) []byte {
	if name[0] == '"' || name[0] == '\'' {
		if end := len(name) - 1; end > 1 && name[end] == name[0] {
			return appendQuoted(dst, name[1:end])
		}
	}
	if bareFamily(name) || liveEnd(name, "") == len(name) {
		return append(dst, name...)
	}
	return appendQuoted(dst, name)
}

// bareFamily reports whether name is one identifier that means nothing else to CSS.
func bareFamily(name string) bool {
	return identEnd(name) == len(name) && !strings.HasPrefix(name, "--") &&
		!isWide(name) && !(len(name) == len("default") && lower(name) == "default")
}
