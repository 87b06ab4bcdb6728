package scan

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// form is what the extension of a file says about its text.
type form struct {
	styles       bool // a stylesheet: classes stand behind @apply alone
	lineComments bool // from // to the end of a line
	markup       bool // <!-- is a comment
}

// forms are the files that are read, by their extensions.
var forms = map[string]form{
	".css": {styles: true}, ".pcss": {styles: true}, ".postcss": {styles: true},
	".scss": {styles: true, lineComments: true}, ".sass": {styles: true, lineComments: true}, ".less": {styles: true, lineComments: true},
	".styl": {styles: true, lineComments: true},
	".js":   {lineComments: true}, ".mjs": {lineComments: true}, ".cjs": {lineComments: true}, ".jsx": {lineComments: true},
	".ts": {lineComments: true}, ".mts": {lineComments: true}, ".cts": {lineComments: true}, ".tsx": {lineComments: true},
	".html": {markup: true}, ".htm": {markup: true}, ".mdx": {markup: true},
	".vue": {lineComments: true, markup: true}, ".svelte": {lineComments: true, markup: true}, ".astro": {lineComments: true, markup: true},
	".erb": {markup: true}, ".php": {lineComments: true, markup: true}, ".hbs": {markup: true}, ".liquid": {markup: true}, ".twig": {markup: true},
}

// isWord says which bytes are of a name.
var isWord = func() (table [256]bool) {
	for b := range table {
		table[b] = b == '-' || b == '_' || b >= utf8.RuneSelf || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
	}
	return table
}()

// suppression stands in a comment on the line of a name, or alone on the line above, that is not to be reported.
const suppression = "livery-ignore"

// file is a text while it is read. All positions are offsets in it.
type file struct {
	of *Scanner // what it is read for
	form

	name      string // as it is shown
	text      []byte
	line      int // counts from 1
	lineStart int

	suppresses bool // suppression stands in it
}

// scan reads the whole text once.
func (f *file) scan() {
	f.line = 1
	f.suppresses = bytes.Contains(f.text, []byte(suppression))
	for i := 0; i < len(f.text); {
		switch b := f.text[i]; {
		case isWord[b]:
			i = f.word(i)
		case b == '\n':
			i++
			f.newline(i)
		case isQuote(b):
			f.path(i)
			i++
		case b == '/' || b == '<':
			i = f.comment(i)
		default:
			i++
		}
	}
	f.of.result.Lines += f.line
	if f.lineStart == len(f.text) {
		f.of.result.Lines--
	}
}

func isQuote(b byte) bool { return b == '"' || b == '\'' || b == '`' }

func (f *file) newline(next int) { f.line, f.lineStart = f.line+1, next }

// word reads the name at i and returns its end.
func (f *file) word(i int) int {
	j, dashes := i, 0
	for ; j < len(f.text) && isWord[f.text[j]]; j++ {
		if f.text[j] == '-' {
			dashes++
		}
	}
	switch {
	case dashes == 0:
		f.variant(i, j)
	case dashes > 1 && f.text[i] == '-' && f.text[i+1] == '-':
		if j-i > len("--") {
			f.property(i, j)
		}
	default:
		f.variant(i, j)
		f.class(i, j)
	}
	return j
}

// comment returns the end of the comment that begins at i, or the next byte. A comment begins behind a space or a mark,
// so that the globs and addresses in strings are none.
func (f *file) comment(i int) int {
	rest, end := f.text[i:], -1
	before := f.at(i - 1)
	switch {
	case len(rest) < 2:
	case f.markup && bytes.HasPrefix(rest, []byte("<!--")):
		end = endOf(rest, "<!--", "-->")
	case rest[1] == '*' && strings.IndexByte(" \t\r\n;{}(),>:", before) >= 0:
		end = endOf(rest, "/*", "*/")
	case rest[1] == '/' && f.lineComments && strings.IndexByte(" \t\r\n;{},>", before) >= 0:
		if end = bytes.IndexByte(rest, '\n'); end < 0 {
			end = len(rest)
		}
	}
	if end < 0 {
		return i + 1
	}
	for k := i; ; {
		n := bytes.IndexByte(f.text[k:i+end], '\n')
		if n < 0 {
			return i + end
		}
		k += n + 1
		f.newline(k)
	}
}

// endOf returns the length of a comment, or -1 if it does not end.
func endOf(text []byte, begin, end string) int {
	n := bytes.Index(text[len(begin):], []byte(end))
	if n < 0 {
		return -1
	}
	return len(begin) + n + len(end)
}

// at returns a byte of the text, and a line break before and after it.
func (f *file) at(i int) byte {
	if i < 0 || i >= len(f.text) {
		return '\n'
	}
	return f.text[i]
}

// skipBack returns the place behind the last byte before i that is not white space.
func (f *file) skipBack(i int) int {
	for i > 0 && isSpace(f.text[i-1]) {
		i--
	}
	return i
}

// skip returns the first place from i on that is not white space.
func (f *file) skip(i int) int {
	for i < len(f.text) && isSpace(f.text[i]) {
		i++
	}
	return i
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// endsWith reports whether the text before i ends with a word, and no other letter stands before that.
func (f *file) endsWith(i int, name string) bool {
	return bytes.HasSuffix(f.text[:i], []byte(name)) && !isWord[f.at(i-len(name)-1)]
}

// finding is of what stands from i to j.
func (f *file) finding(rule string, i, j int) Finding {
	return Finding{
		Rule: rule, File: f.name, Line: f.line, Column: utf8.RuneCount(f.text[f.lineStart:i]) + 1, Name: string(f.text[i:j]),
		offset: i, width: utf8.RuneCount(f.text[i:j]),
	}
}

// use counts what stands from i to j as a use of a token.
func (f *file) use(token int32, i, j int) {
	f.of.counts[token]++
	t := &f.of.tokens[token]
	if f.of.options.Uses {
		use := f.finding(Use, i, j)
		use.Token = t.Path
		f.of.result.Findings = append(f.of.result.Findings, use)
	}
	if t.Deprecated != "" && !f.isSuppressed() {
		use := f.finding(Deprecated, i, j)
		use.Token, use.Message = t.Path, t.Path+" is deprecated: "+t.Deprecated
		f.of.result.Findings = append(f.of.result.Findings, use)
	}
}

// doubt notes that what stands from i to j may be unknown.
func (f *file) doubt(kind, i, j int, guarded bool) {
	if !f.isSuppressed() {
		f.of.candidates = append(f.of.candidates, candidate{f.finding(Unknown, i, j), kind, guarded})
	}
}

// isSuppressed reports whether the line says that it is not to be reported, or a comment that has the line above alone.
func (f *file) isSuppressed() bool {
	if !f.suppresses {
		return false
	}
	line, _, _ := bytes.Cut(f.text[f.lineStart:], []byte("\n"))
	above := f.text[:max(f.lineStart-1, 0)]
	above = bytes.TrimSpace(above[bytes.LastIndexByte(above, '\n')+1:])
	return bytes.Contains(line, []byte(suppression)) || bytes.Contains(above, []byte(suppression)) && bytes.IndexByte([]byte("/*<{"), above[0]) >= 0
}
