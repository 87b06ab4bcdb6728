package jsontree

import (
	"math/bits"
	"slices"
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
	p := parser{text: text, maxDepth: maxDepth, gap: -1}
	return p.whole()
}

// parser reads a text. Its methods take the place at which they begin and return the one at which they end. Those that
// return a node return nil if p.err says what is wrong.
type parser struct {
	text     string
	err      error
	maxDepth int
	traits   traits // of the last string
	seen     uint64 // how many names $value were seen, and strings with an opening brace times withBrace
	types    [8]typeNode

	// What Append writes of the text, which arrays and objects with blanks or unusual escapes keep their parts of.
	minified strings.Builder
	block    []byte // what comes behind it, up to from; nil before the first blanks
	from     int    // the end of what Append writes otherwise: the last blanks, the last unusual string
	gap      int    // a blank behind a colon that stands in block still, if it is not before from; -1: there was none
	shift    int    // from a place in the text to that in what Append writes
	limit    int    // before which afterBlanks need not look for room
	spans    []span // of which block has a part

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
	if end := blankEnd(p.text, at); end < len(p.text) {
		p.fail(end, "data after the value")
		return nil, p.err
	}
	if len(p.spans) > 0 {
		p.flush(at)
	}
	return n, nil
}

// span is the place of an array or an object in what Append writes.
type span struct {
	node     *Node
	from, to int
}

