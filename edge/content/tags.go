package content

import (
	"bytes"
	"slices"
)

// AnyMatches reports whether an If-None-Match field names the validator, by weak comparison, or is
// "*" (RFC 9110 section 13.1.2).
func AnyMatches(field, etag []byte) bool {
	rest := bytes.TrimSpace(field)
	if string(rest) == "*" {
		return true
	}
	for tag, _, rest := nextTag(rest); tag != nil; tag, _, rest = nextTag(rest) {
		if bytes.Equal(tag, etag) {
			return true
		}
	}
	return false
}

// holds reports whether an If-Match header, of which fields are the lines, holds for a file that has these
// validators: a line names one of them, by strong comparison, or is "*" (RFC 9110 section 13.1.1).
func AnyMatchesStrongly(fields [][]byte, etags ...[]byte) bool {
	for _, field := range fields {
		rest := bytes.TrimSpace(field)
		if string(rest) == "*" {
			return true
		}
		for tag, weak, rest := nextTag(rest); tag != nil; tag, weak, rest = nextTag(rest) {
			if !weak && slices.ContainsFunc(etags, func(etag []byte) bool { return bytes.Equal(tag, etag) }) {
				return true
			}
		}
	}
	return false
}

// nextTag returns the first validator of a list, quoted and without what makes it weak, whether it is weak,
// and the rest of the list; nil if no further one comes.
func nextTag(list []byte) (tag []byte, weak bool, rest []byte) {
	list = bytes.TrimLeft(list, " \t,")
	list, weak = bytes.CutPrefix(list, []byte("W/"))
	if len(list) == 0 || list[0] != '"' {
		return nil, false, nil
	}
	end := bytes.IndexByte(list[1:], '"')
	if end < 0 {
		return nil, false, nil
	}
	return list[:end+2], weak, list[end+2:]
}
