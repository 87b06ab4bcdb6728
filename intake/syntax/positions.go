package syntax

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/livery/renderer/jsontree"
)

// Positions has the position in a JSON text of each member of its objects and each item of its arrays. It may be read
// concurrently.
type Positions struct {
	text    string
	offsets map[string]int // pointer -> offset of the member's name, or of the item, in bytes
}

// Locate finds the places of a text that jsontree parses; of another text it finds those up to what is
// wrong. It takes time linear in the text.
func Locate(text string) *Positions {
	l := locator{Positions: &Positions{text: text, offsets: map[string]int{}}}
	l.value()
	return l.Positions
}

// Line returns the line of what a pointer leads to, or of the nearest that holds it. Lines count from 1.
func (p *Positions) Line(pointer string) int {
	for {
		if offset, ok := p.offsets[pointer]; ok {
			return 1 + strings.Count(p.text[:offset], "\n")
		}
		cut := strings.LastIndexByte(pointer, '/')
		if cut < 0 {
			return 1
		}
		pointer = pointer[:cut]
	}
}

// Column returns the column of the member or item that a pointer leads to, in characters from 1; 0 if there
// is none.
func (p *Positions) Column(pointer string) int {
	offset, ok := p.offsets[pointer]
	if !ok {
		return 0
	}
	return 1 + utf8.RuneCountInString(p.text[strings.LastIndexByte(p.text[:offset], '\n')+1:offset])
}

// locator walks through a text.
type locator struct {
	*Positions
	at    int
	depth int
	path  []byte       // the pointer to the value at hand
	twice []overridden // if last
	last  bool         // the last of several members of one name counts
}

func (l *locator) space() {
	for l.at < len(l.text) && strings.IndexByte(" \t\r\n", l.text[l.at]) >= 0 {
		l.at++
	}
}

// take skips c and reports whether it stood there.
func (l *locator) take(c byte) bool {
	l.space()
	if l.at < len(l.text) && l.text[l.at] == c {
		l.at++
		return true
	}
	return false
}

// value skips one value. What nests deeper than jsontree parses ends the text.
func (l *locator) value() {
	l.depth++
	defer func() { l.depth-- }()
	l.space()
	switch {
	case l.at >= len(l.text):
	case l.depth > jsontree.MaxDepth+1:
		l.at = len(l.text)
	case l.text[l.at] == '{':
		l.object()
	case l.text[l.at] == '[':
		l.array()
	case l.text[l.at] == '"':
		l.string()
	default:
		for l.at < len(l.text) && strings.IndexByte(",]} \t\r\n", l.text[l.at]) < 0 {
			l.at++
		}
	}
}

func (l *locator) object() {
	l.at++
	var seen map[string]overridden
	if l.last {
		seen = map[string]overridden{}
	}
	for !l.take('}') && l.at < len(l.text) {
		start := l.at
		name, ok := l.name()
		if !ok || !l.take(':') {
			l.at = len(l.text)
			return
		}
		above := len(l.path)
		l.path = append(l.path, jsontree.Pointer{name}.String()...)
		l.offsets[string(l.path)] = start
		if before, ok := seen[name]; ok {
			for i := before.first; i < before.last; i++ {
				l.twice[i].isInside = true
			}
			l.twice = append(l.twice, before)
		}
		colon, first := l.at, len(l.twice)
		l.value()
		if delete(seen, name); l.take(',') && l.last {
			seen[name] = overridden{pointer: string(l.path), offset: start, value: colon, end: l.at, first: first, last: len(l.twice)}
		}
		l.path = l.path[:above]
	}
}

// array skips an array. Its items have the place at which they begin.
func (l *locator) array() {
	l.at++
	above := len(l.path)
	for i := 0; !l.take(']') && l.at < len(l.text); i++ {
		start := l.at
		l.path = strconv.AppendInt(append(l.path, '/'), int64(i), 10)
		l.offsets[string(l.path)] = start
		l.value()
		l.path = l.path[:above]
		if l.at == start {
			l.at = len(l.text)
		}
		l.take(',')
	}
}

// string skips a string and returns it with its quotes.
func (l *locator) string() string {
	start := l.at
	for l.at++; l.at < len(l.text) && l.text[l.at] != '"'; l.at++ {
		if l.text[l.at] == '\\' {
			l.at++
		}
	}
	l.at = min(l.at+1, len(l.text))
	return l.text[start:l.at]
}

func (l *locator) name() (string, bool) {
	if l.at >= len(l.text) || l.text[l.at] != '"' {
		return "", false
	}
	n, err := jsontree.Parse(l.string())
	if err != nil {
		return "", false
	}
	return n.Text, true
}
