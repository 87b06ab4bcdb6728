package dtcg

import (
	"strings"

	"example.com/livery/renderer/jsontree"
)

// maxPathBytes bounds the paths of all tokens together, and those of all groups. A long name high in
// the tree is repeated in every path below it, so a document within its size limit could else ask for gigabytes.
const maxPathBytes = 16 << 20

// rootName is the one name with a dollar sign that a token can have.
const rootName = "$root"

// IsToken reports whether n is a token: an object with $value.
func IsToken(n *jsontree.Node) bool { return n.IsObject() && n.IndexOf("$value") >= 0 }

// IsMetadata reports whether a member called name is metadata ($type, $description, …) and thus
// neither a token nor a group.
func IsMetadata(name string) bool { return strings.HasPrefix(name, "$") && name != rootName }

// lister walks the tree once. Paths are written into one text and cut from it at the end.
type lister struct {
	d     *Document
	paths strings.Builder
	ends  []int    // of the path of each token in paths
	stack []string // the names from the root to the group at hand
	names []string // the segments of all tokens so far

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
	var e extent
	e.add(d.Root, 1, 0)
	d.Tokens = make([]Token, 0, e.tokens)
	l := lister{d: d, ends: make([]int, 0, e.tokens), names: make([]string, 0, e.names)}
	l.paths.Grow(min(e.pathBytes, maxPathBytes))
	l.group(d.Root, 0, "")
	paths, start := l.paths.String(), 0
	d.byPath = make(map[string]int32, len(d.Tokens))
	for i := range d.Tokens {
		d.Tokens[i].Path = paths[start:l.ends[i]]
		d.byPath[d.Tokens[i].Path] = int32(i)
		start = l.ends[i]
	}
}

// extent is how many tokens are listed, with the names and the bytes of their paths.
type extent struct{ tokens, names, pathBytes int }

// add counts the tokens below a group. depth is the number of names in their paths, and the group's own path
// takes pathBytes with its last dot.
func (e *extent) add(group *jsontree.Node, depth, pathBytes int) {
	for i := range group.Members {
		m := &group.Members[i]
		switch {
		case e.pathBytes > maxPathBytes:
			return // no more are listed
		case !m.Value.IsObject() || IsMetadata(m.Name):
		case IsToken(m.Value):
			e.tokens++
			e.names += depth
			e.pathBytes += pathBytes + len(m.Name)
		default:
			e.add(m.Value, depth+1, pathBytes+len(m.Name)+len("."))
		}
	}
}

// group lists what is below n, whose dotted path is stack and takes pathBytes.
func (l *lister) group(n *jsontree.Node, pathBytes int, inherited string) {
	own := text(n.Find("$type"))
	if own != "" {
		inherited = own
	}
	if hasMetadata(n, len(l.stack) == 0) && l.affords(&l.groupBytes, pathBytes) {
		l.d.Groups = append(l.d.Groups, Group{strings.Join(l.stack, "."), own, n.Find("$description"), n})
	}
	for _, m := range n.Members {
		if !m.Value.IsObject() || IsMetadata(m.Name) {
			continue
		}
		l.stack = append(l.stack, m.Name)
		below := pathBytes + len(m.Name)
		if len(l.stack) > 1 {
			below++
		}
		if at := m.Value.IndexOf("$value"); at >= 0 {
			l.token(m.Value, m.Value.Members[at].Value, below, inherited)
		} else {
			l.group(m.Value, below, inherited)
		}
		l.stack = l.stack[:len(l.stack)-1]
	}
}

func (l *lister) token(n, value *jsontree.Node, pathBytes int, inherited string) {
	if !l.affords(&l.tokenBytes, pathBytes) {
		return
	}
	for i, name := range l.stack {
		if i > 0 {
			l.paths.WriteByte('.')
		}
		l.paths.WriteString(name)
	}
	l.ends = append(l.ends, l.paths.Len())
	l.d.Tokens = append(l.d.Tokens, Token{
		Segments:    l.segments(),
		Node:        n,
		Value:       value,
		Type:        text(n.Find("$type")),
		HasChildren: hasChildren(n),
		inherited:   inherited,
	})
}

// segments copies the stack into memory that all tokens share.
func (l *lister) segments() []string {
	start := len(l.names)
	l.names = append(l.names, l.stack...)
	return l.names[start:len(l.names):len(l.names)]
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

func hasChildren(n *jsontree.Node) bool {
	for _, m := range n.Members {
		if !strings.HasPrefix(m.Name, "$") || m.Name == rootName {
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
