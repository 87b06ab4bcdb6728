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
	names := names(s.prefix, s.doc.Tokens)
	var found []dtcg.Diagnostic
	lines := make([]line, 0, len(s.doc.Tokens))
	out := make([]byte, 0, 64*len(s.doc.Tokens))
	for i := range s.doc.Tokens {
		t := &s.doc.Tokens[i]
		start := len(out)
		s.starts[i] = int32(start)
		if t.Served == nil {
			continue
		}
		k, _ := dtcg.KindOf(t.Resolved)
		s.same[i] = s.sameAs(i)
		oneText, misfit := false, (*css.Misfit)(nil)
		if from := s.same[i]; from >= 0 && s.served[from] && !s.leftOut && isOneLine(k) {
			out = appendRenamed(out, out[s.starts[from]:s.starts[from+1]], names[from], names[i])
			oneText = s.values[from] > 0
		} else if out, oneText, misfit = css.Declare(out, names[i], k, t.Served); misfit != nil {
			found = append(found, dtcg.MisfitDiagnostic(t, misfit))
		}
		s.declared += len(out) - start
		if len(out) == start {
			continue // a typography or a gradient may have lines left that do fit
		}
		s.served[i] = true
		if names[i] == "" || len(out) > maxDeclared {
			out = out[:start]
			s.leftOut = true
			found = append(found, noRoom(t, TokensCSS))
			continue
		}
		first := line{start: int32(start), colon: int32(start + lineIndent + len(names[i])), token: int32(i)}
		if oneText {
			s.values[i] = first.colon + int32(len(": ")) - first.start
		}
		lines = appendLines(lines, out, first, isOneLine(k))
	}
	out, collisions := s.dropCollisions(out, lines)
	s.css = out
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

// appendRenamed appends the declaration of one name as that of another.
func appendRenamed(dst, declaration []byte, name, other string) []byte {
	dst = append(append(dst, declaration[:lineIndent]...), other...)
	return append(dst, declaration[lineIndent+len(name):]...)
}

// maxDeclared is the room for declarations in tokens.css.
const maxDeclared = MaxFileBytes - len(stylesheetHead) - len(stylesheetTail)

// names returns the custom property names of tokens, cut from one text; a name that alone would
// take tokens.css past its length is empty.
func names(prefix string, tokens []dtcg.Token) []string {
	room := 0
	for i := range tokens {
		room += len("--") + len(prefix) + len("-") + len(tokens[i].Path)
	}
	buf := make([]byte, 0, min(room, maxDeclared))
	ends := make([]int, len(tokens))
	namer := css.Namer{Prefix: prefix}
	for i := range tokens {
		start := len(buf)
		if start+len(prefix) > maxDeclared {
			ends[i] = start
			continue
		}
		if tokens[i].NamePath {
			buf = namer.AppendPath(buf, tokens[i].Path)
		} else {
			buf = namer.Append(buf, tokens[i].Segments)
		}
		if len(buf) > maxDeclared {
			buf = buf[:start]
		}
		ends[i] = len(buf)
	}
	text, start := string(buf), 0
	names := make([]string, len(ends))
	for i, end := range ends {
		names[i] = text[start:end]
		start = end
	}
	return names
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
			s.starts[next] = int32(len(kept))
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
	for ; next < len(s.starts); next++ {
		s.starts[next] = int32(len(kept))
	}
	return kept, found
}

// valueText returns the CSS text of token i, of kind k, if it is its text for JavaScript too and stands in tokens.css.
func (s *Set) valueText(i int, k css.Kind) (text []byte, ok bool) {
	if s.values[i] == 0 || s.contested != nil && s.contested[i] {
		return nil, false
	}
	own := s.css[s.starts[i]:]
	if i+1 < len(s.starts) {
		own = s.css[s.starts[i]:s.starts[i+1]]
	}
	if k == css.Gradient {
		own = declaration(own)
	}
	return own[s.values[i] : len(own)-len(";\n")], true
}

func (s *Set) appendCSS(dst []byte, starts []int32) []byte {
	dst = append(dst, stylesheetHead...)
	for i := range starts {
		starts[i] = int32(len(dst)) + s.starts[i]
	}
	dst = append(dst, s.css...)
	return append(dst, stylesheetTail...)
}
