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
var forms = func() map[string]form {
	byExtension := map[string]form{}
	for form, extensions := range map[form]string{
		{styles: true}:                     ".css .pcss .postcss",
		{styles: true, lineComments: true}: ".scss .sass .less .styl",
		{lineComments: true}:               ".js .mjs .cjs .jsx .ts .mts .cts .tsx",
		{markup: true}:                     ".html .htm .mdx .erb .hbs .liquid .twig",
		{lineComments: true, markup: true}: ".vue .svelte .astro .php",
	} {
		for extension := range strings.FieldsSeq(extensions) {
			byExtension[extension] = form
		}
	}
	return byExtension
}()

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
			f.line, f.lineStart = f.line+1, i
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

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// word reads the name at i and returns its end.
func (f *file) word(i int) int {
	j, dashes := i, 0
	for ; j < len(f.text) && isWord[f.text[j]]; j++ {
		if f.text[j] == '-' {
			dashes++
		}
	}
	if bytes.HasPrefix(f.text[i:j], []byte("--")) {
		if j-i > len("--") {
			f.property(i, j)
		}
		return j
	}
	f.variant(i, j)
	if dashes > 0 {
		f.class(i, j)
	}
	return j
}

// comment returns the end of the comment that begins at i, or the next byte. A comment begins behind a space or a mark,
// so that the globs and addresses in strings are none.
func (f *file) comment(i int) int {
	rest, end, before := f.text[i:], -1, f.at(i-1)
	begins := func(mark, behind string) bool {
		return bytes.HasPrefix(rest, []byte(mark)) && (behind == "" || strings.IndexByte(behind, before) >= 0)
	}
	closing := func(mark, by string) {
		if n := bytes.Index(rest[len(mark):], []byte(by)); n >= 0 {
			end = len(mark) + n + len(by)
		}
	}
	switch {
	case f.markup && begins("<!--", ""):
		closing("<!--", "-->")
	case begins("/*", " \t\r\n;{}(),>:"):
		closing("/*", "*/")
	case f.lineComments && begins("//", " \t\r\n;{},>"):
		if end = bytes.IndexByte(rest, '\n'); end < 0 {
			end = len(rest)
		}
	}
	if end < 0 {
		return i + 1
	}
	if n := bytes.Count(rest[:end], []byte("\n")); n > 0 {
		f.line, f.lineStart = f.line+n, i+bytes.LastIndexByte(rest[:end], '\n')+1
	}
	return i + end
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

// isArgument reports whether what stands at i is the first argument of a function.
func (f *file) isArgument(i int, function string) bool {
	i = f.skipBack(i)
	return f.at(i-1) == '(' && f.endsWith(f.skipBack(i-1), function)
}

// endsWith reports whether the text before i ends with a word, and no other letter stands before that.
func (f *file) endsWith(i int, name string) bool {
	return bytes.HasSuffix(f.text[:i], []byte(name)) && !isWord[f.at(i-len(name)-1)]
}

// finding is of what stands from i to j.
func (f *file) finding(rule string, i, j int) Finding {
	return Finding{
		Rule: rule, File: f.name, Line: f.line, Column: utf8.RuneCount(f.text[f.lineStart:i]) + 1, Name: string(f.text[i:j]),
		width: utf8.RuneCount(f.text[i:j]),
	}
}

// use counts what stands from i to j as a use of a token.
func (f *file) use(token, i, j int) {
	f.of.counts[token]++
	if t := &f.of.tokens[token]; t.Deprecated != "" && !f.isSuppressed() {
		use := f.finding(Deprecated, i, j)
		use.Token, use.Message = t.Path, t.Path+" is deprecated: "+t.Deprecated
		f.of.result.Findings = append(f.of.result.Findings, use)
	}
}

// doubt notes that what stands from i to j may be unknown.
func (f *file) doubt(what string, i, j int, guarded bool) {
	if !f.isSuppressed() {
		doubtful := f.finding(Unknown, i, j)
		doubtful.what, doubtful.guarded = what, guarded
		f.of.doubtful = append(f.of.doubtful, doubtful)
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
	return bytes.Contains(line, []byte(suppression)) || bytes.Contains(above, []byte(suppression)) && strings.IndexByte("/*<{", above[0]) >= 0
}

// property reads the name of a custom property: a reference to it, its declaration, or the mere name. An unknown name that a
// file does not refer to counts as declared.
func (f *file) property(i, j int) {
	token, known := f.of.properties.tokens[string(f.text[i:j])]
	if !known {
		token, known = f.of.variables.tokens[string(f.text[i:j])]
	}
	switch {
	case f.isDynamic(j):
		note(f.of.dynamic, f.text[i:j])
	case known && !f.isDeclared(i, j):
		f.use(token, i, j)
	case !known && f.isReference(i):
		f.doubt(ofProperty, i, j, f.at(f.skip(j)) == ',')
	case !known:
		note(f.of.declared, f.text[i:j])
	}
}

// isDynamic reports whether a program makes the rest of the name that ends at j.
func (f *file) isDynamic(j int) bool {
	next := f.at(j)
	return f.at(j-1) == '-' && next != '*' || (next == '$' || next == '#' || next == '@') && f.at(j+1) == '{' || next == '\\'
}

// isDeclared reports whether the custom property from i to j is declared there: in CSS, as a member of an object, or as an attribute.
func (f *file) isDeclared(i, j int) bool {
	if isQuote(f.at(j)) && f.at(i-1) == f.at(j) {
		if j = f.skip(j + 1); f.at(j) == ']' {
			j++
		}
	}
	j = f.skip(j)
	return f.at(j) == '=' || f.at(j) == ':' && f.at(j+1) != ':'
}

// isReference reports whether the custom property at i is asked for its value: var(--x), the bg-(--x), bg-(color:--x) and
// bg-[--x] of Tailwind, getPropertyValue("--x").
func (f *file) isReference(i int) bool {
	if isQuote(f.at(i - 1)) {
		return f.isArgument(i-1, "getPropertyValue")
	}
	hint := i
	if f.at(i-1) == ':' {
		for hint--; isWord[f.at(hint-1)]; hint-- {
		}
	}
	return f.isArgument(i, "var") || (f.at(hint-1) == '(' || f.at(hint-1) == '[') && f.at(hint-2) == '-'
}

// path reads the string that begins with the quote at i, if it may be the path of a token.
func (f *file) path(i int) {
	mark, text := f.text[i], f.text[i+1:min(i+1+f.of.longestPath+2, len(f.text))]
	for n, b := range text {
		switch {
		case b == mark:
			f.wholePath(i, i+1+n)
			return
		case b == '$' && mark == '`' && bytes.HasPrefix(text[n:], []byte("${")):
			if f.takesPath(i) && bytes.IndexByte(text[:n], '.') >= 0 {
				note(f.of.dynamic, text[:n])
			}
			return
		case b < ' ' || b == ';' || b == '{' || b == '<':
			return
		}
	}
}

// wholePath reads the string with the quote at i and its end at j.
func (f *file) wholePath(i, j int) {
	name := f.text[i+1 : j]
	isTaken := f.takesPath(i)
	token, known := f.of.paths.tokens[string(name)]
	switch {
	case known && (isTaken || bytes.IndexByte(name, '.') >= 0):
		f.use(token, i+1, j)
	case !known && isTaken:
		f.doubt(ofPath, i+1, j, false)
	}
}

// takesPath reports whether the string at i is given to what takes paths of tokens: cssVar(, token( or tokens[.
func (f *file) takesPath(i int) bool {
	k := f.skipBack(i)
	return f.isArgument(i, "cssVar") || f.isArgument(i, "token") || f.at(k-1) == '[' && f.endsWith(k-1, "tokens")
}

// variant reads a name that may be a breakpoint in a variant of Tailwind: "tablet:", "max-tablet:", "@tablet:".
func (f *file) variant(i, j int) {
	if len(f.of.variants) == 0 || f.at(j) != ':' || isSpace(f.at(j+1)) {
		return
	}
	name := bytes.TrimPrefix(bytes.TrimPrefix(f.text[i:j], []byte("max-")), []byte("min-"))
	if token, known := f.of.variants[string(name)]; known {
		f.use(token, i, j)
	}
}

// class reads a name that may be a class of Tailwind.
func (f *file) class(i, j int) {
	before, after := f.at(i-1), f.at(j)
	if before == '.' {
		if f.styles || f.markup {
			note(f.of.selectors, f.text[i:j])
		}
		return
	}
	for f.text[i] == '-' && i < j-1 { // -mt-small
		i++
	}
	isClass := (isSpace(before) || strings.IndexByte("\"'`:!", before) >= 0) && (isSpace(after) || strings.IndexByte("\"'`/!;}=\\", after) >= 0)
	if !isClass || f.styles && !f.isApplied(i) {
		return
	}
	c, known := f.of.classes[string(f.text[i:j])]
	if !known {
		c = f.of.class(string(f.text[i:j]))
		f.of.classes[string(f.text[i:j])] = c
	}
	for _, token := range c.tokens {
		f.use(token, i, j)
	}
	if c.near != "" && (f.isApplied(i) || f.isInClassList(i)) {
		f.doubt(ofClass, i, j, false)
	}
}

// How many bytes before a name tell whether it is a class.
const (
	longestString = 4096 // of a list of classes
	nearBy        = 300  // before a list, of the call or the attribute that takes it
)

// isApplied reports whether @apply stands before i in the same declaration.
func (f *file) isApplied(i int) bool {
	before := f.text[max(0, i-longestString):i]
	return bytes.Contains(before[bytes.LastIndexAny(before, ";{}")+1:], []byte("@apply"))
}

// isInClassList reports whether the name at i stands in a directive of Svelte, or in a string that a call or an attribute for
// classes takes.
func (f *file) isInClassList(i int) bool {
	before := f.text[max(0, i-longestString):i]
	if bytes.HasSuffix(before, []byte("class:")) {
		return true
	}
	open := bytes.LastIndexAny(before, "\"'`")
	line := before[max(0, open-nearBy):max(0, open)]
	for _, taker := range []string{"class", "Class", "cn(", "clsx(", "cva(", "cx(", "tv(", "twMerge(", "twJoin("} {
		if bytes.Contains(line, []byte(taker)) {
			return true
		}
	}
	return false
}
