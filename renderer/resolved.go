package renderer

import (
	"example.com/livery/renderer/css"
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
		before, isNext := len(dst), w.isNext(m.Value)
		if !isNext && dtcg.IsMetadata(m.Name) {
			if m.Name != "$value" && !isReference(m.Name) {
				dst = w.keepMember(jsontree.Append(group.AppendName(separate(dst, start), i), m.Value), before)
			}
			continue
		}
		if !m.Value.IsObject() {
			continue
		}
		dst = group.AppendName(separate(dst, start), i)
		inner := len(dst)
		switch {
		case isNext || dtcg.IsToken(m.Value):
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
	if i < 0 || !w.set.places[i].served {
		return dst
	}
	t := &w.set.doc.Tokens[i]
	if t.Node.Text != "" && !w.set.places[i].rewritten && isResolved(t) {
		return append(dst, t.Node.Text...)
	}
	return w.appendResolved(dst, t)
}

// appendServed writes the value of token i without aliases.
func appendServed(dst []byte, s *Set, i int) []byte {
	if s.places[i].rewritten {
		return appendServedValue(dst, &s.doc.Tokens[i])
	}
	return jsontree.Append(dst, s.doc.Tokens[i].Served)
}

// appendServedValue writes the value of a token without aliases.
func appendServedValue(dst []byte, t *dtcg.Token) []byte {
	k, _ := dtcg.KindOf(t.Resolved)
	return css.AppendResolved(dst, k, t.Served)
}

// appendResolved writes a token with its type and its value without aliases. A zero walker has not written any value.
func (w *walker) appendResolved(dst []byte, t *dtcg.Token) []byte {
	if before, after, ok := aroundValue(t); ok {
		if !t.Typed && t.Resolved != "" {
			dst = append(jsontree.AppendString(append(dst, "{"+typeName...), t.Resolved), ","+valueName...)
		} else {
			dst = append(dst, before...)
		}
		if dst = w.appendServed(dst, t); after == "" {
			return append(dst, '}')
		}
		return append(dst, after...)
	}
	start := len(dst)
	dst = append(dst, '{')
	for i := range t.Node.Members {
		m := &t.Node.Members[i]
		switch {
		case !dtcg.IsMetadata(m.Name) || isReference(m.Name):
			continue
		case m.Name == "$type" && !t.Typed:
			continue // not a string, and none to say so
		case m.Name == "$value":
			if !t.Typed && t.Resolved != "" {
				dst = append(separate(dst, start), typeName...)
				dst = jsontree.AppendString(dst, t.Resolved)
			}
			dst = w.appendServed(t.Node.AppendName(separate(dst, start), i), t)
			continue
		}
		dst = jsontree.Append(t.Node.AppendName(separate(dst, start), i), m.Value)
	}
	return append(dst, '}')
}

const (
	typeName  = `"$type":`
	valueName = `"$value":`
)

// aroundValue returns what tokens.json has of a token before and after its value, if it has the type that its text has:
// parts of its text, if the value comes first or right after the type, as in most tokens, and the members all stay. Nothing
// comes after a value that is the last member but a brace.
func aroundValue(t *dtcg.Token) (before, after string, ok bool) {
	text, members := t.Node.Text, t.Node.Members
	if text == "" || t.HasChildren || t.HasUnused {
		return "", "", false
	}
	at := len("{" + valueName)
	if t.Typed && members[0].Name == "$type" {
		at += len(typeName) + jsontree.Length(members[0].Value) + len(",")
		members = members[1:]
	}
	if members[0].Name != "$value" {
		return "", "", false
	}
	if len(members) > 1 {
		after = text[at+jsontree.Length(members[0].Value):]
	}
	return text[:at], after, true
}

// appendServed writes the value of t, which was met last.
func (w *walker) appendServed(dst []byte, t *dtcg.Token) []byte {
	if w.set == nil {
		return appendServedValue(dst, t)
	}
	return w.once(dst, w.at, appendServed)
}

// isResolved reports whether a token is resolved as it is stored.
func isResolved(t *dtcg.Token) bool {
	return !t.Overridden && !t.HasChildren && !t.HasUnused && t.Served == t.Value &&
		(t.Typed || t.Resolved == "")
}

// flat writes every served value under its dotted path: the shape of a Variant's own map.
func (w *walker) flat(dst []byte) []byte {
	s, start := w.set, len(dst)
	dst = append(dst, '{')
	for w.next < len(s.doc.Tokens) {
		before := len(dst)
		i := w.token(before)
		if t := &s.doc.Tokens[i]; s.places[i].served && s.doc.Names(t) {
			dst = append(appendPath(separate(dst, start), t), ':')
			dst = w.keep(w.once(dst, i, appendServed), before, -1)
		}
	}
	return append(dst, '}')
}

// appendPath appends the path of a token as a JSON string.
func appendPath(dst []byte, t *dtcg.Token) []byte {
	if t.PlainPath {
		return jsontree.AppendPlain(dst, t.Path)
	}
	return jsontree.AppendString(dst, t.Path)
}
