package references

import (
	"strconv"

	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// NotApplied is the kind of the faults of Unapplied.
const NotApplied = "referenceNotApplied"

// Fault is a reference that nothing applies.
type Fault struct {
	Path    string // dotted
	Message string
	Next    string // what to do
	pointer string
}

// Unapplied lists the references of a document as faults: nothing applies them once the document is stored.
func Unapplied(root *jsontree.Node) (list []Fault) {
	add := func(at jsontree.Pointer, what string) {
		pointer := at.String()
		list = append(list, Fault{pathOf(pointer), what + " is stored as it is written, and no served file applies it", "Write an alias or the value.", pointer})
	}
	visit(root, nil, func(at jsontree.Pointer, n *jsontree.Node) {
		for _, name := range referenceNames {
			if site := n.Find(name); site != nil {
				add(append(at[:len(at):len(at)], name), name+" "+textOf(site))
			}
		}
		if value := n.Find("$value"); value != nil {
			eachReference(value, append(at[:len(at):len(at)], "$value"), func(at jsontree.Pointer, site *jsontree.Node) {
				add(at, "$ref "+site.Text)
			})
		}
	})
	return list
}

// referenceNames are the members of groups and tokens that are references.
var referenceNames = []string{"$extends", "$ref"}

// holdsReference reports whether a document holds a reference outside its extensions.
func holdsReference(n *jsontree.Node) bool {
	for _, m := range n.Members {
		switch {
		case m.Name == "$extends" || m.Name == "$ref":
			return true
		case m.Name != "$extensions" && holdsReference(m.Value):
			return true
		}
	}
	for _, item := range n.Items() {
		if holdsReference(item) {
			return true
		}
	}
	return false
}

// visit visits the groups and tokens of a document.
func visit(n *jsontree.Node, at jsontree.Pointer, do func(jsontree.Pointer, *jsontree.Node)) {
	do(at, n)
	if dtcg.IsToken(n) && len(at) > 0 {
		return
	}
	for _, m := range n.Members {
		if m.Value.IsObject() && !dtcg.IsMetadata(m.Name) {
			visit(m.Value, append(at[:len(at):len(at)], m.Name), do)
		}
	}
}

// eachReference visits the $ref members in a value.
func eachReference(n *jsontree.Node, at jsontree.Pointer, do func(jsontree.Pointer, *jsontree.Node)) {
	if site := n.Find("$ref"); site.IsString() {
		do(at, site)
	}
	for _, m := range n.Members {
		eachReference(m.Value, append(at[:len(at):len(at)], m.Name), do)
	}
	for i, item := range n.Items() {
		eachReference(item, append(at[:len(at):len(at)], strconv.Itoa(i)), do)
	}
}

// textOf is a text, or a value as JSON.
func textOf(n *jsontree.Node) string {
	switch {
	case n == nil:
		return ""
	case n.IsString():
		return n.Text
	}
	return string(jsontree.Append(nil, n))
}
