package jsontree

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Append writes n minified to dst: members in order, numbers as written, and no '<', U+2028 or
// U+2029 raw inside a string, so that the text is safe inside an HTML script element.
func Append(dst []byte, n *Node) []byte {
	if n == nil {
		return append(dst, "null"...)
	}
	switch {
	case n.Kind == String && n.traits&plain != 0:
		return AppendPlain(dst, n.Text)
	case n.Kind == String:
		return AppendString(dst, n.Text)
	case n.Text != "" || n.Kind == Number:
		return append(dst, n.Text...)
	case n.Kind == Array:
		return appendItems(dst, n.Items())
	case n.Kind == Object:
		return appendMembers(dst, n)
	case n.Kind == Bool && n.True:
		return append(dst, "true"...)
	case n.Kind == Bool:
		return append(dst, "false"...)
	}
	return append(dst, "null"...)
}

func appendItems(dst []byte, items []*Node) []byte {
	dst = append(dst, '[')
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = Append(dst, item)
	}
	return append(dst, ']')
}

func appendMembers(dst []byte, n *Node) []byte {
	dst = append(dst, '{')
	for i := range n.Members {
		m := &n.Members[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		if n.traits&plain != 0 {
			dst = appendPlainName(dst, m.Name)
		} else {
			dst = append(AppendString(dst, m.Name), ':')
		}
		dst = Append(dst, m.Value)
	}
	return append(dst, '}')
}

// AppendName appends the name of the member of an object at a position, with its colon, as Append writes it.
func (n *Node) AppendName(dst []byte, i int) []byte {
	if n.traits&plain != 0 {
		return appendPlainName(dst, n.Members[i].Name)
	}
	return append(AppendString(dst, n.Members[i].Name), ':')
}

const hexDigits = "0123456789abcdef"

// AppendString writes s as a JSON string, escaped as Append says.
func AppendString[T string | []byte](dst []byte, s T) []byte {
	if !allPlain(s) {
		return appendEscaped(append(dst, '"'), string(s))
	}
	return append(append(append(dst, '"'), s...), '"')
}

// AppendPlain is AppendString for a text that needs no escapes.
func AppendPlain(dst []byte, s string) []byte {
	dst = appendPlainName(dst, s)
	return dst[:len(dst)-len(":")]
}

// The bytes that are copied at once, and the longest text that four copies are all of.
const (
	wordBytes = 8
	maxWords  = 4 * wordBytes
)

// appendPlainName is AppendPlain for the name of a member, and appends its colon. Most names are so short that a few words,
// which may overlap, are all of them.
func appendPlainName(dst []byte, s string) []byte {
	start, n := len(dst), len(s)
	if n > maxWords || cap(dst)-start < maxWords+len(`"":`) {
		return append(append(append(dst, '"'), s...), `":`...)
	}
	out := (*[maxWords + len(`"":`)]byte)(dst[start : start+maxWords+len(`"":`)])
	switch {
	case n >= 2*wordBytes:
		store64(out[1+wordBytes:], load64(s[wordBytes:]))
		store64(out[1+n-2*wordBytes:], load64(s[n-2*wordBytes:]))
		fallthrough
	case n >= wordBytes:
		store64(out[1:], load64(s))
		store64(out[1+n-wordBytes:], load64(s[n-wordBytes:]))
	case n >= wordBytes/2:
		store32(out[1:], load32(s))
		store32(out[1+n-wordBytes/2:], load32(s[n-wordBytes/2:]))
	default:
		for i := range n {
			out[1+i] = s[i]
		}
	}
	out[0], out[1+n], out[2+n] = '"', '"', ':'
	return dst[:start+n+len(`"":`)]
}

// AppendDashed appends s, which is ASCII, with a dash for each full stop.
func AppendDashed(dst []byte, s string) []byte {
	start := len(dst)
	dst = append(dst, s...)
	if cap(dst)-len(dst) < wordBytes {
		dst = slices.Grow(dst, wordBytes)
	}
	out := dst[:len(dst)+wordBytes]
	for at := start; at < len(dst); at += wordBytes { // the last word may go beyond the text
		w := (*[wordBytes]byte)(out[at : at+wordBytes])
		x := load64(w[:])
		others := (x^ones*'.')&^high + (high - ones) // the top bits of all bytes but full stops
		store64(w[:], x^(^others&high)>>7*('.'^'-'))
	}
	return dst
}

// appendEscaped is the rest of AppendString for a string that is not plain.
func appendEscaped(dst []byte, s string) []byte {
	start := 0
	for i := plainEnd(s, 0); i < len(s); i = plainEnd(s, i) {
		if s[i] >= utf8.RuneSelf && !isSeparator(s[i:]) {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		dst, i = appendEscape(dst, s, i)
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// isSeparator reports whether s begins with a line or a paragraph separator, which end a line in a script.
func isSeparator(s string) bool {
	return strings.HasPrefix(s, "\u2028") || strings.HasPrefix(s, "\u2029")
}

// appendEscape appends the escape of the character at s[i:] and returns where that ends.
func appendEscape(dst []byte, s string, i int) ([]byte, int) {
	switch c := s[i]; {
	case c == '"' || c == '\\':
		dst = append(dst, '\\', c)
	case c == '\n':
		dst = append(dst, `\n`...)
	case c == '\r':
		dst = append(dst, `\r`...)
	case c == '\t':
		dst = append(dst, `\t`...)
	case c >= utf8.RuneSelf:
		return append(append(dst, `\u202`...), hexDigits[s[i+2]&0xF]), i + len("\u2028")
	default:
		dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF])
	}
	return dst, i + 1
}

// Length returns the length of what Append appends, without appending it.
func Length(n *Node) int {
	if n == nil {
		return len("null")
	}
	if n.Text != "" && n.Kind != String {
		return len(n.Text)
	}
	switch n.Kind {
	case Bool:
		if n.True {
			return len("true")
		}
		return len("false")
	case Number:
		return 0
	case String:
		if n.traits&plain != 0 {
			return len(n.Text) + len(`""`)
		}
		return StringLength(n.Text)
	case Array:
		total := 1 + max(1, len(n.Items()))
		for _, item := range n.Items() {
			total += Length(item)
		}
		return total
	case Object:
		total := 1 + max(1, len(n.Members)) + len(n.Members)
		for i := range n.Members {
			total += n.NameLength(i) + Length(n.Members[i].Value)
		}
		return total
	}
	return len("null")
}

// NameLength returns the length of what AppendName appends, without the colon.
func (n *Node) NameLength(i int) int {
	if n.traits&plain != 0 {
		return len(n.Members[i].Name) + len(`""`)
	}
	return StringLength(n.Members[i].Name)
}

// StringLength returns the length of what AppendString appends.
func StringLength(s string) int {
	total := len(s) + 2
	for i := plainEnd(s, 0); i < len(s); i = plainEnd(s, i+1) {
		switch c := s[i]; {
		case c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t':
			total++
		case c < utf8.RuneSelf:
			total += len(`\u0000`) - 1
		case isSeparator(s[i:]):
			total += len(`\u2028`) - len("\u2028")
		}
	}
	return total
}
