package renderer

import (
	"bytes"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
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
		s.starts[i] = start
		if t.Served == nil {
			continue
		}
		k, _ := dtcg.KindOf(t.Resolved)
		var misfit *css.Misfit
		if out, misfit = css.AppendDeclarations(out, names[i], k, t.Served); misfit != nil {
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
		lines = appendLines(lines, out, start, int32(i))
	}
	out, collisions := s.dropCollisions(out, lines)
	s.css = out
	s.diagnostics = append(append(append(s.diagnostics, s.doc.Diagnostics()...), found...), collisions...)
	s.doc.Sort(s.diagnostics)
}

// maxDeclared is the room for declarations in tokens.css.
const maxDeclared = MaxFileBytes - len(stylesheetHead) - len(stylesheetTail)

// names returns the custom property names of tokens, cut from one text; a name that alone would
// take tokens.css past its length is empty.
func names(prefix string, tokens []dtcg.Token) []string {
	var buf []byte
	ends := make([]int, len(tokens))
	for i := range tokens {
		start := len(buf)
		if start+len(prefix) <= maxDeclared {
			buf = css.AppendName(buf, prefix, tokens[i].Segments)
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

// line is one declaration: "  --name: value;\n".
type line struct {
	start, end int
	token      int32
}

// appendLines cuts the declarations of one token, out[start:], into lines.
func appendLines(lines []line, out []byte, start int, token int32) []line {
	for start < len(out) {
		end := start + bytes.IndexByte(out[start:], '\n') + 1
		lines = append(lines, line{start, end, token})
		start = end
	}
	return lines
}

// name returns the custom property that l declares in sheet. A name holds no colon.
func (l line) name(sheet []byte) []byte {
	text := sheet[l.start+lineIndent : l.end]
	return text[:max(bytes.IndexByte(text, ':'), 0)]
}

// dropCollisions removes every declaration that a later one of the same name would win over, and
// reports the tokens that lost.
func (s *Set) dropCollisions(sheet []byte, lines []line) ([]byte, []dtcg.Diagnostic) {
	last := make(map[string]int32, len(lines))
	text := string(sheet)
	for i, l := range lines {
		start := l.start + lineIndent
		last[text[start:start+len(l.name(sheet))]] = int32(i)
	}
	if len(last) == len(lines) {
		return sheet, nil
	}
	var found []dtcg.Diagnostic
	s.contested = make([]bool, len(s.doc.Tokens))
	kept := make([]byte, 0, len(sheet))
	next := 0 // the token whose declarations, if it has any, come next
	for i, l := range lines {
		for ; next <= int(l.token); next++ {
			s.starts[next] = len(kept)
		}
		name := l.name(sheet)
		winner := last[string(name)]
		if int(winner) == i {
			kept = append(kept, sheet[l.start:l.end]...)
			continue
		}
		s.contested[l.token], s.contested[lines[winner].token] = true, true
		found = append(found, dtcg.CollisionDiagnostic(&s.doc.Tokens[l.token], &s.doc.Tokens[lines[winner].token], string(name)))
	}
	for ; next < len(s.starts); next++ {
		s.starts[next] = len(kept)
	}
	return kept, found
}

func (s *Set) appendCSS(dst []byte, starts []int32) []byte {
	dst = append(dst, stylesheetHead...)
	for i := range starts {
		starts[i] = int32(len(dst) + s.starts[i])
	}
	dst = append(dst, s.css...)
	return append(dst, stylesheetTail...)
}
