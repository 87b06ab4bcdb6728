package source

import (
	"errors"
	"strings"
	"unicode/utf8"

	"example.com/livery/cli/term"
	"example.com/livery/renderer/jsontree"
)

// ParseFile parses the text of a token file; path is its name in the failure.
func ParseFile(path, text string) (*jsontree.Node, error) {
	text = strings.TrimPrefix(text, "\ufeff") // editors put a byte order mark; JSON has none
	n, err := jsontree.Parse(text)
	if err != nil {
		return nil, notJSON(path, text, err)
	}
	if !n.IsObject() {
		return nil, term.Fail("A token file begins with {.", "%s:1:1: the file must hold a JSON object, but holds a value of kind %s", path, n.Kind)
	}
	return n, nil
}

// notJSON says why a file cannot be read as JSON: what else it is, that its end is missing, or what is wrong if.
func notJSON(path, text string, err error) error {
	if s := sniff(text); s.what != "" {
		return term.Fail(s.next, "%s %s", term.NameOf(path), s.what)
	}
	offset, what := faultOf(err)
	line, column := lineAndColumn(text, offset)
	if endsEarly(text, offset) {
		return term.Fail("Its end is missing: write or download it again.", "%s:%d:%d: the file ends too early: %s", path, line, column, what)
	}
	return term.Fail("Fix that place and try again.", "%s:%d:%d: the file is not valid JSON: %s", path, line, column, what)
}

func faultOf(err error) (offset int, what string) {
	if e, ok := errors.AsType[*jsontree.SyntaxError](err); ok {
		return e.Offset, e.What
	}
	if e, ok := errors.AsType[*jsontree.DepthError](err); ok {
		return e.Offset, "it nests too deep"
	}
	return 0, err.Error()
}

// lineAndColumn counts from 1, columns in characters.
func lineAndColumn(text string, offset int) (line, column int) {
	before := text[:min(offset, len(text))]
	line = strings.Count(before, "\n") + 1
	return line, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
}
