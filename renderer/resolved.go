package renderer

import (
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
	for i := range group.Members {
		m := &group.Members[i]
		if m.Name == "$value" || isReference(m.Name) {
			continue
		}
		before := len(dst)
		if dtcg.IsMetadata(m.Name) {
			dst = w.keepMember(jsontree.Append(group.AppendName(separate(dst, start), i), m.Value), before)
			continue
		}
		if !m.Value.IsObject() {
			continue
		}
		dst = group.AppendName(separate(dst, start), i)
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
	return appendResolved(dst, &w.set.doc.Tokens[i], func(dst []byte, _ *dtcg.Token) []byte { return w.once(dst, i, appendServed) })
}

// appendServed writes the value of a token without aliases.
func appendServed(dst []byte, t *dtcg.Token) []byte { return jsontree.Append(dst, t.Served) }

// appendResolved writes a token with its type, and its value as served writes it.
func appendResolved(dst []byte, t *dtcg.Token, served func(dst []byte, t *dtcg.Token) []byte) []byte {
	if t.Node.Text != "" && isResolved(t) {
		return append(dst, t.Node.Text...)
	}
	start := len(dst)
	dst = append(dst, '{')
	for i := range t.Node.Members {
		m := &t.Node.Members[i]
		switch {
		case !dtcg.IsMetadata(m.Name) || isReference(m.Name):
			continue
		case m.Name == "$type" && t.Type == "":
			continue // not a string, and none to say so
		case m.Name == "$value":
			if t.Type == "" && t.Resolved != "" {
				dst = append(separate(dst, start), `"$type":`...)
				dst = jsontree.AppendString(dst, t.Resolved)
			}
			dst = served(t.Node.AppendName(separate(dst, start), i), t)
			continue
		}
		dst = jsontree.Append(t.Node.AppendName(separate(dst, start), i), m.Value)
	}
	return append(dst, '}')
}

// isResolved reports whether a token is resolved as it is stored.
func isResolved(t *dtcg.Token) bool {
	if t.Overridden || t.HasChildren || t.Served != t.Value || t.Type != t.Resolved {
		return false
	}
	for i := range t.Node.Members {
		if m := &t.Node.Members[i]; isReference(m.Name) || m.Name == "$type" && t.Type == "" {
			return false
		}
	}
	return true
}

// flat writes every served value under its dotted path: the shape of a Variant's own map.
func (w *walker) flat(dst []byte) []byte {
	s, start := w.set, len(dst)
	dst = append(dst, '{')
	for w.next < len(s.doc.Tokens) {
		before := len(dst)
		i := w.token(before)
		if t := &s.doc.Tokens[i]; s.served[i] && s.doc.Names(t) {
			dst = append(jsontree.AppendString(separate(dst, start), t.Path), ':')
			dst = w.keep(w.once(dst, i, appendServed), before, -1)
		}
	}
	return append(dst, '}')
}
