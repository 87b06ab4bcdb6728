package syntax

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/livery/renderer/jsontree"
)

// parseJSON reads JSON, or else JSON5 (json5.org).
func parseJSON(text string) (*File, error) {
	if root, err := jsontree.Parse(text); err == nil {
		return &File{root, JSON, nil, func() *Positions {
			_, r := readJSON(text)
			return r.positions()
		}}, nil
	}
	root, r := readJSON(text)
	if r.err != nil {
		return nil, r.err
	}
	return &File{root, r.syntax, r.duplicates, r.positions}, nil
}

// jsonReader reads JSON5 with the places of its members. Of several members of one name the last counts.
type jsonReader struct {
	members
	at      int
	pointer []byte // to the value that is read
	syntax  Syntax // JSON until something is read that only JSON5 has
	err     *Error // the first
}

func (r *jsonReader) fail(at int, what string) *jsontree.Node {
	if r.err == nil {
		r.err = &Error{at, what, r.syntax}
	}
	return nil
}

func readJSON(text string) (*jsontree.Node, *jsonReader) {
	r := &jsonReader{members: newMembers(text)}
	root := r.value(1)
	if r.space(); r.at < len(r.text) {
		r.fail(r.at, "data after the value")
	}
	return root, r
}

// value reads a value; nil if it cannot be read.
func (r *jsonReader) value(depth int) *jsontree.Node {
	r.space()
	switch c := r.peek(); {
	case (c == '{' || c == '[') && depth > jsontree.MaxDepth:
		return r.fail(r.at, "it nests too deep")
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.array(depth)
	case c == '"' || c == '\'':
		return r.string()
	}
	return r.scalar()
}

func (r *jsonReader) object(depth int) *jsontree.Node {
	r.at++
	n, positions := jsontree.NewObject(), map[string]int{}
	for count, above := 0, len(r.pointer); r.next(count, '}'); count++ {
		start := r.at
		name := r.name()
		if r.err == nil && !r.take(':') {
			r.fail(r.at, "':' was expected")
		}
		r.pointer = append(r.pointer, jsontree.Pointer{name}.String()...)
		if i, isTwice := positions[name]; isTwice {
			r.override(string(r.pointer), n.Members[i].Value)
			n.Members[i].Value = nil
		}
		positions[name], r.offsets[string(r.pointer)] = len(n.Members), start
		n.Members = append(n.Members, jsontree.Member{Name: name, Value: r.value(depth + 1)})
		r.pointer = r.pointer[:above]
	}
	if len(positions) < len(n.Members) {
		counted := n.Members[:0]
		for _, m := range n.Members {
			if m.Value != nil {
				counted = append(counted, m)
			}
		}
		n.Members = counted
	}
	n.Index()
	return n
}

func (r *jsonReader) array(depth int) *jsontree.Node {
	r.at++
	n := jsontree.NewArray()
	for i, above := 0, len(r.pointer); r.next(i, ']'); i++ {
		r.pointer = strconv.AppendInt(append(r.pointer, '/'), int64(i), 10)
		r.offsets[string(r.pointer)] = r.at
		n.AddItem(r.value(depth + 1))
		r.pointer = r.pointer[:above]
	}
	return n
}

// next skips what stands before a member or item, of which count were read, and reports whether one comes. It skips the closing bracket.
func (r *jsonReader) next(count int, closing byte) bool {
	isAfterComma := r.err == nil && count > 0 && r.take(',')
	switch {
	case r.err != nil:
		return false
	case r.take(closing):
		if isAfterComma {
			r.syntax = JSON5
		}
		return false
	case count > 0 && !isAfterComma:
		r.fail(r.at, "',' or '"+string(rune(closing))+"' was expected")
		return false
	}
	return true
}

// take skips blanks, and then c if it comes.
func (r *jsonReader) take(c byte) bool {
	r.space()
	if r.peek() != c {
		return false
	}
	r.at++
	return true
}

// peek returns the next byte, 0 at the end.
func (r *jsonReader) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// spaces is the white space that JSON5 has and JSON does not.
const spaces = "\v\f\u00a0\ufeff\u2028\u2029"

// space skips white space and comments.
func (r *jsonReader) space() {
	for r.at < len(r.text) {
		rest, size := r.text[r.at:], 0
		switch char, bytes := utf8.DecodeRuneInString(rest); {
		case strings.ContainsRune(" \t\r\n", char):
			r.at++
			continue
		case strings.ContainsRune(spaces, char):
			size = bytes
		case strings.HasPrefix(rest, "//"):
			if size = strings.IndexAny(rest, "\n\r"); size < 0 {
				size = len(rest)
			}
		case strings.HasPrefix(rest, "/*"):
			_, behind, isClosed := strings.Cut(rest[len("/*"):], "*/")
			if !isClosed {
				return
			}
			size = len(rest) - len(behind)
		default:
			return
		}
		r.at, r.syntax = r.at+size, JSON5
	}
}

