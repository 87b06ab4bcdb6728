package renderer

import (
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// walker writes one file, once. It meets the tokens in the order in which they are listed.
type walker struct {
	set    *Set
	next   int     // the position of the token that comes next
	at     int     // the position of the token that was met last; -1 if it is not listed
	starts []int32 // nil, or by token: the start of its text in what the file is appended to
	stops  []int32 // nil, or by token: the end of its text in a JSON file; 0 if it has none
	end    int     // the position at which the file must be closed, in what it is appended to

	begin int    // the start of the file, in what it is appended to
	texts []span // nil, or by token: the position of its value in the file

	left        []int32 // the tokens that a JSON file has no room for
	leftMembers int     // of groups, for which it has none
}

// append appends file f, at most MaxFileBytes.
func (w *walker) append(dst []byte, f File) []byte {
	w.end = len(dst) + MaxFileBytes - closing
	return w.write(dst, f)
}

func (w *walker) write(dst []byte, f File) []byte {
	w.begin = len(dst)
	switch f {
	case TokensCSS:
		return w.set.appendCSS(dst, w.starts)
	case TokensValuesJSON:
		return append(w.whole(dst, w.values), '\n')
	case TokensDTCGJSON:
		if text := w.set.storedText(); text != "" && w.starts == nil && len(dst)+len(text) <= w.end {
			return append(append(dst, text...), '\n')
		}
		return append(w.whole(dst, w.stored), '\n')
	case TokensJSON:
		return append(w.whole(dst, w.resolved), '\n')
	case TokensFlatJSON:
		return append(w.flat(dst), '\n')
	}
	return dst
}

// whole writes the root by one of the methods below.
func (w *walker) whole(dst []byte, write func(dst []byte, group *jsontree.Node) []byte) []byte {
	if !w.set.doc.Root.IsObject() {
		return append(dst, "{}"...)
	}
	return write(dst, w.set.doc.Root)
}

// token returns the position of the token at hand, whose text begins at start, or -1 if it is
// not listed.
func (w *walker) token(start int) int {
	if w.at = w.next; w.at >= len(w.set.doc.Tokens) {
		w.at = -1
		return w.at
	}
	if w.starts != nil {
		w.starts[w.at] = int32(start)
	}
	w.next++
	return w.at
}

// isNext reports whether n is the token that comes next. Most are found by that alone.
func (w *walker) isNext(n *jsontree.Node) bool {
	return w.next < len(w.set.doc.Tokens) && w.set.doc.Tokens[w.next].Node == n
}

// span is the place of a text.
type span struct{ from, to int32 }

// once writes the value of token i, or what was written of the token that it is an alias of. Once a token was left
// out, what was written of it may be no more.
func (w *walker) once(dst []byte, i int, write func(dst []byte, s *Set, i int) []byte) []byte {
	if w.texts == nil {
		w.texts = make([]span, len(w.set.doc.Tokens))
	}
	if from := w.set.places[i].same; from >= 0 && len(w.left) == 0 && w.texts[from].to > 0 {
		text := w.texts[from]
		w.texts[i] = text
		return append(dst, dst[w.begin+int(text.from):w.begin+int(text.to)]...)
	}
	start := len(dst)
	dst = write(dst, w.set, i)
	w.texts[i] = span{int32(start - w.begin), int32(len(dst) - w.begin)}
	return dst
}

// separate begins a member of the object that opened at start.
func separate(dst []byte, start int) []byte {
	if len(dst) > start+1 {
		dst = append(dst, ',')
	}
	return dst
}

// values writes the primitives below a group; a group in which nothing is left is left out itself.
func (w *walker) values(dst []byte, group *jsontree.Node) []byte {
	start := len(dst)
	dst = append(dst, '{')
	for i := range group.Members {
		m := &group.Members[i]
		isNext := w.isNext(m.Value)
		if !isNext && (!m.Value.IsObject() || dtcg.IsMetadata(m.Name)) {
			continue
		}
		before := len(dst)
		dst = group.AppendName(separate(dst, start), i)
		inner := len(dst)
		if isNext || dtcg.IsToken(m.Value) {
			dst = w.keep(w.value(dst), before, inner)
		} else if dst = w.values(dst, m.Value); len(dst) == inner+len("{}") {
			dst = dst[:before]
		}
	}
	return append(dst, '}')
}

// value writes the primitive of the next token, or nothing.
func (w *walker) value(dst []byte) []byte {
	i := w.token(len(dst))
	if i < 0 || !w.set.places[i].served {
		return dst
	}
	return w.once(dst, i, appendPrimitive)
}

// appendPrimitive writes what tokens.values.json holds of a token, or nothing.
func appendPrimitive(dst []byte, s *Set, i int) []byte {
	t := &s.doc.Tokens[i]
	k, _ := dtcg.KindOf(t.Resolved)
	own, at := s.declarations(i), int(s.places[i].value)
	switch {
	case len(own) == 0:
	case at > 0:
		if k == css.Gradient {
			own = declaration(own)
		}
		return css.AppendPrimitiveOf(dst, k, own[at:len(own)-len(";\n")])
	case k == css.Typography && t.Served.IsObject():
		return css.AppendTypographyOf(dst, t.Served, own, -at-len("  : "))
	}
	dst, _ = css.AppendPrimitive(dst, k, t.Served)
	return dst
}

// storedText returns what Append writes of the document if no value is overridden, or nothing if only its parts tell.
func (s *Set) storedText() string {
	if !s.doc.Root.IsObject() {
		return ""
	}
	for i := range s.doc.Tokens {
		if s.doc.Tokens[i].Overridden {
			return ""
		}
	}
	return s.doc.Root.Text
}

// stored writes a group as it is stored, but for the values that the Variant overrides.
func (w *walker) stored(dst []byte, group *jsontree.Node) []byte {
	start := len(dst)
	dst = append(dst, '{')
	for i := range group.Members {
		m := &group.Members[i]
		before := len(dst)
		dst = group.AppendName(separate(dst, start), i)
		switch {
		case !m.Value.IsObject() || dtcg.IsMetadata(m.Name):
			dst = w.keepMember(jsontree.Append(dst, m.Value), before)
		case w.isNext(m.Value) || dtcg.IsToken(m.Value):
			dst = w.keep(w.storedToken(dst, m.Value), before, -1)
		case w.tooLong(dst):
			dst = w.keepMember(w.stored(dst, m.Value), before)
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
	return appendOverridden(dst, &w.set.doc.Tokens[i])
}

// appendOverridden writes a token as it is stored, with the value that the Variant gives it.
func appendOverridden(dst []byte, t *dtcg.Token) []byte {
	start := len(dst)
	dst = append(dst, '{')
	for i, m := range t.Node.Members {
		if m.Name == "$value" {
			m.Value = t.Value
		}
		dst = jsontree.Append(t.Node.AppendName(separate(dst, start), i), m.Value)
	}
	return append(dst, '}')
}
