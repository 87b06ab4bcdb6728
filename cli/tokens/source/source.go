package source

import (
	"errors"
	"strings"
	"unicode/utf8"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/renderer/jsontree"
)

// ParseFile parses the text of a token file; path is its name in the failure. An array at the top is the member "-".
func ParseFile(path, text string) (*syntax.File, error) {
	text = strings.TrimPrefix(text, "\ufeff") // editors put a byte order mark; JSON has none
	p := program(path)
	if path == "-" {
		p = code(text)
	}
	if p.what != "" {
		return nil, term.Fail(p.next, "%s %s", term.NameOf(path), p.what)
	}
	if offset := notUTF8(text); offset >= 0 && sniff(text).what == "" {
		line, column := lineAndColumn(text, offset)
		next := "Save it as UTF-8: it is likely in Latin-1 or Windows-1252."
		return nil, term.Fail(next, "%s:%d:%d: the file is not text in UTF-8, for it has the byte %X there", path, line, column, text[offset])
	}
	f, err := syntax.Parse(path, text)
	if err != nil {
		return nil, unreadable(path, text, err)
	}
	switch {
	case f.Root.Kind == jsontree.Array:
		f.Root = jsontree.NewObject(jsontree.Member{Name: "-", Value: f.Root})
	case !f.Root.IsObject() || f.Syntax == syntax.CSS && len(f.Root.Members) == 0:
		if s := sniff(text); s.what != "" {
			return nil, term.Fail(s.next, "%s %s", term.NameOf(path), s.what)
		}
		if f.Syntax == syntax.CSS {
			return f, term.Fail("Push a stylesheet that declares some, as :root { --color-brand: #0055aa; } does.", "%s holds no custom property", term.NameOf(path))
		}
		return nil, term.Fail("A token file begins with {.", "%s:1:1: the file must hold an object, but holds a value of kind %s", path, f.Root.Kind)
	}
	return f, nil
}

// unreadable says why a file cannot be read: what else it is, that its end is missing, or what is wrong in which place.
func unreadable(path, text string, err error) error {
	if s := sniff(text); s.what != "" {
		return term.Fail(s.next, "%s %s", term.NameOf(path), s.what)
	}
	e, ok := errors.AsType[*syntax.Error](err)
	if !ok {
		return err
	}
	line, column := lineAndColumn(text, e.Offset)
	if e.Syntax != syntax.YAML && endsEarly(text, e.Offset) {
		return term.Fail("Its end is missing: write or download it again.", "%s:%d:%d: the file ends too early: %s", path, line, column, e.What)
	}
	return term.Fail("Fix that place and try again.", "%s:%d:%d: the file is not valid %s: %s", path, line, column, e.Syntax, e.What)
}

// notUTF8 is the place of the first byte that is not of a character of UTF-8; negative if there is none.
func notUTF8(text string) int {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)) {
			return i
		}
	}
	return -1
}

// lineAndColumn counts from 1, columns in characters.
func lineAndColumn(text string, offset int) (line, column int) {
	before := text[:min(offset, len(text))]
	line = strings.Count(before, "\n") + 1
	return line, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}
