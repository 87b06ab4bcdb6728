package validate

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// The bounds of a document at the origin: characters of a name, and levels of nesting.
const (
	maxName  = 256
	maxDepth = 64
)

// Check lists what the API would refuse of a document: what goes beyond the bounds of the origin, and what is
// not a well-formed tree of tokens.
func Check(document *jsontree.Node) []dtcg.Fault {
	root := &removal{}
	beyondBounds(root, document, nil)
	return append(root.faults(nil, nil), dtcg.Check(document)...)
}

// faults appends the reasons of a removal at a place and below it.
func (c *removal) faults(list []dtcg.Fault, at jsontree.Pointer) []dtcg.Fault {
	for _, reason := range c.reasons {
		list = append(list, dtcg.Fault{Pointer: at.String(), Message: reason})
	}
	for _, name := range slices.Sorted(maps.Keys(c.below)) {
		list = c.below[name].faults(list, append(at[:len(at):len(at)], name))
	}
	return list
}

// beyondBounds adds to root what of a group at a place goes beyond the bounds of the origin.
func beyondBounds(root *removal, group *jsontree.Node, at jsontree.Pointer) {
	for _, m := range group.Members {
		below := append(at[:len(at):len(at)], m.Name)
		isInside := tokentree.IsMeta(m.Name) || !m.Value.IsObject()
		reason := nameFault(m.Name)
		if reason == "" && (isInside || len(below) >= maxDepth) {
			reason = boundFault(m.Value, len(below))
		}
		switch {
		case reason == "" && !isInside:
			beyondBounds(root, m.Value, below)
		case reason == "":
		case m.Name == "$value" && len(at) > 0:
			root.at(at...).because(reason)
		default:
			root.at(below...).because(reason)
		}
	}
}

func nameFault(name string) string {
	if n := utf8.RuneCountInString(name); n > maxName {
		return "a name has at most " + strconv.Itoa(maxName) + " characters, and this has " + strconv.Itoa(n)
	}
	return ""
}

// overrideFault says why an override goes beyond the bounds; empty if it does not. Its value stands below its path and
// $value.
func overrideFault(m jsontree.Member) string {
	names := strings.Split(m.Name, ".")
	for _, name := range names {
		if reason := nameFault(name); reason != "" {
			return reason
		}
	}
	if len(names) > maxDepth {
		return "a document nests at most " + strconv.Itoa(maxDepth) + " levels deep"
	}
	return boundFault(m.Value, len(names)+1)
}

// boundFault says why a value so deep in a document goes beyond the bounds; empty if it does not.
func boundFault(n *jsontree.Node, depth int) string {
	if n == nil || len(n.Members)+len(n.Items()) == 0 && !n.IsObject() && n.Kind != jsontree.Array {
		return ""
	}
	if depth >= maxDepth {
		return "a document nests at most " + strconv.Itoa(maxDepth) + " levels deep"
	}
	for _, m := range n.Members {
		if reason := nameFault(m.Name); reason != "" {
			return reason
		}
		if reason := boundFault(m.Value, depth+1); reason != "" {
			return reason
		}
	}
	for _, item := range n.Items() {
		if reason := boundFault(item, depth+1); reason != "" {
			return reason
		}
	}
	return ""
}
