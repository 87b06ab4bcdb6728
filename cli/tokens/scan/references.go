package scan

import (
	"bytes"
	"strings"
)

// property reads the name of a custom property: a declaration, a reference, or the mere name.
func (f *file) property(i, j int) {
	name := f.text[i:j]
	switch {
	case f.isDynamic(j):
		note(f.of.dynamic, name)
	case f.isDeclared(i, j):
		note(f.of.declared, name)
	default:
		token, known := f.of.properties[string(name)]
		if !known {
			token, known = f.of.variables[string(name)]
		}
		if known {
			f.use(token, i, j)
		} else if f.isReference(i) {
			f.doubt(ofProperty, i, j, f.isGuarded(i, j))
		}
	}
}

// isDynamic reports whether a program makes the rest of the name that ends at j.
func (f *file) isDynamic(j int) bool {
	next := f.at(j)
	return f.at(j-1) == '-' && next != '*' || (next == '$' || next == '#' || next == '@') && f.at(j+1) == '{' || next == '\\'
}

// isDeclared reports whether the custom property from i to j is declared there: in CSS, as a member of an object, as an
// attribute, by @property or by setProperty.
func (f *file) isDeclared(i, j int) bool {
	before := f.skipBack(i)
	if f.at(j) == '=' || f.endsWith(before, "@property") {
		return true
	}
	if isQuote(f.at(j)) && f.at(i-1) == f.at(j) {
		call := f.skipBack(i - 1)
		if f.at(call-1) == '(' && f.endsWith(f.skipBack(call-1), "setProperty") {
			return true
		}
		j = f.skip(j + 1)
		if bytes.HasPrefix(f.text[j:], []byte("as ")) { // ["--x" as string]: 1
			if n := bytes.IndexByte(f.text[j:min(j+20, len(f.text))], ']'); n > 0 {
				j += n
			}
		}
		if f.at(j) == ']' {
			j++
		}
	}
	j = f.skip(j)
	return f.at(j) == ':' && f.at(j+1) != ':'
}

// isReference reports whether the custom property at i is asked for its value: var(--x), the bg-(--x) and bg-[--x] of
// Tailwind, getPropertyValue("--x").
func (f *file) isReference(i int) bool {
	before := f.skipBack(i)
	switch f.at(before - 1) {
	case '(':
		return f.endsWith(f.skipBack(before-1), "var") || f.at(before-2) == '-'
	case '[':
		return f.at(before-2) == '-'
	case ':':
		k := before - 1
		for k > 0 && f.text[k-1] >= 'a' && f.text[k-1] <= 'z' {
			k--
		}
		return f.at(k-1) == '(' && f.at(k-2) == '-'
	case '"', '\'':
		call := f.skipBack(before - 1)
		return f.at(call-1) == '(' && f.endsWith(f.skipBack(call-1), "getPropertyValue")
	}
	return false
}

// isGuarded reports whether the reference from i to j has a fallback, or is the fallback of another: var(--x, var(--y)).
func (f *file) isGuarded(i, j int) bool {
	if f.at(f.skip(j)) == ',' {
		return true
	}
	k := f.skipBack(i)
	if !bytes.HasSuffix(f.text[:k], []byte("var(")) {
		return false
	}
	if k = f.skipBack(k - len("var(")); f.at(k-1) != ',' {
		return false
	}
	k = f.skipBack(k - 1)
	end := k
	for k > 0 && isWord[f.text[k-1]] {
		k--
	}
	return bytes.HasPrefix(f.text[k:end], []byte("--"))
}

// path reads the string that begins with the quote at i, if it may be the path of a token.
func (f *file) path(i int) {
	mark, text := f.text[i], f.text[i+1:min(i+1+f.of.longestPath+2, len(f.text))]
	dots := false
	for n, b := range text {
		switch {
		case b == mark:
			f.wholePath(i, text[:n], dots)
			return
		case b == '$' && mark == '`' && dots && bytes.HasPrefix(text[n:], []byte("${")):
			if f.isCalled(i) {
				note(f.of.dynamic, text[:n])
			}
			return
		case b == '.':
			dots = true
		case b < ' ' || b == ';' || b == '{' || b == '<':
			return
		}
	}
}

