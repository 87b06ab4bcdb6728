package dtcg

import (
	"slices"
	"strings"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

// maxPathBytes bounds the paths of all tokens together, and those of all groups. A long name high in
// the tree is repeated in every path below it, so a document within its size limit could else ask for gigabytes.
const maxPathBytes = 16 << 20

// rootName is the one name with a dollar sign that a token can have.
const rootName = "$root"

// IsToken reports whether n is a token: an object with $value.
func IsToken(n *jsontree.Node) bool { return n.IsObject() && valueAt(n) >= 0 }

// few is how many members of an object are looked at in turn rather than looked up.
const few = 8

// valueAt returns the place of $value among the members of an object, or -1 if it is not a token.
func valueAt(n *jsontree.Node) int {
	if len(n.Members) > few {
		return n.IndexOf("$value")
	}
	for i := range n.Members {
		if n.Members[i].Name == "$value" {
			return i
		}
	}
	return -1
}

// IsMetadata reports whether a member called name is metadata ($type, $description, …) and thus
// neither a token nor a group.
func IsMetadata(name string) bool { return strings.HasPrefix(name, "$") && name != rootName }

// lister walks the tree once.
type lister struct {
	d     *Document
	paths textSlab
	stack []string // the names from the root to the group at hand
	plain bool     // none of them needs an escape in JSON
	named bool     // all of them are parts of a custom property's name
	stem  []byte   // these names with a dot after each: what the paths below the group begin with
	dots  int      // how many of them have a full stop

	tokenBytes, groupBytes int // of the paths so far
}

// affords takes bytes for one more path and reports whether that keeps within maxPathBytes. After
// the first path that does not, nothing more is listed.
func (l *lister) affords(total *int, bytes int) bool {
	if l.d.tooLong || *total+bytes > maxPathBytes {
		l.d.tooLong = true
		return false
	}
	*total += bytes
	return true
}

// list fills Tokens, Groups and byPath from Root.
func (d *Document) list() {
	if !d.Root.IsObject() {
		return
	}
	d.Tokens = make([]Token, 0, d.Root.Values())
	l := lister{d: d, plain: true, named: true}
	l.group(d.Root, "")
	d.byPath.Grow(len(d.Tokens))
	for i := range d.Tokens {
		d.byPath.Put(d.Tokens[i].Path, int32(i), d.pathAt)
	}
}

// group lists what is below n, which stands at stack.
func (l *lister) group(n *jsontree.Node, inherited string) {
	own := text(n.Find("$type"))
	if len(own) > maxTypeBytes {
		inherited = ""
	} else if own != "" {
		inherited = own
	}
	path := max(len(l.stem)-len("."), 0)
	if hasMetadata(n, len(l.stack) == 0) && l.affords(&l.groupBytes, path) {
		l.d.Groups = append(l.d.Groups, Group{string(l.stem[:path]), own, n.Find("$description"), n})
	}
	names, stem, plain, named, dots := len(l.stack), len(l.stem), l.plain, l.named, l.dots
	l.plain = plain && n.HasPlainNames()
	for i := range n.Members {
		m := &n.Members[i]
		if !m.Value.IsObject() || IsMetadata(m.Name) {
			continue
		}
		if at := valueAt(m.Value); at >= 0 {
			l.token(m, at, inherited)
			continue
		}
		l.stack = append(l.stack, m.Name)
		l.stem = append(append(l.stem[:stem], m.Name...), '.')
		if !css.IsNamePart(m.Name) {
			l.named = false
			l.dots += strings.Count(m.Name, ".")
		}
		l.group(m.Value, inherited)
		l.stack, l.stem, l.named, l.dots = l.stack[:names], l.stem[:stem], named, dots
	}
	l.plain = plain
}

// token lists m, whose member at a place is its $value.
func (l *lister) token(m *jsontree.Member, at int, inherited string) {
	n, name := m.Value, m.Name
	if !l.affords(&l.tokenBytes, len(l.stem)+len(name)) {
		return
	}
	count := len(l.d.Tokens)
	rest := cap(l.d.Tokens) - count
	l.d.Tokens = slices.Grow(l.d.Tokens, 1)[:count+1]
	t := &l.d.Tokens[count]
	if t.Path = name; len(l.stem) > 0 {
		t.Path = l.paths.cut(l.stem, name, rest)
	}
	t.Node, t.Value, t.Resolved, t.PlainPath = n, n.Members[at].Value, inherited, l.plain
	t.NamePath = l.named && css.IsNamePart(name)
	if !t.NamePath && l.dots+strings.Count(name, ".") > 0 {
		names := append(slices.Clone(l.stack), name)
		names = slices.Clip(names) // a caller may append to it
		t.names = &names
	}
	if len(n.Members) == 1 {
		return
	}
	for i := range n.Members {
		switch m := &n.Members[i]; m.Name {
		case "$value":
		case "$type":
			if own := text(m.Value); own != "" {
				t.Resolved, t.Typed = own, true
			} else {
				t.HasUnused = true
			}
		case "$ref", "$extends":
			t.HasUnused = true
		default:
			t.HasChildren = t.HasChildren || !IsMetadata(m.Name)
		}
	}
}

// hasMetadata reports whether a group has something of its own to say. $ref says nothing here, as
// it is never applied, and the $schema of the root is about the file.
func hasMetadata(n *jsontree.Node, root bool) bool {
	for _, m := range n.Members {
		if IsMetadata(m.Name) && m.Name != "$ref" && !(root && (m.Name == "$schema" || m.Name == "$value")) {
			return true
		}
	}
	return false
}

// text returns the text of a String node, and nothing for any other.
func text(n *jsontree.Node) string {
	if n.IsString() {
		return n.Text
	}
	return ""
}
