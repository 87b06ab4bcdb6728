package jsontree

import (
	"strconv"
	"unicode/utf8"
)

// SyntaxError says where a text stops being JSON and what was expected there.
type SyntaxError struct {
	Offset int    // in bytes from the start of the text
	What   string // what is wrong or was expected, lower case
}

func (e *SyntaxError) Error() string {
	return "invalid JSON at byte " + strconv.Itoa(e.Offset) + ": " + e.What
}

// DepthError says that a text nests deeper than the caller allows.
type DepthError struct {
	Offset   int // of the bracket that opens one level too many
	MaxDepth int // the limit that was given
}

func (e *DepthError) Error() string {
	return "JSON nested deeper than " + strconv.Itoa(e.MaxDepth) + " levels at byte " + strconv.Itoa(e.Offset)
}

// MaxDepth is the nesting that Parse accepts: the document limit of the API (64 levels) and room
// for what wraps a value on its way (a request body, an operation).
const MaxDepth = 72

// Parse reads one strict RFC 8259 text: duplicate member names, invalid UTF-8, lone surrogates,
// a byte order mark and trailing data are refused with a *SyntaxError, nesting beyond MaxDepth
// with a *DepthError. The tree keeps parts of text.
func Parse(text string) (*Node, error) { return ParseDepth(text, MaxDepth) }

// ParseDepth is Parse with a nesting limit of its own.
func ParseDepth(text string, maxDepth int) (*Node, error) {
	p := parser{text: text, maxDepth: maxDepth}
	p.space()
	n, err := p.value(0)
	if err != nil {
		return nil, err
	}
	p.space()
	if p.at < len(p.text) {
		return nil, p.fail("data after the value")
	}
	return n, nil
}

type parser struct {
	text     string
	at       int
	maxDepth int
	slab     []Node // nodes are carved from slabs: one allocation serves many
}

func (p *parser) fail(what string) error { return &SyntaxError{p.at, what} }

func (p *parser) node() *Node {
	if len(p.slab) == 0 {
		p.slab = make([]Node, 64)
	}
	n := &p.slab[0]
	p.slab = p.slab[1:]
	return n
}

func (p *parser) space() {
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *parser) value(depth int) (*Node, error) {
	switch c := p.peek(); c {
	case '{':
		return p.object(depth + 1)
	case '[':
		return p.array(depth + 1)
	case '"':
		s, err := p.string()
		if err != nil {
			return nil, err
		}
		n := p.node()
		n.Kind, n.Text = String, s
		return n, nil
	case 't':
		return p.word("true", Bool, true)
	case 'f':
		return p.word("false", Bool, false)
	case 'n':
		return p.word("null", Null, false)
	default:
		if c == '-' || c >= '0' && c <= '9' {
			return p.number()
		}
		if p.at >= len(p.text) {
			return nil, p.fail("a value was expected, the text ends")
		}
		return nil, p.fail("a value was expected")
	}
}

func (p *parser) word(word string, kind Kind, isTrue bool) (*Node, error) {
	if len(p.text)-p.at < len(word) || p.text[p.at:p.at+len(word)] != word {
		return nil, p.fail(word + " was expected")
	}
	p.at += len(word)
	n := p.node()
	n.Kind, n.True = kind, isTrue
	return n, nil
}

func (p *parser) object(depth int) (*Node, error) {
	if depth > p.maxDepth {
		return nil, &DepthError{p.at, p.maxDepth}
	}
	n := p.node()
	n.Kind = Object
	p.at++
	p.space()
	if p.peek() == '}' {
		p.at++
		return n, nil
	}
	for {
		if err := p.member(n, depth); err != nil {
			return nil, err
		}
		p.space()
		switch p.peek() {
		case ',':
			p.at++
			p.space()
		case '}':
			p.at++
			return n, nil
		default:
			return nil, p.fail("',' or '}' was expected")
		}
	}
}

func (p *parser) member(n *Node, depth int) error {
	if p.peek() != '"' {
		return p.fail("a member name was expected")
	}
	start := p.at
	name, err := p.string()
	if err != nil {
		return err
	}
	if n.IndexOf(name) >= 0 {
		p.at = start
		return p.fail("the member name " + strconv.Quote(name) + " stands twice in one object")
	}
	p.space()
	if p.peek() != ':' {
		return p.fail("':' was expected")
	}
	p.at++
	p.space()
	v, err := p.value(depth)
	if err != nil {
		return err
	}
	n.Members = append(n.Members, Member{name, v})
	if n.index != nil {
		n.index[name] = int32(len(n.Members) - 1)
	} else if len(n.Members) == indexFrom {
		n.Index()
	}
	return nil
}

func (p *parser) array(depth int) (*Node, error) {
	if depth > p.maxDepth {
		return nil, &DepthError{p.at, p.maxDepth}
	}
	n := p.node()
	n.Kind = Array
	p.at++
	p.space()
	if p.peek() == ']' {
		p.at++
		return n, nil
	}
	for {
		v, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		n.Items = append(n.Items, v)
		p.space()
		switch p.peek() {
		case ',':
			p.at++
			p.space()
		case ']':
			p.at++
			return n, nil
		default:
			return nil, p.fail("',' or ']' was expected")
		}
	}
}

func (p *parser) number() (*Node, error) {
	start := p.at
	if p.peek() == '-' {
		p.at++
	}
	switch {
	case p.peek() == '0':
		p.at++
	case !p.digits():
		return nil, p.fail("a digit was expected")
	}
	if p.peek() == '.' {
		p.at++
		if !p.digits() {
			return nil, p.fail("a digit was expected after the point")
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.at++
		if c = p.peek(); c == '+' || c == '-' {
			p.at++
		}
		if !p.digits() {
			return nil, p.fail("a digit was expected in the exponent")
		}
	}
	n := p.node()
	n.Kind, n.Text = Number, p.text[start:p.at]
	return n, nil
}

// digits skips a run of digits and reports whether there was one.
func (p *parser) digits() bool {
	start := p.at
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		p.at++
	}
	return p.at > start
}

// string reads a string; one without escapes is a part of the text and costs no allocation.
func (p *parser) string() (string, error) {
	p.at++
	start := p.at
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
