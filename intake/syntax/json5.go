package syntax

import (
	"math/big"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/livery/renderer/jsontree"
)

// toJSON spells JSON5 (json5.org) as JSON: it drops comments and trailing commas, puts names and strings between double
// quotes and writes numbers in decimal. It looks at words alone: what stands in a wrong place there stands in a wrong place
// afterwards.
func toJSON(text string) (string, shifts) {
	s := speller{text: text, comma: -1}
	for s.at < len(text) {
		s.note()
		s.word()
	}
	return string(s.out), s.shifts
}

// speller is one way through a text.
type speller struct {
	text   string
	at     int
	out    []byte
	shifts shifts
	comma  int // the place in out of a comma after which nothing was written; else -1
}

// shift is a place of the text and that of what was written for it.
type shift struct{ in, out int }

// shifts are in the order of the text.
type shifts []shift

// note remembers that the two texts differ in length from here on.
func (s *speller) note() {
	if n := len(s.shifts); n == 0 || s.shifts[n-1].in-s.shifts[n-1].out != s.at-len(s.out) {
		s.shifts = append(s.shifts, shift{s.at, len(s.out)})
	}
}

// origin returns the place in the text of a place in what was written.
func (s shifts) origin(out int) int {
	i := sort.Search(len(s), func(i int) bool { return s[i].out > out })
	if i == 0 {
		return out
	}
	return s[i-1].in + out - s[i-1].out
}

// shifted returns positions in what was written as positions in the text.
func (s shifts) shifted(p *Positions, text string) *Positions {
	for pointer, offset := range p.offsets {
		p.offsets[pointer] = min(s.origin(offset), len(text))
	}
	return &Positions{text, p.offsets}
}

// word writes the next word.
func (s *speller) word() {
	rest := s.text[s.at:]
	c := rest[0]
	switch {
	case strings.HasPrefix(rest, "//"):
		s.skip(strings.IndexAny(rest, "\n\r"))
	case strings.HasPrefix(rest, "/*"):
		if end := strings.Index(rest, "*/"); end >= 0 {
			s.skip(end + 2)
		} else {
			s.copy(1)
		}
	case strings.IndexByte(" \t\r\n", c) >= 0:
		s.copy(1)
	case isSpace(rest):
		_, size := utf8.DecodeRuneInString(rest)
		s.at, s.out = s.at+size, append(s.out, ' ')
	case c == '"' || c == '\'':
		s.comma = -1
		s.quoted(c)
	case c == ',':
		s.comma = len(s.out)
		s.copy(1)
	case c == '}' || c == ']':
		if s.comma >= 0 {
			s.out[s.comma] = ' '
		}
		s.comma = -1
		s.copy(1)
	default:
		s.comma = -1
		s.plain(rest)
	}
}

// spaces is the white space that JSON5 knows and JSON does not.
const spaces = "\v\f\u00a0\ufeff\u2028\u2029"

// isSpace reports whether a text begins with that white space.
func isSpace(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return strings.ContainsRune(spaces, r)
}

func (s *speller) copy(n int) {
	s.out = append(s.out, s.text[s.at:s.at+n]...)
	s.at += n
}

// skip passes over n bytes, to the end if n is negative, and keeps their lines.
func (s *speller) skip(n int) {
	if n < 0 {
		n = len(s.text) - s.at
	}
	s.out = append(append(s.out, ' '), strings.Repeat("\n", strings.Count(s.text[s.at:s.at+n], "\n"))...)
	s.at += n
}

// quoted writes a string between double quotes. One that does not end is copied as it is.
func (s *speller) quoted(quote byte) {
	out, at := append(s.out, '"'), s.at+1
	for at < len(s.text) && s.text[at] != quote {
		switch c := s.text[at]; {
		case c == '\\' && at+1 < len(s.text):
			out, at = s.escaped(out, at+1)
		case c == '"':
			out, at = append(out, '\\', '"'), at+1
		default:
			out, at = append(out, c), at+1
		}
	}
	if at >= len(s.text) {
		s.copy(len(s.text) - s.at)
		return
	}
	s.out, s.at = append(out, '"'), at+1
}

// escaped writes what follows a backslash at a place, and returns the place after it.
func (s *speller) escaped(out []byte, at int) ([]byte, int) {
	switch c := s.text[at]; {
	case strings.IndexByte(`"\/bfnrtu`, c) >= 0:
		return append(out, '\\', c), at + 1
	case c == 'x' && at+2 < len(s.text):
		return append(out, `\u00`+s.text[at+1:at+3]...), at + 3
	case c == 'v':
		return append(out, `\u000b`...), at + 1
	case c == '0':
		return append(out, `\u0000`...), at + 1
	case c == '\r' && strings.HasPrefix(s.text[at:], "\r\n"):
		return out, at + 2
	case c == '\n' || c == '\r':
		return out, at + 1
	default:
		return append(out, c), at + 1
	}
}

// plain writes a name, a number or a mark.
func (s *speller) plain(rest string) {
	end := strings.IndexAny(rest, ",:{}[]\"'/ \t\r\n"+spaces)
	if end < 0 {
		end = len(rest)
	}
	if end == 0 {
		s.copy(1)
		return
	}
	word := rest[:end]
	s.at += end
	isName := strings.HasPrefix(skipComments(rest[end:]), ":")
	number, isNumber := decimal(word)
	switch {
	case isName && strings.Contains(word, `\u`): // escapes as in a string
		s.out = append(s.out, `"`+word+`"`...)
	case isName, isNoJSON(word): // as in YAML: a text, so that at most its token is refused
		s.out = append(s.out, jsontree.Append(nil, jsontree.NewString(word))...)
	case isNumber:
		s.out = append(s.out, number...)
	default:
		s.out = append(s.out, word...)
	}
}

// isNoJSON reports whether a word of JSON5 is a number that JSON cannot say.
func isNoJSON(word string) bool {
	word = strings.TrimLeft(word, "+-")
	return word == "Infinity" || word == "NaN"
}

// decimal spells a number of JSON5 as JSON does.
func decimal(word string) (string, bool) {
	digits, sign := strings.TrimPrefix(word, "+"), ""
	if strings.HasPrefix(digits, "-") {
		digits, sign = digits[1:], "-"
	}
	if strings.HasPrefix(strings.ToLower(digits), "0x") {
		n, ok := new(big.Int).SetString(digits[2:], 16)
		if !ok || len(digits) > 34 {
			return "", false
		}
		return sign + n.String(), true
	}
	if digits == "" || strings.IndexByte("0123456789.", digits[0]) < 0 {
		return "", false
	}
	if digits[0] == '.' {
		digits = "0" + digits
	}
	digits = strings.TrimSuffix(strings.Replace(strings.Replace(digits, ".e", ".0e", 1), ".E", ".0E", 1), ".")
	if _, err := strconv.ParseFloat(digits, 64); err != nil {
		return "", false
	}
	return sign + digits, true
}