// The sizes of slabs, in nodes, members or items. What is left of a tree of a slab stays as long as the tree
// does, so a slab is at most as large as the rest of the text is likely to need, and what would waste more than an
// eighth of a slab gets an allocation of its own.
const (
	maxSlab  = 128
	maxShare = maxSlab / 8
	maxNodes = 8192 / nodeBytes // as many as the allocator's next size holds
	perNode  = 16               // bytes of text: 11 to 16 on the average in documents without blanks
	maxBlock = 4 << 10          // bytes of a block of what Append writes
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
// look at one byte before they call it. Most blanks are one space, or a line end and up to seven spaces of an indentation,
// and what stands between them is so short that a few words, which may overlap, are all of it.
func (p *parser) afterBlanks(at int) (int, byte) {
	text, block, from := p.text, p.block, p.from
	if at >= p.limit {
		return p.anyBlanks(at)
	}
	if text[at] != ' ' && text[at] != '\n' && !isBlank(text[at]) {
		return at, text[at]
	}
	end := at + 1 + bits.TrailingZeros64(word(text, at+1)^ones*' ')/8
	c := text[end]
	if c <= ' ' {
		end = blankEnd(text, end)
		c = p.peek(end)
	}
	to := from + p.shift - p.minified.Len()
	if gap := p.gap; gap >= from { // shift counts it already
		next := to + 1 + gap - from
		for to++; ; to += wordBytes {
			store64(block[to:to+wordBytes], word(text, from))
			if from += wordBytes; from >= gap {
				break
			}
		}
		from, to = gap+1, next
	}
	for ; from < at; from += wordBytes {
		store64(block[to:to+wordBytes], word(text, from))
		to += wordBytes
	}
	p.from = end
	p.shift += at - end
	return end, c
}

// anyBlanks is afterBlanks at any place. It is not inlined, so that afterBlanks stays short.
//
//go:noinline
func (p *parser) anyBlanks(at int) (int, byte) {
	if p.block == nil {
		p.block = make([]byte, min(maxBlock, len(p.text)))
	} else if p.minified.Cap()-p.minified.Len() < len(p.block) { // the rest may have fewer blanks than what was read
		rest := len(p.text) - p.from
		p.minified.Grow(min(rest, rest*(at+p.shift)/at*3/2) + len(p.block))
	}
	p.flush(at)
	end := blankEnd(p.text, at)
	p.resume(end)
	return end, p.peek(end)
}

// flush appends to minified what stands before a place, and gives the arrays and objects that end there their texts.
func (p *parser) flush(at int) {
	from, gap := p.from, p.gap
	if gap < from {
		p.minified.Write(p.block[:from+p.shift-p.minified.Len()])
	} else {
		p.minified.Write(p.block[:from+p.shift+1-p.minified.Len()])
		p.minified.WriteString(p.text[from:gap])
		from = gap + 1
	}
	p.minified.WriteString(p.text[from:at])
	p.from = at
	minified := p.minified.String()
	for _, s := range p.spans {
		s.node.Text = minified[s.from:s.to]
	}
	p.spans = p.spans[:0]
}

// replace has Append write other bytes for the string between two places.
func (p *parser) replace(at, end int, other []byte) {
	p.flush(at)
	p.minified.Write(other)
	p.resume(end)
}

// resume begins a block at a place, before which minified has all.
func (p *parser) resume(at int) {
	p.from, p.shift = at, p.minified.Len()-at
	p.limit = min(len(p.text), at+len(p.block)) - 2*wordBytes
}

// setText gives n, the array or object that begins and ends at two places, what Append writes of it. shift is that at its
// beginning.
func (p *parser) setText(n *Node, begin, shift, end int) {
	if p.from <= begin && p.gap < begin {
		n.Text = p.text[begin:end]
		return
	}
	p.spans = append(p.spans, span{n, begin + shift, end + p.shift})
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
		at, c = p.afterBlanks(at)
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
	at, shift := begin+1, p.shift
	c := p.peek(at)
	if c <= ' ' {
		at, c = p.afterBlanks(at)
	}
	if c == '}' {
		p.setText(n, begin, shift, at+1)
		return n, at + 1
	}
	text, start, marks, names, seen := p.text, len(p.members), uint64(0), plain, p.seen
	for count := 1; ; count++ {
		if c != '"' {
			return p.fail(at, "a member name was expected")
		}
		name, end, mark := "$value", at+len(`"$value"`), uint64(0)
		if end <= len(text) && word(text, at) == valueText { // as one member in three
			p.seen++
			mark = valueMark
		} else {
			if end = at; end+wordBytes < len(text) {
				end += 1 + bits.TrailingZeros64(notBare(word(text, at+1)))/8
			}
			if end > at && end < len(text) && text[end] == '"' {
				name, end = text[at+1:end], end+1
			} else {
				if name, end = p.string(at); end < 0 {
					return nil, at
				}
				names &= p.traits
			}
			mark = markOf(name)
		}
		if marks&mark != 0 || count >= indexFrom {
			if !p.claim(n, start, name) {
				return p.fail(at, "the member name "+strconv.Quote(name)+" stands twice in one object")
			}
		}
		marks |= mark
		if c = p.peek(end); c != ':' {
			if end, c = p.afterBlanks(end); c != ':' {
				return p.fail(end, "':' was expected")
			}
		}
		if end++; p.peek(end) == ' ' && p.gap < p.from { // most texts that are not minified have one there
			p.gap = end
			p.shift--
			end++
		}
		var v *Node
		if name == "$type" {
			v, end = p.typeValue(end, depth)
		} else {
			v, end = p.value(end, depth)
		}
		if v == nil {
			return nil, end
		}
		p.members = append(p.members, Member{name, v})
		if c = p.peek(end); c <= ' ' {
			end, c = p.afterBlanks(end)
		}
		at = end + 1
		if c == '}' {
			p.setText(n, begin, shift, at)
			n.Members, n.traits = p.closeMembers(at, start), names
			n.values = uint32(p.seen - seen)
			if p.seen-seen < withBrace {
				n.traits |= literal
			}
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

// valueMark is the mark of the name $value.
const valueMark = 1 << ((7*'$' + 'e' + 3*6) & 63)

// withBrace is what a string with an opening brace adds to what was seen.
const withBrace = 1 << 32

// typeNode is a value of $type with its text, quotes included.
type typeNode struct {
	node *Node
	text string
}

// typeValue is value for a $type. Types repeat, and those that are equal are mostly one node.
func (p *parser) typeValue(at, depth int) (*Node, int) {
	if at+8 > len(p.text) {
		return p.value(at, depth)
	}
	known := &p.types[word(p.text, at)*0x9E3779B97F4A7C15>>61]
	if known.node != nil && strings.HasPrefix(p.text[at:], known.text) {
		return known.node, at + len(known.text)
	}
	v, end := p.value(at, depth)
	if v != nil && v.traits == plain|literal && p.text[at] == '"' {
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
	if cap(p.members)-len(p.members) < maxShare { // append would grow a long slice by a quarter
		p.members = slices.Grow(p.members, max(maxShare, len(p.members)))
	}
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
	at, shift, seen := begin+1, p.shift, p.seen
	c := p.peek(at)
	if c <= ' ' {
		at, c = p.afterBlanks(at)
	}
	if c == ']' {
		p.setText(n, begin, shift, at+1)
		return n, at + 1
	}
	for start := len(p.items); ; {
		v, end := p.value(at, depth)
		if v == nil {
			return nil, end
		}
		p.items = append(p.items, v)
		if c = p.peek(end); c <= ' ' {
			end, c = p.afterBlanks(end)
		}
		at = end + 1
		if c == ']' {
			p.setText(n, begin, shift, at)
			n.more = p.closeItems(at, start)
			if p.seen-seen >= withBrace {
				n.traits = 0
			}
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
