package jsontree

import (
	"math/bits"
	"unicode/utf8"
)

// string reads a string; one without escapes is a part of the text and costs no allocation.
func (p *parser) string() (string, error) {
	start := p.at + 1
	at := start
	for step := 8; step == 8 && at+8 <= len(p.text); at += step {
		step = bits.TrailingZeros64(notPlain(load64(p.text[at:]))) / 8
	}
	if at+8 > len(p.text) {
		at = plainEnd(p.text, at)
	}
	if p.plain = at < len(p.text) && p.text[at] == '"'; p.plain {
		p.at = at + 1
		return p.text[start:at], nil
	}
	p.at = at
	s, err := p.unusual(start)
	if err == nil && string(AppendString(nil, s)) != p.text[start-1:p.at] {
		p.odd = p.at
	}
	return s, err
}

// unusual reads the rest of a string that began at start and is plain up to p.at.
func (p *parser) unusual(start int) (string, error) {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			s := p.text[start:p.at]
			p.at++
			return s, nil
		case c == '\\':
			return p.escaped(start)
		case c < 0x20:
			return "", p.fail("a control character in a string")
		case c < utf8.RuneSelf:
			p.at++
		default:
			if err := p.rune(); err != nil {
				return "", err
			}
		}
	}
	return "", p.fail("a string that does not end")
}

func (p *parser) rune() error {
	r, size := utf8.DecodeRuneInString(p.text[p.at:])
	if r == utf8.RuneError && size == 1 {
		return p.fail("invalid UTF-8")
	}
	p.at += size
	return nil
}

// escaped reads the rest of a string that began at start and has its first escape at p.at.
func (p *parser) escaped(start int) (string, error) {
	buf := append(make([]byte, 0, p.at-start+32), p.text[start:p.at]...)
	for p.at < len(p.text) {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return string(buf), nil
		case c == '\\':
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			buf = utf8.AppendRune(buf, r)
		case c < 0x20:
			return "", p.fail("a control character in a string")
		case c < utf8.RuneSelf:
			buf = append(buf, c)
			p.at++
		default:
			from := p.at
			if err := p.rune(); err != nil {
				return "", err
			}
			buf = append(buf, p.text[from:p.at]...)
		}
	}
	return "", p.fail("a string that does not end")
}

func (p *parser) escape() (rune, error) {
	p.at++
	c := p.peek()
	p.at++
	switch c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
		return p.unicode()
	}
	p.at--
	return 0, p.fail("an unknown escape")
}

func (p *parser) unicode() (rune, error) {
	r, ok := p.hex4()
	if !ok {
		return 0, p.fail("four hexadecimal digits were expected")
	}
	if r < 0xD800 || r > 0xDFFF {
		return r, nil
	}
	if r >= 0xDC00 || p.at+1 >= len(p.text) || p.text[p.at] != '\\' || p.text[p.at+1] != 'u' {
		return 0, p.fail("a lone surrogate")
	}
	p.at += 2
	low, ok := p.hex4()
	if !ok || low < 0xDC00 || low > 0xDFFF {
		return 0, p.fail("a lone surrogate")
	}
	return 0x10000 + (r-0xD800)<<10 + (low - 0xDC00), nil
}

func (p *parser) hex4() (rune, bool) {
	if len(p.text)-p.at < 4 {
		return 0, false
	}
	r := rune(0)
	for _, c := range []byte(p.text[p.at : p.at+4]) {
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
	p.at += 4
	return r, true
}
