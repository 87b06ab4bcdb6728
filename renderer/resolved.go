package renderer

import (
	"strings"

	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// isReference reports whether a member is one whose meaning is never applied. The resolved file
// leaves it out, or the tools that read it would add tokens that the other files do not have.
func isReference(name string) bool { return name == "$ref" || name == "$extends" }

// resolved writes a group with its metadata and the tokens below it that can be served.
func (w *walker) resolved(dst []byte, group *jsontree.Node) []byte {
	start := len(dst)
	dst = append(dst, '{')
	for _, m := range group.Members {
		if m.Name == "$value" || isReference(m.Name) {
			continue
		}
		before := len(dst)
		if dtcg.IsMetadata(m.Name) {
			dst = w.keepMember(jsontree.Append(separate(dst, start, m.Name), m.Value), before)
			continue
		}
		if !m.Value.IsObject() {
			continue
		}
		dst = separate(dst, start, m.Name)
		inner := len(dst)
		switch {
		case w.isToken(m.Value):
			dst = w.keep(w.resolvedToken(dst), before, inner)
		case w.tooLong(dst):
			dst = w.keepMember(w.resolved(dst, m.Value), before)
		default:
			if dst = w.resolved(dst, m.Value); len(dst) == inner+len("{}") && m.Value.IndexOf("$ref") >= 0 {
				dst = dst[:before]
			}
		}
	}
	return append(dst, '}')
}

// resolvedToken writes the next token, or nothing.
func (w *walker) resolvedToken(dst []byte) []byte {
	i := w.token(len(dst))
	if i < 0 || !w.set.served[i] {
		return dst
	}
	same := w.written(dst, i)
	dst, from, to := appendResolved(dst, &w.set.doc.Tokens[i], same)
	if same == nil {
		w.wrote(i, from, to)
	}
	return dst
}

// appendResolved writes a token with its type and its value without aliases, whose text is served unless
// that is nil. It returns where the value is.
func appendResolved(dst []byte, t *dtcg.Token, served []byte) (out []byte, from, to int) {
	start := len(dst)
	dst = append(dst, '{')
	for _, m := range t.Node.Members {
		switch {
		case !strings.HasPrefix(m.Name, "$") || m.Name == "$root" || isReference(m.Name):
			continue
		case m.Name == "$type" && t.Type == "":
			continue // not a string, and none to say so
		case m.Name == "$value":
			if t.Type == "" && t.Resolved != "" {
				dst = jsontree.AppendString(separate(dst, start, "$type"), t.Resolved)
			}
			dst = separate(dst, start, m.Name)
			from = len(dst)
			if served != nil {
				dst = append(dst, served...)
			} else {
				dst = jsontree.Append(dst, t.Served)
			}
			to = len(dst)
			continue
		}
		dst = jsontree.Append(separate(dst, start, m.Name), m.Value)
	}
	return append(dst, '}'), from, to
}

// flat writes every served value under its dotted path: the shape of a Variant's own map.
func (w *walker) flat(dst []byte) []byte {
	s, start := w.set, len(dst)
	dst = append(dst, '{')
	for w.next < len(s.doc.Tokens) {
		before := len(dst)
		i := w.token(before)
		if t := &s.doc.Tokens[i]; s.served[i] && s.doc.Names(t) {
			dst = w.keep(w.flatValue(separate(dst, start, t.Path), i), before, -1)
		}
	}
	return append(dst, '}')
}

// flatValue writes the value of token i without aliases.
func (w *walker) flatValue(dst []byte, i int) []byte {
	if same := w.written(dst, i); same != nil {
		return append(dst, same...)
	}
	start := len(dst)
	dst = jsontree.Append(dst, w.set.doc.Tokens[i].Served)
	w.wrote(i, start, len(dst))
	return dst
}