// name reads the name of a member.
func (r *jsonReader) name() string {
	if c := r.peek(); c == '"' || c == '\'' {
		if n := r.string(); n != nil {
			return n.Text
		}
		return ""
	}
	start := r.at
	word := r.word()
	if word == "" {
		r.fail(start, "a member name was expected")
		return ""
	}
	r.syntax = JSON5
	quoted := string(jsontree.Append(nil, jsontree.NewString(word)))
	if strings.Contains(word, `\u`) { // escapes as in a string
		quoted = `"` + word + `"`
	}
	if n := r.parse(start, quoted); n.IsString() {
		return n.Text
	}
	return ""
}

// word skips a name, a number or another word, which may be empty.
func (r *jsonReader) word() string {
	rest := r.text[r.at:]
	end := strings.IndexAny(rest, ",:{}[]\"'/ \t\r\n"+spaces)
	if end < 0 {
		end = len(rest)
	}
	r.at += end
	return rest[:end]
}

// scalar reads a number or a word. A number that JSON cannot say becomes a text, as in YAML.
func (r *jsonReader) scalar() *jsontree.Node {
	start := r.at
	word := r.word()
	if name := strings.TrimLeft(word, "+-"); name == "Infinity" || name == "NaN" {
		r.syntax = JSON5
		return jsontree.NewString(word)
	}
	if number := decimal(word); number != word {
		r.syntax, word = JSON5, number
	}
	return r.parse(start, word)
}

// parse returns the value of a word that was written as JSON.
func (r *jsonReader) parse(at int, word string) *jsontree.Node {
	n, err := jsontree.Parse(word)
	if e, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
		return r.fail(at+min(e.Offset, r.at-at), e.What)
	}
	return n
}

// string reads a string. One that does not end is not read as JSON either.
func (r *jsonReader) string() *jsontree.Node {
	start, quote, plain := r.at, r.text[r.at], []byte{'"'}
	for r.at++; r.at < len(r.text) && r.text[r.at] != quote; {
		switch c := r.text[r.at]; {
		case c == '\\' && r.at+1 < len(r.text):
			plain = r.escape(plain)
		case c == '"':
			plain = append(plain, '\\', '"')
			r.at++
		default:
			plain = append(plain, c)
			r.at++
		}
	}
	if r.at == len(r.text) {
		return r.parse(start, r.text[start:])
	}
	r.at++
	if plain = append(plain, '"'); string(plain) != r.text[start:r.at] {
		r.syntax = JSON5
	}
	return r.parse(start, string(plain))
}

// escape appends an escape as JSON has it, and skips it.
func (r *jsonReader) escape(plain []byte) []byte {
	rest := r.text[r.at+1:]
	r.at += len(`\n`)
	switch c := rest[0]; {
	case strings.IndexByte(`"\/bfnrtu`, c) >= 0:
		return append(plain, '\\', c)
	case c == 'x' && len(rest) > 2:
		r.at += 2
		return append(plain, `\u00`+rest[1:3]...)
	case c == 'v':
		return append(plain, `\u000b`...)
	case c == '0':
		return append(plain, `\u0000`...)
	case strings.HasPrefix(rest, "\r\n"):
		r.at++
		return plain
	case c == '\n' || c == '\r':
		return plain
	default:
		return append(plain, c)
	}
}

// decimal returns a number of JSON5 as JSON has it, and any other word as it is.
func decimal(word string) string {
	digits, sign := strings.TrimPrefix(word, "+"), ""
	if strings.HasPrefix(digits, "-") {
		digits, sign = digits[1:], "-"
	}
	if strings.HasPrefix(strings.ToLower(digits), "0x") {
		n, ok := new(big.Int).SetString(digits[2:], 16)
		if !ok || len(digits) > 34 {
			return word
		}
		return sign + n.String()
	}
	if digits == "" || strings.IndexByte("0123456789.", digits[0]) < 0 {
		return word
	}
	if digits[0] == '.' {
		digits = "0" + digits
	}
	digits = strings.TrimSuffix(strings.Replace(strings.Replace(digits, ".e", ".0e", 1), ".E", ".0E", 1), ".")
	if _, err := strconv.ParseFloat(digits, 64); err != nil {
		return word
	}
	return sign + digits
}
