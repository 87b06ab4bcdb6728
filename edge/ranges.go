package edge

import (
	"bytes"
	"slices"
	"strconv"
)

// span is a part of a file: the bytes from and up to, not including, to.
type span struct{ from, to int }

// parseRange reads a Range field of one byte range (RFC 9110 section 14.1.2). asked is false if
// the field is to be ignored: another unit, several ranges, or no range at all. satisfiable is false
// if the range lies outside the file.
func parseRange(field []byte, size int) (s span, asked, satisfiable bool) {
	spec, ok := bytes.CutPrefix(field, []byte("bytes="))
	if !ok || bytes.IndexByte(spec, ',') >= 0 {
		return span{}, false, false
	}
	first, last, ok := bytes.Cut(bytes.TrimSpace(spec), []byte{'-'})
	if !ok {
		return span{}, false, false
	}
	if len(first) == 0 {
		length, ok := parseDigits(last)
		return span{max(0, size-length), size}, ok, length > 0 && size > 0
	}
	from, ok := parseDigits(first)
	if !ok {
		return span{}, false, false
	}
	to := size
	if len(last) > 0 {
		end, ok := parseDigits(last)
		if !ok || end < from {
			return span{}, false, false
		}
		to = min(size, end+1)
	}
	return span{from, to}, true, from < size
}

// parseDigits reads a number; one too large for any file counts as the largest that is read.
func parseDigits(s []byte) (int, bool) {
	const largest = 1 << 40
	n := 0
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(n*10+int(c-'0'), largest)
	}
	return n, len(s) > 0
}

// appendContentRange writes "bytes 0-99/1234".
func appendContentRange(dst []byte, s span, size int) []byte {
	dst = strconv.AppendInt(append(dst, "bytes "...), int64(s.from), 10)
	dst = strconv.AppendInt(append(dst, '-'), int64(s.to-1), 10)
	return strconv.AppendInt(append(dst, '/'), int64(size), 10)
}

// anyMatches reports whether an If-None-Match field names the validator, by weak comparison, or is
// "*" (RFC 9110 section 13.1.2).
func anyMatches(field, etag []byte) bool {
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
func holds(fields [][]byte, etags ...[]byte) bool {
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
