package patch

import (
	"strconv"
	"unicode/utf8"

	"example.com/livery/renderer/jsontree"
)

// check judges an operation without looking at the document: its name, what it carries and must
// not carry, and its pointers.
func (e *editor) check(op *Operation) (path, from jsontree.Pointer, problems []problem) {
	report := func(pointer, what string) {
		if what != "" {
			problems = append(problems, problem{pointer: pointer, what: what})
		}
	}
	report(op.Path, checkCarries(op))
	path, what := e.parsePointer(op.Path)
	report(op.Path, what)
	if op.From != "" {
		from, what = e.parsePointer(op.From)
		report(op.From, what)
	}
	if op.Op == "remove" || len(problems) > 0 {
		return path, from, problems
	}
	report(op.Path, e.checkNames(path[len(path)-1], op.Value))
	return path, from, problems
}

// checkCarries says what an operation has that it must not have, or lacks.
func checkCarries(op *Operation) string {
	needsValue, needsFrom := false, false
	switch op.Op {
	case "add", "replace":
		needsValue = true
	case "move", "copy":
		needsFrom = true
	case "remove":
	default:
		return strconv.Quote(clip(op.Op)) + " is not an operation; use add, replace, remove, move or copy"
	}
	switch {
	case needsValue && op.Value == nil:
		return op.Op + " needs a value"
	case !needsValue && op.Value != nil:
		return op.Op + " must not carry a value; leave it out"
	case needsFrom && op.From == "":
		return op.Op + " needs from, a pointer to what it takes (the whole document cannot be taken)"
	case !needsFrom && op.From != "":
		return op.Op + " must not carry from; leave it out"
	}
	return ""
}

func (e *editor) parsePointer(s string) (jsontree.Pointer, string) {
	if s == "" {
		return nil, "the empty pointer names the whole document, which is never sent; name a member of it"
	}
	p, ok := jsontree.ParsePointer(s)
	if !ok && s[0] != '/' {
		return nil, "a pointer begins with '/'"
	}
	if !ok {
		return nil, "in a pointer '~' is followed by 0 or 1; write '~0' for '~' and '~1' for '/'"
	}
	if e.limits.MaxDepth > 0 && len(p) > e.limits.MaxDepth {
		return nil, "the pointer names " + strconv.Itoa(len(p)) + " levels; the limit is " + strconv.Itoa(e.limits.MaxDepth)
	}
	return p, ""
}

// checkNames judges the names that an operation brings into the document.
func (e *editor) checkNames(last string, v *jsontree.Node) string {
	most := e.limits.MaxName
	if most <= 0 {
		return ""
	}
	length, name := utf8.RuneCountInString(last), last
	if v != nil {
		if l, s := longestName(v); l > length {
			length, name = l, s
		}
	}
	if length <= most {
		return ""
	}
	return "the name " + strconv.Quote(clip(name)) + " has " + strconv.Itoa(length) + " characters; the limit is " + strconv.Itoa(most)
}

// heightOfValue returns the nesting of a value that the batch brings along.
func (e *editor) heightOfValue(v *jsontree.Node) int {
	if e.limits.MaxDepth <= 0 {
		return 0
	}
	return e.measures.of(v).height
}

// fitsDepth judges a value of that height at path: each segment of the path is one level above it.
func (e *editor) fitsDepth(path jsontree.Pointer, height int) problem {
	if e.limits.MaxDepth <= 0 || len(path)+height <= e.limits.MaxDepth {
		return problem{}
	}
	return problem{pointer: path.String(), what: "the document would nest " + strconv.Itoa(len(path)+height) + " levels deep; the limit is " + strconv.Itoa(e.limits.MaxDepth)}
}

// fitsBytes judges the size of the document as it is now. Past the limit the batch is given up, so
// that a chain of copies ends at the first that is too large.
func (e *editor) fitsBytes(path jsontree.Pointer) problem {
	if e.limits.MaxBytes <= 0 || e.root.grown <= 0 {
		return e.fitsWork(path)
	}
	if n := e.bytesOf(e.root); n > e.limits.MaxBytes {
		return problem{path.String(), "the document would grow to " + strconv.Itoa(n) + " bytes; the limit is " + strconv.Itoa(e.limits.MaxBytes), true}
	}
	return e.fitsWork(path)
}

func (e *editor) fitsWork(path jsontree.Pointer) problem {
	if e.work <= maxWork {
		return problem{}
	}
	return problem{path.String(), "the batch copies or shifts too much up to here; send it in parts", true}
}

// find returns what stands at path.
func (e *editor) find(path jsontree.Pointer) (*cell, problem) {
	c := e.root
	for i, name := range path {
		next, what := child(c, name)
		if what != "" {
			return nil, problem{pointer: path.String(), what: at(path[:i]) + what}
		}
		c = next
	}
	return c, problem{}
}

// container returns the object or array that path names a place in.
func (e *editor) container(path jsontree.Pointer) (*cell, problem) {
	above := path[:len(path)-1]
	c, p := e.find(above)
	if p.what != "" {
		return nil, problem{pointer: path.String(), what: p.what + "; add the parents first"}
	}
	if c.node.Kind != jsontree.Object && c.node.Kind != jsontree.Array {
		return nil, problem{pointer: path.String(), what: at(above) + "there is a " + c.node.Kind.String() + ", which has no members"}
	}
	return c, problem{}
}

func child(c *cell, name string) (*cell, string) {
	switch c.node.Kind {
	case jsontree.Object:
		if found := c.member(name); found != nil {
			return found, ""
		}
		return nil, "there is no member " + strconv.Quote(clip(name))
	case jsontree.Array:
		i, ok := jsontree.ArrayIndex(name)
		if ok && i < c.length() {
			return c.element(i), ""
		}
		return nil, "there is no element " + strconv.Quote(clip(name)) + " in an array of " + strconv.Itoa(c.length())
	}
	return nil, "there is a " + c.node.Kind.String() + ", which has no members"
}

func at(p jsontree.Pointer) string {
	if len(p) == 0 {
		return "at the root "
	}
	return "at " + strconv.Quote(clip(p.String())) + " "
}
