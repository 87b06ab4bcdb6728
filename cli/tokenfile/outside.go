package tokenfile

import (
	"slices"
	"strconv"
	"strings"

	"example.com/livery/renderer/jsontree"
)

// freeNames are the $ members in whose objects anything may stand, or whose tokens are named otherwise.
var freeNames = []string{"$extensions", "$value", "$defs"}

// metadataNames are the $ members that are none of tokens.
var metadataNames = []string{"$extensions", "$description", "$type", "$value", "$ref", "$extends", "$deprecated", "$schema", "$themes", "$metadata", "$defs"}

// notRead lists as faults the tokens in a value that no reader looks into. at is its place, and why says what is wrong
// with it.
func notRead(n *jsontree.Node, at jsontree.Pointer, why string) (list []Fault) {
	isToken := n.IsObject() && isToken(n)
	if isToken {
		list = append(list, Fault{at.String(), strings.Join(at, "."), why})
	}
	for _, m := range n.Members {
		isOwn := isToken && m.Name != "sets" && (isMeta(m.Name) || slices.Contains(ownMembers, m.Name))
		if m.Name != "$extensions" && !isOwn {
			list = append(list, notRead(m.Value, append(at[:len(at):len(at)], m.Name), why)...)
		}
	}
	for i, item := range n.Items() {
		list = append(list, notRead(item, append(at[:len(at):len(at)], strconv.Itoa(i)), why)...)
	}
	return list
}

// Outside lists as faults the tokens of a file that stand in none of the members that are read of the object at a
// place.
func Outside(n *jsontree.Node, at jsontree.Pointer, read func(name string) bool) (list []Fault) {
	for _, m := range n.Members {
		if !read(m.Name) {
			list = append(list, notRead(m.Value, append(at[:len(at):len(at)], m.Name), "it stands outside of what is read of a file of this form; put it into a file of its own")...)
		}
	}
	return list
}
