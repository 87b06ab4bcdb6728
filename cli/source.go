package cli

import (
	"errors"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"example.com/livery/renderer/jsontree"
)

// readFile reads a file that a person named; "-" is the standard input.
func (a *app) readFile(path string) (data []byte, err error) {
	switch {
	case path != "-":
		data, err = os.ReadFile(path)
	case a.drained:
		return nil, wrongUsage("Name it once.", "the standard input can be read only once")
	default:
		a.drained = true
		data, err = io.ReadAll(a.in)
	}
	if err != nil {
		return nil, fail("Name a file that can be read.", "%s cannot be read: %s", nameOf(path), reason(err))
	}
	return data, nil
}

// nameOf is how a file is called that a person named.
func nameOf(path string) string {
	if path == "-" {
		return "the standard input"
	}
	return path
}

// reason is what an error of the file system says without the operation and the path.
func reason(err error) string {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

func parseFile(path, text string) (*jsontree.Node, error) {
	text = strings.TrimPrefix(text, "\ufeff") // editors put a byte order mark; JSON has none
	n, err := jsontree.Parse(text)
	if err != nil {
		return nil, notJSON(path, text, err)
	}
	if !n.IsObject() {
		return nil, fail("A token file begins with {.", "%s:1:1: the file holds no JSON object but one value of kind %s", path, n.Kind)
	}
	return n, nil
}

// notJSON says why a file cannot be read as JSON: what else it is, that its end is missing, or what is wrong where.
func notJSON(path, text string, err error) error {
	if s := strange(text); s.what != "" {
		return fail(s.next, "%s %s", nameOf(path), s.what)
	}
	offset, what := faultOf(err)
	line, column := lineAndColumn(text, offset)
	if endsEarly(text, offset) {
		return fail("Its end is missing: write or download it again.", "%s:%d:%d: the file ends too early: %s", path, line, column, what)
	}
	return fail("Mend that place and try again.", "%s:%d:%d: the file is not valid JSON: %s", path, line, column, what)
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

// isMeta reports whether a member of a group is neither a token nor a group.
func isMeta(name string) bool { return strings.HasPrefix(name, "$") && name != "$root" }

// overlay returns under with over laid on top: groups are joined, a token and every $… member of
// over takes the place of what stood there. Neither is changed.
func overlay(under, over *jsontree.Node) *jsontree.Node {
	if !isGroup(under) || !isGroup(over) {
		return over
	}
	return joinGroups(under, over)
}

// joinGroups is overlay for two groups.
func joinGroups(under, over *jsontree.Node) *jsontree.Node {
	members := append(make([]jsontree.Member, 0, len(under.Members)+len(over.Members)), under.Members...)
	joined := jsontree.NewObject(members...)
	joined.Index()
	for _, m := range over.Members {
		i := joined.IndexOf(m.Name)
		switch {
		case i < 0:
			members = append(members, m)
		case isMeta(m.Name):
			members[i].Value = m.Value
		default:
			members[i].Value = overlay(members[i].Value, m.Value)
		}
	}
	result := jsontree.NewObject(members...)
	result.Index()
	return result
}

func isGroup(n *jsontree.Node) bool { return n.IsObject() && n.Find("$value") == nil }
