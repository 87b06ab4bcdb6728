package jsontree

import (
	"strings"
	"unicode/utf8"
)

// Append writes n minified to dst: members in order, numbers as written, and no '<', U+2028 or
// U+2029 raw inside a string, so that the text is safe inside an HTML script element.
func Append(dst []byte, n *Node) []byte {
	if n == nil {
		return append(dst, "null"...)
	}
	switch n.Kind {
	case Bool:
		if n.True {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case Number:
		return append(dst, n.Text...)
	case String:
		return AppendString(dst, n.Text)
	case Array:
		dst = append(dst, '[')
		for i, item := range n.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = Append(dst, item)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i := range n.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = AppendString(dst, n.Members[i].Name)
			dst = append(dst, ':')
			dst = Append(dst, n.Members[i].Value)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

const hexDigits = "0123456789abcdef"

// AppendString writes s as a JSON string, escaped as Append says.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	i := 0
	for i < len(s) && plain[s[i]] {
		i++
	}
	if i < len(s) {
		return appendEscaped(dst, s, i)
	}
	return append(append(dst, s...), '"')
}

// appendEscaped is the rest of AppendString for a string that is plain up to i.
func appendEscaped(dst []byte, s string, i int) []byte {
	start := 0
	for i < len(s) {
		c := s[i]
		if c < utf8.RuneSelf {
			if plain[c] {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			dst = appendEscape(dst, c)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == '\u2028' || r == '\u2029' {
			dst = append(dst, s[start:i]...)
			dst = append(dst, `\u202`...)
			dst = append(dst, hexDigits[r&0xF])
			start = i + size
		}
		i += size
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
}

// Length returns the length of what Append appends, without appending it.
func Length(n *Node) int {
	if n == nil {
		return len("null")
	}
	switch n.Kind {
	case Bool:
		if n.True {
			return len("true")
		}
		return len("false")
	case Number:
		return len(n.Text)
	case String:
		return StringLength(n.Text)
	case Array:
		total := 1 + max(1, len(n.Items))
		for _, item := range n.Items {
			total += Length(item)
		}
		return total
	case Object:
		total := 1 + max(1, len(n.Members)) + len(n.Members)
		for i := range n.Members {
			total += StringLength(n.Members[i].Name) + Length(n.Members[i].Value)
		}
		return total
	}
	return len("null")
}

// StringLength returns the length of what AppendString appends.
func StringLength(s string) int {
	total := len(s) + 2
	for i := range len(s) {
		switch c := s[i]; {
		case plain[c]:
		case c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t':
			total++
		case c < 0x20 || c == '<' || c == 0x7f:
			total += len(`\u0000`) - 1
		case c == 0xe2 && (strings.HasPrefix(s[i:], "\u2028") || strings.HasPrefix(s[i:], "\u2029")):
			total += len(`\u2028`) - len("\u2028")
		}
	}
	return total
}
