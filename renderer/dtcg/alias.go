package dtcg

import (
	"strings"

	"example.com/livery/renderer/jsontree"
)

// refMissing stands in Token.refs for an alias that names no token.
const refMissing = -1

// wholeAlias reads a string that is one alias: "{a.b.c}".
func wholeAlias(s string) (path string, ok bool) {
	if len(s) < 3 || s[0] != '{' || s[len(s)-1] != '}' {
		return "", false
	}
	path = s[1 : len(s)-1]
	return path, !jsontree.HasBrace(path)
}

// refOf returns what a string that is one alias names. A path that is all names of properties is not searched for braces.
func (d *Document) refOf(s string) (ref int32, ok bool) {
	if len(s) < 3 || s[0] != '{' || s[len(s)-1] != '}' {
		return refMissing, false
	}
	path := s[1 : len(s)-1]
	if i := d.at(path); i >= 0 && d.Tokens[i].NamePath {
		return i, true
	}
	if jsontree.HasBrace(path) {
		return refMissing, false
	}
	return d.lookup(path), true
}

// isAlias reports whether a value is one alias and nothing else.
func isAlias(v *jsontree.Node) bool {
	_, ok := wholeAlias(text(v))
	return ok
}

// nextAlias finds the next alias in s at or after from: s[start:end] is it with its braces.
// Braces that hold no path ("x{ y: z }") are text.
func (d *Document) nextAlias(s string, from int) (start, end int, ok bool) {
	for {
		open := strings.IndexByte(s[from:], '{')
		if open < 0 {
			return 0, 0, false
		}
		start = from + open
		length := strings.IndexAny(s[start+1:], "{}")
		if length < 0 {
			return 0, 0, false
		}
		end = start + 1 + length
		if s[end] == '}' && d.namesSomething(s[start+1:end]) {
			return start, end + 1, true
		}
		from = end // an opening brace is looked at again, a closing one is passed over
	}
}

// namesSomething reports whether the text between two braces inside a longer string is an alias:
// it names a token or a group, or at least could.
func (d *Document) namesSomething(path string) bool {
	return looksLikePath(path) || d.lookup(path) >= 0 || d.isGroup(path)
}

// looksLikePath reports whether s is spelled like a dotted path of ordinary names, so that the
// alias is taken for misspelled rather than for text with braces.
func looksLikePath(s string) bool {
	if s == "" || s[0] == ' ' || s[len(s)-1] == ' ' {
		return false
	}
	for i := range len(s) {
		if s[i] < ' ' || strings.IndexByte(`:;"'\<>=!?,@`, s[i]) >= 0 {
			return false
		}
	}
	return true
}

// lookup returns the position of the token that the text of an alias names, or refMissing.
func (d *Document) lookup(path string) int32 {
	if i := d.at(path); i >= 0 {
		return i
	}
	if trimmed := trim(path); trimmed != path {
		return d.at(trimmed)
	}
	return refMissing
}

// trim cuts blanks and line ends off a path. What Unicode else calls space would bring its tables
// into the guest.
func trim(path string) string {
	for path != "" && isBlank(path[0]) {
		path = path[1:]
	}
	for path != "" && isBlank(path[len(path)-1]) {
		path = path[:len(path)-1]
	}
	return path
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// isGroup reports whether a dotted path leads to a group.
func (d *Document) isGroup(path string) bool {
	n := d.Root
	for name := range strings.SplitSeq(trim(path), ".") {
		if n = n.Find(name); !n.IsObject() || IsToken(n) || IsMetadata(name) {
			return false
		}
	}
	return true
}

// appendRefsOf is appendRefs for the whole value of a token, and reports whether that is one alias and nothing else.
func (d *Document) appendRefsOf(refs []int32, v *jsontree.Node) (all []int32, isAlias bool) {
	if v.IsLiteral() {
		return refs, false
	}
	if ref, ok := d.refOf(text(v)); ok {
		return append(refs, ref), true
	}
	return d.appendRefs(refs, v), false
}

// appendRefs appends what the aliases anywhere in v name, in the order they stand.
func (d *Document) appendRefs(refs []int32, v *jsontree.Node) []int32 {
	switch {
	case v == nil || v.IsLiteral():
	case v.Kind == jsontree.String:
		refs = d.appendStringRefs(refs, v.Text)
	case v.Kind == jsontree.Array:
		for _, item := range v.Items() {
			refs = d.appendRefs(refs, item)
		}
	case v.Kind == jsontree.Object:
		for i := range v.Members {
			refs = d.appendRefs(refs, v.Members[i].Value)
		}
	}
	return refs
}

func (d *Document) appendStringRefs(refs []int32, s string) []int32 {
	if ref, ok := d.refOf(s); ok {
		return append(refs, ref)
	}
	if strings.IndexByte(s, '{') < 0 {
		return refs
	}
	for from := 0; ; {
		start, end, ok := d.nextAlias(s, from)
		if !ok {
			return refs
		}
		refs = append(refs, d.lookup(s[start+1:end-1]))
		from = end
	}
}
