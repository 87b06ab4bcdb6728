// Package escape spells what others wrote, such as the name of a token or the message of a server, so that a terminal,
// a log, a page or a comment in Markdown shows it and obeys none of it.
package escape

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text returns s with every rune that shows nothing of its own spelled as in a Go string, such as \x1b or \u202e: the
// controls, those that change the direction of writing or join characters, line separators, private and unassigned
// ones. A byte that is not UTF-8 is spelled \xNN. Text of such a result is the result itself.
func Text(s string) string {
	if !strings.ContainsFunc(s, hidden) && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			quoted := strconv.Quote(s[:1])
			b.WriteString(quoted[1 : len(quoted)-1])
		case hidden(r):
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}

// hidden reports whether a rune may change how the text around it is shown. Spaces of every width are shown.
func hidden(r rune) bool { return !unicode.IsGraphic(r) }

// Line is Text on one line: white space, line breaks included, becomes one space, and none at either end.
func Line(s string) string { return Text(strings.Join(strings.Fields(s), " ")) }

// inCode replaces what ends a code span or the cell of a table, and the backslash, which only some readers of Markdown
// obey in a code span.
var inCode = strings.NewReplacer("`", "'", "|", "¦", "\\", "⧵")

// Code returns a code span of Markdown with s on one line, for any place in a line but its beginning, or nothing if s
// is empty. Nothing in it is a mention, a link, an image, an element or the end of the span or of a table's cell.
func Code(s string) string {
	if s = Line(inCode.Replace(s)); s == "" {
		return ""
	}
	return "`" + s + "`"
}

// JSON returns a text of JSON in which every rune that Text spells, and that stands in a string, is spelled \uNNNN:
// the same values for a program, and a text that a terminal shows as it is.
func JSON(text []byte) []byte {
	dst := make([]byte, 0, len(text))
	for len(text) > 0 {
		shown := 0
		for shown < len(text) && (text[shown] >= ' ' && text[shown] <= '~' || text[shown] == '\n') {
			shown++
		}
		dst, text = append(dst, text[:shown]...), text[shown:]
		if len(text) == 0 {
			break
		}
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '\n' || r == '\t' || r == '\r' || !hidden(r) && !(r == utf8.RuneError && size == 1):
			dst = append(dst, text[:size]...)
		case r <= 0xffff:
			dst = appendUnit(dst, r)
		default:
			high, low := utf16.EncodeRune(r)
			dst = appendUnit(appendUnit(dst, high), low)
		}
		text = text[size:]
	}
	return dst
}

// appendUnit appends \uNNNN.
func appendUnit(dst []byte, unit rune) []byte {
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', digits[unit>>12&0xf], digits[unit>>8&0xf], digits[unit>>4&0xf], digits[unit&0xf])
}
