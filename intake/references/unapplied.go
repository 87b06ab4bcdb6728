package references

import (
	"slices"
	"strings"

	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Unapplied lists the references of a document as faults: nothing applies them once the document is stored.
func Unapplied(root *jsontree.Node) (list []Fault) {
	add := func(at jsontree.Pointer, what, text string) {
		list = append(list, Fault{
			NotApplied, at.String(), pathOf(at.String()),
			what + text + " is stored as it is written, and no served file applies it",
			"Push the file without --keep-references, or write an alias or the value.", false,
		})
	}
	visit(root, nil, func(at jsontree.Pointer, n *jsontree.Node) {
		for _, name := range referenceNames {
			if site := n.Find(name); site != nil {
				add(append(at[:len(at):len(at)], name), name+" ", textOf(site))
			}
		}
		if value := n.Find("$value"); value != nil {
			eachReference(value, append(at[:len(at):len(at)], "$value"), func(at jsontree.Pointer, site *jsontree.Node) {
				add(at, "$ref ", site.Text)
			})
		}
	})
	return list
}

// Modifiers lists the tokens that have a modifier of Tokens Studio, which nothing applies.
func Modifiers(root *jsontree.Node) (list []Fault) {
	visit(root, nil, func(at jsontree.Pointer, n *jsontree.Node) {
		modify := n.Find("$extensions").Find("studio.tokens").Find("modify")
		if modify == nil || !dtcg.IsToken(n) {
			return
		}
		what := strings.TrimSpace(textOf(modify.Find("type")) + " " + textOf(modify.Find("value")))
		list = append(list, Fault{
			ModifierIgnored, append(at[:len(at):len(at)], "$extensions", "studio.tokens", "modify").String(), strings.Join(at, "."),
			"its modifier of Tokens Studio (" + what + ") is not applied: the value is served without it",
			"Write the value that the modifier gives, or export with resolved values.", false,
		})
	})
	return list
}

// UnusedDefinitions lists the tokens in the $defs of a document that no reference leads to, above or into: nothing else reads them.
func UnusedDefinitions(root *jsontree.Node) (unused []jsontree.Pointer) {
	targets, above := map[string]bool{}, map[string]bool{} // what references lead to, and what that stands in
	eachName(root, func(text string) {
		_, fragment, isPointer := strings.Cut(text, "#")
		if inner, ok := strings.CutPrefix(text, "{"); ok {
			fragment, isPointer = jsontree.Pointer(strings.Split(strings.TrimSuffix(inner, "}"), ".")).String(), true
		}
		if p, ok := jsontree.ParsePointer(fragment); ok && isPointer {
			targets[p.String()] = true
			for i := range p {
				above[p[:i].String()] = true
			}
		}
	})
	leads := func(at jsontree.Pointer) bool {
		for i := range len(at) + 1 {
			if targets[at[:i].String()] {
				return true
			}
		}
		return above[at.String()]
	}
	visit(root, nil, func(above jsontree.Pointer, n *jsontree.Node) {
		if defs := n.Find("$defs"); defs.IsObject() {
			visit(defs, append(above[:len(above):len(above)], "$defs"), func(at jsontree.Pointer, n *jsontree.Node) {
				if dtcg.IsToken(n) && !leads(at) {
					unused = append(unused, at)
				}
			})
		}
	})
	return unused
}

// eachName visits the texts of the references of a document.
func eachName(n *jsontree.Node, do func(text string)) {
	for _, m := range n.Members {
		switch {
		case m.Name == "$extensions":
		case slices.Contains(referenceNames, m.Name) && m.Value.IsString():
			do(m.Value.Text)
		default:
			eachName(m.Value, do)
		}
	}
	for _, item := range n.Items() {
		eachName(item, do)
	}
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
		eachReference(item, append(at[:len(at):len(at)], itoa(i)), do)
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
