package jsontree

import "strings"

// Pointer is a parsed JSON Pointer (RFC 6901): its reference tokens, unescaped. The empty
// Pointer names the whole document.
type Pointer []string

// ParsePointer reads a JSON Pointer; ok is false if it does not begin with "/" or holds a "~"
// that neither "0" nor "1" follows.
func ParsePointer(s string) (p Pointer, ok bool) {
	if s == "" {
		return nil, true
	}
	if s[0] != '/' {
		return nil, false
	}
	for part := range strings.SplitSeq(s[1:], "/") {
		name, ok := unescape(part)
		if !ok {
			return nil, false
		}
		p = append(p, name)
	}
	return p, true
}

func unescape(s string) (string, bool) {
	if strings.IndexByte(s, '~') < 0 {
		return s, true
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '~' {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch {
		case i < len(s) && s[i] == '0':
			b.WriteByte('~')
		case i < len(s) && s[i] == '1':
			b.WriteByte('/')
		default:
			return "", false
		}
	}
	return b.String(), true
}

// String spells the pointer with "~" as "~0" and "/" as "~1".
func (p Pointer) String() string {
	var b strings.Builder
	for _, name := range p {
		b.WriteByte('/')
		for i := range len(name) {
			switch name[i] {
			case '~':
				b.WriteString("~0")
			case '/':
				b.WriteString("~1")
			default:
				b.WriteByte(name[i])
			}
		}
	}
	return b.String()
}

// ArrayIndex reads a reference token as an array position: digits without a leading zero.
func ArrayIndex(token string) (int, bool) {
	if token == "" || len(token) > 9 || token[0] == '0' && len(token) > 1 {
		return 0, false
	}
	n := 0
	for i := range len(token) {
		if token[i] < '0' || token[i] > '9' {
			return 0, false
		}
		n = n*10 + int(token[i]-'0')
	}
	return n, true
}

// Lookup returns the value that p names in n, or nil if there is none.
func (n *Node) Lookup(p Pointer) *Node {
	for _, name := range p {
		switch {
		case n == nil:
			return nil
		case n.Kind == Object:
			n = n.Find(name)
		case n.Kind == Array:
			i, ok := ArrayIndex(name)
			if !ok || i >= len(n.Items()) {
				return nil
			}
			n = n.Items()[i]
		default:
			return nil
		}
	}
	return n
}
