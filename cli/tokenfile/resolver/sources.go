package resolver

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/renderer/jsontree"
)

// maxSteps bounds what references to sets may multiply, over all contexts.
const maxSteps = 1 << 16

// list appends the sources of an array at a place. through has the places of the references that lead to it.
func (d *Document) list(list []Source, array *jsontree.Node, at jsontree.Pointer, through []string) ([]Source, error) {
	array, err := d.open(array, at, through)
	if err != nil {
		return nil, err
	}
	if !isArray(array) {
		return nil, &Error{at.String(), "the sources of tokens are not an array", `Write an array of tokens or of {"$ref": "FILE"}.`}
	}
	for i, item := range array.Items() {
		if d.steps++; d.steps > maxSteps {
			return nil, &Error{at.String(), "sets that lead to each other make too many sources", "Name each source once."}
		}
		if list, err = d.source(list, item, below(at, strconv.Itoa(i)), through); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// source appends what one source stands for: tokens, a file, or what a reference within the document leads to.
func (d *Document) source(list []Source, item *jsontree.Node, at jsontree.Pointer, through []string) ([]Source, error) {
	ref := item.Find("$ref")
	switch {
	case !item.IsObject():
		return nil, &Error{at.String(), "a source is not an object", `Write tokens or {"$ref": "FILE"}.`}
	case ref == nil:
		return append(list, Source{Tree: item, Pointer: at.String()}), nil
	case !strings.HasPrefix(textOf(ref), "#"):
		file, err := fileOf(ref, at)
		if err != nil {
			return nil, err
		}
		return beside(append(list, file), len(list), item, at), nil
	}
	target, err := d.follow(ref, at, &through)
	if err != nil {
		return nil, err
	}
	n := d.root.Lookup(target)
	if sources := n.Find("sources"); isArray(sources) || isArray(n) {
		if own := tokensBeside(item); len(own) > 0 {
			return nil, &Error{at.String(), "tokens beside a $ref to a set cannot replace some of its sources: " + strings.Join(own, ", "), "Write them as a source of their own after it."}
		}
		if n.IsObject() {
			n, target = sources, below(target, "sources")
		}
		return d.list(list, n, target, through)
	}
	first := len(list)
	if list, err = d.source(list, n, target, through); err != nil {
		return nil, err
	}
	return beside(list, first, item, at), nil
}

// fileOf reads a reference to a file or to a part of one.
func fileOf(ref *jsontree.Node, at jsontree.Pointer) (Source, error) {
	file, fragment, _ := strings.Cut(textOf(ref), "#")
	name, err := url.PathUnescape(file)
	part, ok := pointerOf(fragment)
	switch {
	case strings.Contains(file, "://"):
		return Source{}, &Error{at.String(), textOf(ref) + " is on a server, and Livery fetches nothing", "Download it, and name the file."}
	case err != nil || !ok || file == "":
		return Source{}, &Error{at.String(), "a $ref is not a file or a JSON Pointer: " + spelled(ref), "Write FILE, FILE#/a/b or #/sets/NAME."}
	}
	return Source{File: name, Part: part, Pointer: at.String()}, nil
}

// beside appends the tokens that stand beside a $ref. They replace members of what it leads to: the sources from first on.
func beside(list []Source, first int, item *jsontree.Node, at jsontree.Pointer) []Source {
	own := jsontree.NewObject()
	for _, m := range item.Members {
		if m.Name != "$ref" {
			own.Members = append(own.Members, m)
		}
	}
	if len(own.Members) == 0 {
		return list
	}
	own.Index()
	for i := range list[first:] {
		s := &list[first+i]
		for _, m := range own.Members {
			s.Without = append(s.Without, m.Name)
		}
	}
	return append(list, Source{Tree: own, Pointer: at.String()})
}

// tokensBeside lists the members beside a $ref to a set that are not about the set itself.
func tokensBeside(item *jsontree.Node) (names []string) {
	for _, m := range item.Members {
		if !strings.HasPrefix(m.Name, "$") && m.Name != "description" {
			names = append(names, m.Name)
		}
	}
	return names
}

// open returns what stands in a place of a definition: where a reference stands, what that leads to.
func (d *Document) open(n *jsontree.Node, at jsontree.Pointer, through []string) (*jsontree.Node, error) {
	ref := n.Find("$ref")
	if ref == nil {
		return n, nil
	}
	target, err := d.follow(ref, at, &through)
	if err != nil {
		return nil, err
	}
	found, err := d.open(d.root.Lookup(target), target, through)
	if err != nil {
		return nil, err
	}
	return d.over(found, n, at), nil
}

// follow returns the place that a reference leads to, and notes it. It returns an *Error if the reference is circular.
func (d *Document) follow(ref *jsontree.Node, at jsontree.Pointer, through *[]string) (jsontree.Pointer, error) {
	target, err := d.target(ref, at)
	if err != nil {
		return nil, err
	}
	key := "#" + target.String()
	first := slices.Index(*through, key)
	*through = append((*through)[:len(*through):len(*through)], key)
	switch {
	case first >= 0:
		return nil, &Error{at.String(), "the references are circular: " + strings.Join((*through)[first:], " leads to "), "Remove one of them."}
	case strings.HasPrefix("#"+at.String()+"/", key+"/"):
		return nil, &Error{at.String(), "the reference is circular: it stands in " + textOf(ref) + " itself", "Remove it."}
	}
	return target, nil
}

// target returns the place in the document that a reference names.
func (d *Document) target(ref *jsontree.Node, at jsontree.Pointer) (jsontree.Pointer, error) {
	fragment, isOwn := strings.CutPrefix(textOf(ref), "#")
	p, ok := pointerOf(fragment)
	switch {
	case !isOwn || !ok:
		return nil, &Error{at.String(), "a reference that is not to a source of tokens must lead into the document: " + spelled(ref), "Write #/sets/NAME or another JSON Pointer."}
	case len(p) > 0 && p[0] == "resolutionOrder":
		return nil, &Error{at.String(), textOf(ref) + " leads into the resolutionOrder, and no reference may", "Write the set under \"sets\", and refer to #/sets/NAME."}
	case len(p) > 0 && p[0] == "modifiers" && (at[0] != "resolutionOrder" || len(at) > 2):
		return nil, &Error{at.String(), textOf(ref) + " leads to a modifier, and only the resolutionOrder may", "Refer to a set or a file."}
	case d.root.Lookup(p) == nil:
		return nil, &Error{at.String(), "the document has no " + textOf(ref), d.nearest(p)}
	}
	d.used[p[:min(2, len(p))].String()] = true
	return p, nil
}

// pointerOf reads the fragment of a reference. The specification itself leaves out its first slash once.
func pointerOf(fragment string) (jsontree.Pointer, bool) {
	fragment, err := url.PathUnescape(fragment)
	if fragment != "" && fragment[0] != '/' {
		fragment = "/" + fragment
	}
	p, ok := jsontree.ParsePointer(fragment)
	return p, ok && err == nil
}

// over returns an object with the members that stand beside a $ref to it, at a place, instead of its own.
func (d *Document) over(n, beside *jsontree.Node, at jsontree.Pointer) *jsontree.Node {
	if len(beside.Members) == 1 || !n.IsObject() {
		return n
	}
	result := jsontree.NewObject(slices.Clone(n.Members)...)
	for _, m := range beside.Members {
		if i := n.IndexOf(m.Name); i >= 0 {
			result.Members[i].Value = m.Value
			if pointer := below(at, m.Name).String(); (m.Name == "sources" || m.Name == "contexts") && !slices.Contains(d.Replaced, pointer) {
				d.Replaced = append(d.Replaced, pointer)
			}
		} else if m.Name != "$ref" {
			result.Members = append(result.Members, m)
		}
	}
	result.Index()
	return result
}

func below(at jsontree.Pointer, names ...string) jsontree.Pointer {
	return append(at[:len(at):len(at)], names...)
}

func isArray(n *jsontree.Node) bool { return n != nil && n.Kind == jsontree.Array }

func textOf(n *jsontree.Node) string {
	if n.IsString() {
		return n.Text
	}
	return ""
}

func spelled(n *jsontree.Node) string { return string(jsontree.Append(nil, n)) }

func membersOf(n *jsontree.Node) []jsontree.Member {
	if n == nil {
		return nil
	}
	return n.Members
}

// Files lists the files that references anywhere in a document name, relative to the document.
func Files(n *jsontree.Node) (names []string) {
	if ref := n.Find("$ref"); ref.IsString() {
		if s, err := fileOf(ref, nil); err == nil {
			names = append(names, s.File)
		}
	}
	for _, m := range n.Members {
		names = append(names, Files(m.Value)...)
	}
	for _, item := range n.Items() {
		names = append(names, Files(item)...)
	}
	return names
}
