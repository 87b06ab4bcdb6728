package jsontree

import (
	"math/bits"
	"strconv"
	"strings"
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
// with a *DepthError. The tree keeps parts of text, and equal values of members called $type may be one node.
func Parse(text string) (*Node, error) { return ParseDepth(text, MaxDepth) }

// ParseDepth is Parse with a nesting limit of its own.
func ParseDepth(text string, maxDepth int) (*Node, error) {
	p := parser{text: text, maxDepth: maxDepth}
	return p.whole()
}

// parser reads a text. Its methods take the place at which they begin and return the one at which they end. Those that
// return a node return nil if p.err says what is wrong.
type parser struct {
	text     string
	err      error
	odd      int // where the last blanks or the last string end that Append writes otherwise
	maxDepth int
	traits   traits // of the last string
	values   uint32 // how many names $value were seen
	types    [8]typeNode

	members []Member // of the objects that are still open, the innermost last
	items   []*Node  // of the arrays that are still open

	// Nodes, members and items are carved from slabs: one allocation serves many (BenchmarkStages/parse).
	nodeSlab    []Node
	nodesUsed   int
	memberSlab  []Member
	membersUsed int
	itemSlab    []*Node
	itemsUsed   int
	moreSlab    []more
	moreUsed    int
}

// whole reads all of the text.
func (p *parser) whole() (*Node, error) {
	n, at := p.value(0, 0)
	if n == nil {
		return nil, p.err
	}
	if at = blankEnd(p.text, at); at < len(p.text) {
		p.fail(at, "data after the value")
		return nil, p.err
	}
	return n, nil
}

// The sizes of slabs, in nodes, members or items. What is left of a tree of a slab stays as long as the tree
// does, so a slab is at most as large as the rest of the text is likely to need, and what would waste more than an
// eighth of a slab gets an allocation of its own.
const (
	maxSlab  = 128
	maxShare = maxSlab / 8
	maxNodes = 8192 / nodeBytes // as many as the allocator's next size holds
	perNode  = 16               // bytes of text: 11 to 16 on the average in documents without blanks
	perArray = 4 * perNode      // of the least array that is worth its node
)

// slab returns the size of the next slab, of which at least that many are needed at a place.
func (p *parser) slab(at, needed int) int { return min(maxSlab, needed+(len(p.text)-at)/perNode) }

// fail says what is wrong at a place.
func (p *parser) fail(at int, what string) (*Node, int) {
	p.err = &SyntaxError{at, what}
	return nil, at
}

func (p *parser) node(at int) *Node {
	if p.nodesUsed == len(p.nodeSlab) {
		p.nodeSlab, p.nodesUsed = make([]Node, min(maxNodes, 1+(len(p.text)-at)/perNode)), 0
	}
	n := &p.nodeSlab[p.nodesUsed]
	p.nodesUsed++
	return n
}

// closeMembers takes the members from start on off the open ones and returns them for keeps.
func (p *parser) closeMembers(at, start int) []Member {
	open := p.members[start:]
	p.members = p.members[:start]
	if len(open) > maxShare {
		return append(make([]Member, 0, len(open)), open...)
	}
	if len(p.memberSlab)-p.membersUsed < len(open) {
		p.memberSlab, p.membersUsed = make([]Member, p.slab(at, start+len(open))), 0
	}
	end := p.membersUsed + len(open)
	kept := p.memberSlab[p.membersUsed:end:end]
	p.membersUsed = end
	for i := range kept { // they are few: a copy costs more
		kept[i] = open[i]
	}
	return kept
}

// closeItems is closeMembers for arrays, of which each has a more as well.
func (p *parser) closeItems(at, start int) *more {
	open := p.items[start:]
	p.items = p.items[:start]
	if p.moreUsed == len(p.moreSlab) {
		p.moreSlab, p.moreUsed = make([]more, min(maxSlab, 1+(len(p.text)-at)/perArray)), 0
	}
	m := &p.moreSlab[p.moreUsed]
	p.moreUsed++
	if len(open) > maxShare {
		m.items = append(make([]*Node, 0, len(open)), open...)
		return m
	}
	if len(p.itemSlab)-p.itemsUsed < len(open) {
		p.itemSlab, p.itemsUsed = make([]*Node, p.slab(at, start+len(open))), 0
	}
	end := p.itemsUsed + len(open)
	m.items = p.itemSlab[p.itemsUsed:end:end]
	p.itemsUsed = end
	copy(m.items, open)
	return m
}

// afterBlanks skips blanks and returns the byte that follows, 0 at the end. A minified text has none, so that callers
// look at one byte before they call it. Most blanks are one space, or a line end and up to seven spaces of an indentation.
func (p *parser) afterBlanks(at int) (int, byte) {
	if text := p.text; at+9 < len(text) && (text[at] == ' ' || text[at] == '\n') {
		end := at + 1 + bits.TrailingZeros64(word(text, at+1)^ones*' ')/8
		if c := text[end]; c > ' ' {
			p.odd = end
			return end, c
		}
	}
	at = blankEnd(p.text, at)
	p.odd = at
	return at, p.peek(at)
}

// written returns what Append writes of the array or object that begins and ends at two places, or nothing if only
// its parts tell.
func (p *parser) written(begin, end int) string {
	if begin < p.odd {
		return ""
	}
	return p.text[begin:end]
}

// peek returns the byte at a place, 0 at the end.
func (p *parser) peek(at int) byte {
	if at < len(p.text) {
		return p.text[at]
	}
	return 0
}

func (p *parser) value(at, depth int) (*Node, int) {
	c := p.peek(at)
	if c <= ' ' {
		if next := at + 1; c == ' ' && next < len(p.text) && p.text[next] > ' ' { // as most indented texts have it
			at, c, p.odd = next, p.text[next], next
		} else {
			at, c = p.afterBlanks(at)
		}
	}
	switch {
	case c == '"':
		s, end := p.string(at)
		if end < 0 {
			return nil, at
		}
		n := p.node(at)
		n.Kind, n.Text, n.traits = String, s, p.traits
		return n, end
	case c == '{':
		return p.object(at, depth+1)
	case c-'0' <= 9 || c == '-':
		return p.number(at)
	case c == '[':
		return p.array(at, depth+1)
	case c == 't':
		return p.word(at, "true", Bool)
	case c == 'f':
		return p.word(at, "false", Bool)
	case c == 'n':
		return p.word(at, "null", Null)
	case at >= len(p.text):
		return p.fail(at, "a value was expected, the text ends")
	}
	return p.fail(at, "a value was expected")
}

func (p *parser) word(at int, word string, kind Kind) (*Node, int) {
	if len(p.text)-at < len(word) || p.text[at:at+len(word)] != word {
		return p.fail(at, word+" was expected")
	}
	n := p.node(at)
	n.Kind, n.True, n.traits = kind, word == "true", literal
	return n, at + len(word)
}

func (p *parser) object(begin, depth int) (*Node, int) {
	if depth > p.maxDepth {
		p.err = &DepthError{begin, p.maxDepth}
		return nil, begin
	}
	n := p.node(begin)
	n.Kind, n.traits = Object, plain|literal
	at := begin + 1
	c := p.peek(at)
	if c <= ' ' {
		at, c = p.afterBlanks(at)
	}
	if c == '}' {
		n.Text = p.written(begin, at+1)
		return n, at + 1
	}
	text, start, marks, seen, values := p.text, len(p.members), uint64(0), plain|literal, p.values
	for {
		if c != '"' {
			return p.fail(at, "a member name was expected")
		}
		name, end := "$value", at+len(`"$value"`)
		if end <= len(text) && word(text, at) == valueText { // as one member in three
			p.traits = plain | literal
			p.values++
		} else if name, end = p.string(at); end < 0 {
			return nil, at
		}
		seen &= p.traits | literal
		if mark := markOf(name); n.more != nil || marks&mark != 0 || len(p.members)-start == indexFrom-1 {
			if !p.claim(n, start, name) {
				return p.fail(at, "the member name "+strconv.Quote(name)+" stands twice in one object")
			}
		} else {
			marks |= mark
		}
		if c = p.peek(end); c != ':' {
			if end, c = p.afterBlanks(end); c != ':' {
				return p.fail(end, "':' was expected")
			}
		}
		var v *Node
		if name == "$type" {
			v, end = p.typeValue(end+1, depth)
		} else {
			v, end = p.value(end+1, depth)
		}
		if v == nil {
			return nil, end
		}
		seen &= v.traits | plain
		p.members = append(p.members, Member{name, v})
		if c = p.peek(end); c <= ' ' {
			end, c = p.afterBlanks(end)
		}
		at = end + 1
		if c == '}' {
			n.Members, n.Text, n.traits = p.closeMembers(at, start), p.written(begin, at), seen
			n.values = p.values - values
			return n, at
		}
		if c != ',' {
			return p.fail(end, "',' or '}' was expected")
		}
		if c = p.peek(at); c != '"' {
			at, c = p.afterBlanks(at)
		}
	}
}

// valueText is the text of the name $value as eight bytes.
const valueText = '"' | '$'<<8 | 'v'<<16 | 'a'<<24 | 'l'<<32 | 'u'<<40 | 'e'<<48 | '"'<<56

// typeNode is a value of $type with its text, quotes included.
type typeNode struct {
	node *Node
	text string
}

// typeValue is value for a $type. Types repeat, and those that are equal are mostly one node.
func (p *parser) typeValue(at, depth int) (*Node, int) {
	if p.peek(at) == ' ' {
		at++
		p.odd = at
	}
	if at+8 > len(p.text) {
		return p.value(at, depth)
	}
	known := &p.types[word(p.text, at)*0x9E3779B97F4A7C15>>61]
	if known.node != nil && strings.HasPrefix(p.text[at:], known.text) {
		return known.node, at + len(known.text)
	}
	v, end := p.value(at, depth)
	if v != nil && v.IsPlain() && p.text[at] == '"' {
		*known = typeNode{v, p.text[at:end]}
	}
	return v, end
}

// markOf returns one bit for a name. Two names of one object with different bits, as nearly all have, are not compared.
func markOf(name string) uint64 {
	if name == "" {
		return 1
	}
	return 1 << ((7*name[0] + name[len(name)-1] + 3*byte(len(name))) & 63)
}

// claim reports whether name is new among the open members of n, and keeps the index of n, which an
// object has from indexFrom members on.
func (p *parser) claim(n *Node, start int, name string) bool {
	open := p.members[start:]
	if n.more != nil {
		return p.claimIndexed(n.more.index, open, name)
	}
	for i := range open {
		if open[i].Name == name {
			return false
		}
	}
	if len(open)+1 < indexFrom {
		return true
	}
	index := n.addIndex()
	for i := range open {
		p.claimIndexed(index, open[:i], open[i].Name)
	}
	return p.claimIndexed(index, open, name)
}

// claimIndexed is claim for an object with an index.
func (p *parser) claimIndexed(index *Names, open []Member, name string) bool {
	return index.Put(name, int32(len(open)), func(i int32) string { return open[i].Name }) < 0
}

func (p *parser) array(begin, depth int) (*Node, int) {
	if depth > p.maxDepth {
		p.err = &DepthError{begin, p.maxDepth}
		return nil, begin
	}
	n := p.node(begin)
	n.Kind, n.traits = Array, literal
	at := begin + 1
	c := p.peek(at)
	if c <= ' ' {
		at, c = p.afterBlanks(at)
	}
	if c == ']' {
		n.Text = p.written(begin, at+1)
		return n, at + 1
	}
	for start := len(p.items); ; {
		v, end := p.value(at, depth)
		if v == nil {
			return nil, end
		}
		n.traits &= v.traits
		p.items = append(p.items, v)
		if c = p.peek(end); c <= ' ' {
			end, c = p.afterBlanks(end)
		}
		at = end + 1
		if c == ']' {
			n.more, n.Text = p.closeItems(at, start), p.written(begin, at)
			return n, at
		}
		if c != ',' {
			return p.fail(end, "',' or ']' was expected")
		}
	}
}

func (p *parser) number(start int) (*Node, int) {
	text, at := p.text, start
	if text[at] == '-' {
		at++
	}
	end := digits(text, at)
	if end == at {
		return p.fail(at, "a digit was expected")
	}
	if text[at] == '0' {
		end = at + 1
	}
	if p.peek(end) == '.' {
		at = end + 1
		if end = digits(text, at); end == at {
			return p.fail(at, "a digit was expected after the point")
		}
	}
	if c := p.peek(end); c == 'e' || c == 'E' {
		at = end + 1
		if c = p.peek(at); c == '+' || c == '-' {
			at++
		}
		if end = digits(text, at); end == at {
			return p.fail(at, "a digit was expected in the exponent")
		}
	}
	n := p.node(start)
	n.Kind, n.Text, n.traits = Number, text[start:end], literal
	return n, end
}

// digits returns where the run of digits ends that begins at a place.
func digits(text string, at int) int {
	for at < len(text) && text[at]-'0' <= 9 {
		at++
	}
	return at
}
