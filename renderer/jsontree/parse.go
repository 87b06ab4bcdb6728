package jsontree

import "strconv"

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
	n, err := p.value(0)
	if err != nil {
		return nil, err
	}
	p.afterBlanks()
	if p.at < len(p.text) {
		return nil, p.fail("data after the value")
	}
	return n, nil
}

type parser struct {
	text     string
	at       int
	odd      int // where the last blanks or the last string end that Append writes otherwise
	maxDepth int
	plain    bool // the last string needs no escapes

	members []Member // of the objects that are still open, the innermost last
	items   []*Node  // of the arrays that are still open

	// Nodes, members and items are carved from slabs: one allocation serves many (BenchmarkStages/parse).
	nodeSlab   []Node
	memberSlab []Member
	itemSlab   []*Node
}

// The sizes of slabs, in nodes, members or items. What is left of a tree of a slab stays as long as the tree
// does, so a slab is at most as large as the rest of the text is likely to need, and what would waste more than an
// eighth of a slab gets an allocation of its own.
const (
	maxSlab  = 128
	maxShare = maxSlab / 8
	perNode  = 16 // bytes of text: 11 to 16 on the average in documents without blanks
)

// slab returns the size of the next slab, of which at least that many are needed.
func (p *parser) slab(needed int) int { return min(maxSlab, needed+(len(p.text)-p.at)/perNode) }

func (p *parser) fail(what string) error { return &SyntaxError{p.at, what} }

func (p *parser) node() *Node {
	if len(p.nodeSlab) == 0 {
		p.nodeSlab = make([]Node, p.slab(1))
	}
	n := &p.nodeSlab[0]
	p.nodeSlab = p.nodeSlab[1:]
	return n
}

// closeMembers takes the members from start on off the open ones and returns them for keeps.
func (p *parser) closeMembers(start int) []Member {
	open := p.members[start:]
	if len(open) > maxShare {
		p.members = p.members[:start]
		return append(make([]Member, 0, len(open)), open...)
	}
	if len(p.memberSlab) < len(open) {
		p.memberSlab = make([]Member, p.slab(len(p.members)))
	}
	kept := p.memberSlab[:len(open):len(open)]
	p.memberSlab = p.memberSlab[len(open):]
	copy(kept, open)
	p.members = p.members[:start]
	return kept
}

// closeItems is closeMembers for arrays.
func (p *parser) closeItems(start int) []*Node {
	open := p.items[start:]
	if len(open) > maxShare {
		p.items = p.items[:start]
		return append(make([]*Node, 0, len(open)), open...)
	}
	if len(p.itemSlab) < len(open) {
		p.itemSlab = make([]*Node, p.slab(len(p.items)))
	}
	kept := p.itemSlab[:len(open):len(open)]
	p.itemSlab = p.itemSlab[len(open):]
	copy(kept, open)
	p.items = p.items[:start]
	return kept
}

// afterBlanks skips blanks and returns the byte that follows, 0 at the end. A minified text has none, so that callers
// look at one byte before they call it.
func (p *parser) afterBlanks() byte {
	p.at = blankEnd(p.text, p.at)
	p.odd = p.at
	return p.peek()
}

// written returns what Append writes of the array or object that begins at start and ends here, or nothing if only
// its parts tell.
func (p *parser) written(start int) string {
	if start < p.odd {
		return ""
	}
	return p.text[start:p.at]
}

func (p *parser) peek() byte {
	if p.at < len(p.text) {
		return p.text[p.at]
	}
	return 0
}

func (p *parser) value(depth int) (*Node, error) {
	c := p.peek()
	if c <= ' ' {
		c = p.afterBlanks()
	}
	switch c {
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
		n.Kind, n.Text, n.plain = String, s, p.plain
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
	n, begin := p.node(), p.at
	n.Kind, n.plain = Object, true
	p.at++
	if p.peek() == '}' || p.peek() <= ' ' && p.afterBlanks() == '}' {
		p.at++
		n.Text = p.written(begin)
		return n, nil
	}
	for start := len(p.members); ; {
		if err := p.member(n, start, depth); err != nil {
			return nil, err
		}
		c := p.peek()
		if c <= ' ' {
			c = p.afterBlanks()
		}
		switch c {
		case ',':
			p.at++
		case '}':
			p.at++
			n.Members, n.Text = p.closeMembers(start), p.written(begin)
			return n, nil
		default:
			return nil, p.fail("',' or '}' was expected")
		}
	}
}

// member reads one member of n, whose members so far are the open ones from start on.
func (p *parser) member(n *Node, start, depth int) error {
	if p.peek() != '"' && p.afterBlanks() != '"' {
		return p.fail("a member name was expected")
	}
	at := p.at
	name, err := p.string()
	if err != nil {
		return err
	}
	n.plain = n.plain && p.plain
	if !p.claim(n, start, name) {
		p.at = at
		return p.fail("the member name " + strconv.Quote(name) + " stands twice in one object")
	}
	if p.peek() != ':' && p.afterBlanks() != ':' {
		return p.fail("':' was expected")
	}
	p.at++
	place := len(p.members)
	p.members = append(p.members, Member{Name: name})
	v, err := p.value(depth)
	if err != nil {
		return err
	}
	p.members[place].Value = v
	return nil
}

// claim reports whether name is new among the open members of n, and keeps the index of n, which an
// object has from indexFrom members on.
func (p *parser) claim(n *Node, start int, name string) bool {
	open := p.members[start:]
	if n.index != nil {
		return p.claimIndexed(n.index, open, name)
	}
	for i := range open {
		if open[i].Name == name {
			return false
		}
	}
	if len(open)+1 < indexFrom {
		return true
	}
	n.index = &Names{}
	for i := range open {
		p.claimIndexed(n.index, open[:i], open[i].Name)
	}
	return p.claimIndexed(n.index, open, name)
}

// claimIndexed is claim for an object with an index.
func (p *parser) claimIndexed(index *Names, open []Member, name string) bool {
	return index.Put(name, int32(len(open)), func(i int32) string { return open[i].Name }) < 0
}

func (p *parser) array(depth int) (*Node, error) {
	if depth > p.maxDepth {
		return nil, &DepthError{p.at, p.maxDepth}
	}
	n, begin := p.node(), p.at
	n.Kind = Array
	p.at++
	if p.peek() == ']' || p.peek() <= ' ' && p.afterBlanks() == ']' {
		p.at++
		n.Text = p.written(begin)
		return n, nil
	}
	for start := len(p.items); ; {
		v, err := p.value(depth)
		if err != nil {
			return nil, err
		}
		p.items = append(p.items, v)
		c := p.peek()
		if c <= ' ' {
			c = p.afterBlanks()
		}
		switch c {
		case ',':
			p.at++
		case ']':
			p.at++
			n.Items, n.Text = p.closeItems(start), p.written(begin)
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
	start, at := p.at, p.at
	for at < len(p.text) && p.text[at]-'0' <= 9 {
		at++
	}
	p.at = at
	return at > start
}
