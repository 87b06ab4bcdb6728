package renderer

import (
	"bytes"
	"math/bits"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// stylesheetHead opens tokens.css. Its number is that of the file's format, not of the renderer,
// so that a new renderer that writes the same declarations writes the same bytes.
const stylesheetHead = "/* Livery design tokens, format 1 */\n:root {\n"

const stylesheetTail = "}\n"

// declare renders the declarations of all tokens, which decides what the resolved files hold.
func (s *Set) declare() {
	names := namer{prefix: s.prefix}
	var found []dtcg.Diagnostic
	var name []byte
	lines := make([]line, 0, len(s.doc.Tokens)*5/4) // a typography has several
	out := make([]byte, 0, 64*len(s.doc.Tokens))
	tokens, places, declared := s.doc.Tokens, s.places[:len(s.doc.Tokens)], 0
	for i := range tokens {
		t, p := &tokens[i], &places[i]
		start := len(out)
		p.start, p.same = int32(start), -1
		out = names.append(append(out, "  "...), t)
		named := len(out)
		if t.Served == nil {
			out = out[:start]
			continue
		}
		k, _ := dtcg.KindOf(t.Resolved)
		p.same = s.sameAs(i)
		texts, misfit := css.Texts{}, (*css.Misfit)(nil)
		if p.same >= 0 && places[p.same].served && !s.leftOut && isOneLine(k) {
			from, end := &places[p.same], places[p.same+1].start
			out = append(out, out[from.start+max(from.value, -from.value)-int32(len(": ")):end]...)
			texts = css.Texts{Primitive: from.value > 0, Resolved: !from.rewritten}
		} else {
			name = append(name[:0], out[start+lineIndent:]...)
			if out, texts, misfit = css.Declare(out[:start], name, k, t.Served); misfit != nil {
				found = append(found, dtcg.MisfitDiagnostic(t, misfit))
			}
		}
		declared += len(out) - start
		if len(out) == start {
			continue // a typography or a gradient may have lines left that do fit
		}
		p.served, p.rewritten = true, !texts.Resolved
		if named == start+lineIndent || len(out) > maxDeclared {
			out = out[:start]
			s.leftOut = true
			found = append(found, noRoom(t, TokensCSS))
			continue
		}
		first := line{start: int32(start), colon: int32(named), token: int32(i)}
		if p.value = first.colon + int32(len(": ")) - first.start; !texts.Primitive {
			p.value = -p.value
		}
		lines = appendLines(lines, out, first, isOneLine(k))
	}
	out, collisions := s.dropCollisions(out, lines)
	s.css, s.declared = out, declared
	s.diagnostics = append(append(append(s.diagnostics, s.doc.Diagnostics()...), found...), collisions...)
	s.doc.Sort(s.diagnostics)
}

// sameAs returns the token that token i is an alias of, if both have one type and one value, or -1.
func (s *Set) sameAs(i int) int32 {
	from := s.doc.AliasOf(i)
	if from < 0 {
		return -1
	}
	if t, named := &s.doc.Tokens[i], &s.doc.Tokens[from]; t.Served != named.Served || t.Resolved != named.Resolved {
		return -1
	}
	return int32(from)
}

// isOneLine reports whether a value of kind k that fits is one declaration, and no misfit beside it.
func isOneLine(k css.Kind) bool { return k != css.Typography && k != css.Gradient }

// declaration returns the first declaration of a sheet.
func declaration(sheet []byte) []byte { return sheet[:bytes.IndexByte(sheet, '\n')+1] }

// maxDeclared is the room for declarations in tokens.css.
const maxDeclared = MaxFileBytes - len(stylesheetHead) - len(stylesheetTail)

// namer writes the custom property names of tokens in document order. A name that would take the names of all tokens
// past the length of tokens.css is empty.
type namer struct {
	prefix string
	total  int // bytes of the names so far
}

// append appends the name of the next token.
func (n *namer) append(dst []byte, t *dtcg.Token) []byte {
	if n.total+len(n.prefix) > maxDeclared {
		return dst
	}
	start := len(dst)
	switch {
	case t.NamePath:
		dst = css.AppendPartsName(dst, n.prefix, t.Path)
	case t.HasDottedName():
		dst = css.AppendName(dst, n.prefix, t.Segments())
	default:
		dst = css.AppendPathName(dst, n.prefix, t.Path)
	}
	if length := len(dst) - start; n.total+length <= maxDeclared {
		n.total += length
		return dst
	}
	return dst[:start]
}

// lineIndent is what stands before the name in a line.
const lineIndent = len("  ")

// line is one declaration: "  --name: value;\n", with the position of the colon after the name.
type line struct{ start, colon, end, token int32 }

// appendLines cuts the declarations of one token, of which first begins the first one, into lines.
func appendLines(lines []line, out []byte, first line, isOneLine bool) []line {
	if isOneLine {
		first.end = int32(len(out))
		return append(lines, first)
	}
	for l := first; int(l.start) < len(out); l.start = l.end {
		declaration := declaration(out[l.start:])
		l.colon = l.start + int32(bytes.IndexByte(declaration, ':')) // a name holds none
		l.end = l.start + int32(len(declaration))
		lines = append(lines, l)
	}
	return lines
}

// name returns the custom property that l declares in sheet.
func (l *line) name(sheet []byte) []byte { return sheet[int(l.start)+lineIndent : l.colon] }

// nameTable finds the last line that declares a name: a hash table with open addressing that reads the names
// in the sheet, as a map of strings takes ten times its memory.
type nameTable struct {
	sheet []byte
	lines []line
	seed  jsontree.Seed
	at    []int32 // by slot: the position of the line, counted from 1; 0: the slot is free
	count int     // of different names
}

func newNameTable(sheet []byte, lines []line) *nameTable {
	n := &nameTable{sheet: sheet, lines: lines, seed: jsontree.NewSeed(), at: make([]int32, 2<<bits.Len(uint(len(lines))))}
	for i := range lines {
		slot := n.slot(lines[i].name(sheet))
		if n.at[slot] == 0 {
			n.count++
		}
		n.at[slot] = int32(i) + 1
	}
	return n
}

// slot returns where name is, or the free slot if it would be.
func (n *nameTable) slot(name []byte) uint64 {
	for i := jsontree.Hash(n.seed, name); ; i++ {
		slot := i & uint64(len(n.at)-1)
		if at := n.at[slot]; at == 0 || bytes.Equal(n.lines[at-1].name(n.sheet), name) {
			return slot
		}
	}
}

// dropCollisions removes every declaration that a later one of the same name would win over, and
// reports the tokens that lost.
func (s *Set) dropCollisions(sheet []byte, lines []line) ([]byte, []dtcg.Diagnostic) {
	names := newNameTable(sheet, lines)
	if names.count == len(lines) {
		return sheet, nil
	}
	var found []dtcg.Diagnostic
	s.contested = make([]bool, len(s.doc.Tokens))
	kept := make([]byte, 0, len(sheet))
	next := 0 // the token whose declarations, if it has any, come next
	for i, l := range lines {
		for ; next <= int(l.token); next++ {
			s.places[next].start = int32(len(kept))
		}
		name := l.name(sheet)
		winner := int(names.at[names.slot(name)]) - 1
		if winner == i {
			kept = append(kept, sheet[l.start:l.end]...)
			continue
		}
		s.contested[l.token], s.contested[lines[winner].token] = true, true
		found = append(found, dtcg.CollisionDiagnostic(&s.doc.Tokens[l.token], &s.doc.Tokens[lines[winner].token], string(name)))
	}
	for ; next < len(s.places); next++ {
		s.places[next].start = int32(len(kept))
	}
	return kept, found
}

// declarations returns what tokens.css has of token i, or nothing if not all of its own declarations may be there.
func (s *Set) declarations(i int) []byte {
	if s.places[i].value == 0 || s.contested != nil && s.contested[i] {
		return nil
	}
	if i+1 < len(s.places) {
		return s.css[s.places[i].start:s.places[i+1].start]
	}
	return s.css[s.places[i].start:]
}

func (s *Set) appendCSS(dst []byte, starts []int32) []byte {
	dst = append(dst, stylesheetHead...)
	for i := range starts {
		starts[i] = int32(len(dst)) + s.places[i].start
	}
	dst = append(dst, s.css...)
	return append(dst, stylesheetTail...)
}
