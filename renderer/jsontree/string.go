package jsontree

import (
	"math/bits"
	"strings"
	"unicode/utf8"
)

// string reads the string at a place and returns where it ends, which is negative if p.err says what is wrong. One
// without escapes is a part of the text and costs no allocation.
func (p *parser) string(at int) (string, int) {
	text, start, seen := p.text, at+1, plain|literal
	for at = start; at+8 <= len(text); at += 8 {
		for found := notBare(word(text, at)); found != 0; found &= found - 1 { // a brace marks no byte above it
			end := at + bits.TrailingZeros64(found)/8
			if text[end] == '"' {
				if p.traits = seen; seen == plain {
					p.seen += withBrace
				}
				return text[start:end], end + 1
			}
			if text[end] != '{' {
				return p.unusual(start, end)
			}
			seen = plain
		}
	}
	return p.unusual(start, at)
}

// unusual reads the rest of a string that began at start and is plain up to a place.
func (p *parser) unusual(start, at int) (string, int) {
	at = plainEnd(p.text, at)
	s, end := p.text[start:at], at+1
	isPlain := at < len(p.text) && p.text[at] == '"'
	if !isPlain {
		s, end = p.escaped(start, at)
	}
	if end < 0 {
		return "", end
	}
	if p.traits = traitsOf(s, isPlain); p.traits&literal == 0 {
		p.seen += withBrace
	}
	if isPlain {
		return s, end
	}
	if written := AppendString(nil, s); string(written) != p.text[start-1:end] {
		p.replace(start-1, end, written)
	}
	return s, end
}

// traitsOf returns the traits of a String.
func traitsOf(s string, isPlain bool) traits {
	t := literal
	if strings.IndexByte(s, '{') >= 0 {
		t = 0
	}
	if isPlain {
		t |= plain
	}
	return t
}

// noString says what is wrong at a place in a string.
func (p *parser) noString(at int, what string) (string, int) {
	p.fail(at, what)
	return "", -1
}

// escaped reads the rest of a string that began at start and is plain up to a place. It copies what it reads only once
// an escape came.
func (p *parser) escaped(start, at int) (string, int) {
	var buf []byte
	copied := start
	for at < len(p.text) {
		switch c := p.text[at]; {
		case c == '"' && buf == nil:
			return p.text[start:at], at + 1
		case c == '"':
			return string(append(buf, p.text[copied:at]...)), at + 1
		case c == '\\':
			if buf == nil {
				buf = make([]byte, 0, at-start+32)
			}
			r, end := p.escape(at + 1)
			if end < 0 {
				return "", -1
			}
			buf = utf8.AppendRune(append(buf, p.text[copied:at]...), r)
			at, copied = end, end
		case c < 0x20:
			return p.noString(at, "a control character in a string")
		case c < utf8.RuneSelf:
			at++
		default:
			r, size := utf8.DecodeRuneInString(p.text[at:])
			if r == utf8.RuneError && size == 1 {
				return p.noString(at, "invalid UTF-8")
			}
			at += size
		}
	}
	return p.noString(at, "a string that does not end")
}

// escape reads the escape whose backslash stands before a place. It returns where the escape ends, which is negative if
// p.err says what is wrong.
func (p *parser) escape(at int) (rune, int) {
	c := p.peek(at)
	switch c {
	case '"', '\\', '/':
		return rune(c), at + 1
	case 'b':
		return '\b', at + 1
	case 'f':
		return '\f', at + 1
	case 'n':
		return '\n', at + 1
	case 'r':
		return '\r', at + 1
	case 't':
		return '\t', at + 1
	case 'u':
		return p.unicode(at + 1)
	}
	p.fail(at, "an unknown escape")
	return 0, -1
}

func (p *parser) unicode(at int) (rune, int) {
	r, ok := p.hex4(at)
	if !ok {
		p.fail(at, "four hexadecimal digits were expected")
		return 0, -1
	}
	at += 4
	if r < 0xD800 || r > 0xDFFF {
		return r, at
	}
	if r >= 0xDC00 || at+1 >= len(p.text) || p.text[at] != '\\' || p.text[at+1] != 'u' {
		p.fail(at, "a lone surrogate")
		return 0, -1
	}
	at += 2
	low, ok := p.hex4(at)
	if ok {
		at += 4
	}
	if !ok || low < 0xDC00 || low > 0xDFFF {
		p.fail(at, "a lone surrogate")
		return 0, -1
	}
	return 0x10000 + (r-0xD800)<<10 + (low - 0xDC00), at
}

// hex4 returns the value of the four hexadecimal digits at a place.
func (p *parser) hex4(at int) (rune, bool) {
	if len(p.text)-at < 4 {
		return 0, false
	}
	r := rune(0)
	for _, c := range []byte(p.text[at : at+4]) {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