func (f *file) wholePath(i int, text []byte, dots bool) {
	if len(text) == 0 || !dots && !f.isCalled(i) {
		return
	}
	end := i + 1 + len(text)
	if token, known := f.of.paths[string(text)]; known {
		f.use(token, i+1, end)
		return
	}
	if !f.isCalled(i) {
		return
	}
	name := string(text)
	first, _, _ := strings.Cut(name, ".")
	if dots && f.of.groups[first] || len(f.of.nearPaths.near(name)) > 0 {
		f.doubt(ofPath, i+1, end, false)
	}
}

// isCalled reports whether the string at i is given to what takes paths of tokens: cssVar(, token( or tokens[.
func (f *file) isCalled(i int) bool {
	k := f.skipBack(i) - 1
	switch f.at(k) {
	case '(':
		return f.endsWith(k, "cssVar") || f.endsWith(k, "token")
	case '[':
		return f.endsWith(k, "tokens")
	}
	return false
}

// variant reads a name that may be a breakpoint in a variant of Tailwind: "tablet:", "max-tablet:", "@tablet:".
func (f *file) variant(i, j int) {
	if len(f.of.variants) == 0 || f.at(j) != ':' || isSpace(f.at(j+1)) {
		return
	}
	name := f.text[i:j]
	if len(name) > len("max-") && (string(name[:4]) == "max-" || string(name[:4]) == "min-") {
		name = name[4:]
	}
	if token, known := f.of.variants[string(name)]; known {
		f.use(token, i, j)
	}
}

// class reads a name that may be a class of Tailwind.
func (f *file) class(i, j int) {
	before := f.at(i - 1)
	if before == '.' {
		if f.styles || f.markup {
			note(f.of.selectors, f.text[i:j])
		}
		return
	}
	for f.text[i] == '-' && i < j-1 { // -mt-small
		i++
	}
	if !isSpace(before) && !strings.ContainsRune("\"'`:!", rune(before)) || !endsClass(f.at(j)) {
		return
	}
	if f.styles && !f.isApplied(i) {
		return
	}
	c := f.of.classOf(f.text[i:j])
	for _, token := range c.tokens {
		f.use(token, i, j)
	}
	if (len(c.near) > 0 || c.inGroup) && f.amongClasses(i, j) {
		f.doubt(ofClass, i, j, false)
	}
}

// endsClass reports whether a class may end before a byte.
func endsClass(b byte) bool { return isSpace(b) || strings.IndexByte("\"'`/!;}=\\", b) >= 0 }

// isApplied reports whether @apply stands before i in the same declaration.
func (f *file) isApplied(i int) bool {
	start := max(0, i-longestString)
	if n := bytes.LastIndexAny(f.text[start:i], ";{}"); n >= 0 {
		start += n
	}
	return bytes.Contains(f.text[start:i], []byte("@apply"))
}

// How many bytes around a name tell whether it is a class.
const (
	longestString = 4096 // of a list of classes
	nearBy        = 300  // before a list, of the call or the attribute that takes it
)

// amongClasses reports whether the name from i to j stands in a list of classes: behind @apply, in a directive of
// Svelte, or in a string that holds other classes or that a call or an attribute for classes takes.
func (f *file) amongClasses(i, j int) bool {
	if bytes.HasSuffix(f.text[:i], []byte("class:")) || f.isApplied(i) {
		return true
	}
	start := max(0, i-longestString)
	before := f.text[start:i]
	open := bytes.LastIndexAny(before, "\"'`")
	if open < 0 {
		return false
	}
	after := f.text[j:min(j+longestString, len(f.text))]
	end := bytes.IndexByte(after, before[open])
	if end < 0 {
		return false
	}
	for class := range strings.FieldsSeq(string(before[open+1:]) + " " + string(after[:end])) {
		if c := f.of.classOf([]byte(class[strings.LastIndexByte(class, ':')+1:])); c.own || len(c.tokens) > 0 {
			return true
		}
	}
	line := before[max(0, open-nearBy):open]
	for _, taker := range takers {
		if bytes.Contains(line, taker) {
			return true
		}
	}
	return false
}

// takers take classes.
var takers = [][]byte{[]byte("class"), []byte("Class"), []byte("cn("), []byte("clsx("), []byte("cva("), []byte("cx("), []byte("tv("), []byte("twMerge("), []byte("twJoin(")}
