package renderer

import (
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// walker writes one of the nested files. It meets the tokens in the order in which they are listed.
type walker struct {
	set    *Set
	next   int   // the position of the token that comes next
	starts []int // nil, or by token: where its text begins
}

// whole writes the root by one of the methods below.
func (w *walker) whole(dst []byte, write func(dst []byte, group *jsontree.Node) []byte) []byte {
	if !w.set.doc.Root.IsObject() {
		return append(dst, "{}"...)
	}
	return write(dst, w.set.doc.Root)
}

// token returns the position of the token at hand, whose text begins at start, or -1 where it is
// not listed.
func (w *walker) token(start int) int {
	if w.next >= len(w.set.doc.Tokens) {
		return -1
	}
	if w.starts != nil {
		w.starts[w.next] = start
	}
	w.next++
	return w.next - 1
}

// separate begins a member of the object that opened at start.
func separate(dst []byte, start int, name string) []byte {
	if len(dst) > start+1 {
		dst = append(dst, ',')
	}
	dst = jsontree.AppendString(dst, name)
	return append(dst, ':')
}

// values writes the primitives below a group; a group in which nothing is left is left out itself.
func (w *walker) values(dst []byte, group *jsontree.Node) []byte {
	start := len(dst)
	dst = append(dst, '{')
	for _, m := range group.Members {
		if !m.Value.IsObject() || dtcg.IsMetadata(m.Name) {
			continue
		}
		before := len(dst)
		dst = separate(dst, start, m.Name)
		inner := len(dst)
		if dtcg.IsToken(m.Value) {
			dst = w.value(dst)
		} else if dst = w.values(dst, m.Value); len(dst) == inner+len("{}") {
			dst = dst[:inner]
		}
		if len(dst) == inner {
			dst = dst[:before]
		}
	}
	return append(dst, '}')
}

// value writes the primitive of the next token, or nothing.
func (w *walker) value(dst []byte) []byte {
	i := w.token(len(dst))
	if i < 0 || !w.set.served[i] {
		return dst
	}
	t := &w.set.doc.Tokens[i]
	k, _ := dtcg.KindOf(t.Resolved)
	dst, _ = css.AppendPrimitive(dst, k, t.Served)
	return dst
}

// stored writes a group as it is stored, but for the values that the Variant overrides.
func (w *walker) stored(dst []byte, group *jsontree.Node) []byte {
	start := len(dst)
	dst = append(dst, '{')
	for _, m := range group.Members {
		dst = separate(dst, start, m.Name)
		switch {
		case !m.Value.IsObject() || dtcg.IsMetadata(m.Name):
			dst = jsontree.Append(dst, m.Value)
		case dtcg.IsToken(m.Value):
			dst = w.storedToken(dst, m.Value)
		default:
			dst = w.stored(dst, m.Value)
		}
	}
	return append(dst, '}')
}

func (w *walker) storedToken(dst []byte, token *jsontree.Node) []byte {
	i := w.token(len(dst))
	if i < 0 || !w.set.doc.Tokens[i].Overridden {
		return jsontree.Append(dst, token)
	}
	start := len(dst)
	dst = append(dst, '{')
	for _, m := range token.Members {
		dst = separate(dst, start, m.Name)
		if m.Name == "$value" {
			m.Value = w.set.doc.Tokens[i].Value
		}
		dst = jsontree.Append(dst, m.Value)
	}
	return append(dst, '}')
}
