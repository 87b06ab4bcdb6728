package respond

import (
	"bytes"
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
