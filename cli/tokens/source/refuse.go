package source

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/intake/tree"
	"example.com/livery/intake/value"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// The bounds of a document at the origin: characters of a name, and levels of nesting.
const (
	maxName  = 256
	maxDepth = 64
)

// DropInvalid returns document without what the origin would refuse of it, and what that is. The document is what a push would make of
// stored, which may be nil; what is left out stays as stored has it. A stored token that the files do not name gets the $type that it has,
// if it cannot have the one that they give its group. Neither document is changed.
func DropInvalid(document, stored *jsontree.Node) (*jsontree.Node, []Dropped) {
	var list []Dropped
	if stored == nil {
		stored = jsontree.NewObject()
	}
	tries, tokens := map[string]int{}, sync.OnceValue(func() *dtcg.Document { return dtcg.Read(stored) })
	for {
		edits := map[string]*jsontree.Node{}
		for _, f := range append(beyondBounds(nil, document, nil), dtcg.Check(document)...) {
			p, _ := jsontree.ParsePointer(f.Pointer)
			at := faultyPart(document, p)
			pointer := at.String()
			if len(at) == 0 || isEdited(edits, at) { // it is about the document as a whole, or told already
				continue
			}
			n, was := document.Lookup(at), stored.Lookup(at)
			tries[pointer]++
			token := tokens().Token(strings.Join(at, "."))
			if n == was && token != nil && token.Resolved != "" && n.Find("$type") == nil {
				edits[pointer] = tree.With(n, "$type", jsontree.NewString(token.Resolved))
				continue
			}
			if tries[pointer] == 1 {
				if p[len(p)-1] == "$value" {
					f.Message = withHint(f.Message, document.Lookup(p))
				}
				list = append(list, Dropped{Path: strings.Join(at, "."), Pointer: pointer, Fault: f.Pointer, Reason: f.Message, Tokens: tokensIn(n, at), Value: spellValue(n)})
			}
			if edits[pointer] = nil; tries[pointer] == 1 && n != was {
				edits[pointer] = was
			}
		}
		if len(edits) == 0 {
			return document, list
		}
		document = changeset.Edited(document, edits)
	}
}

// beyondBounds appends what of a document, or of a value at a place in one, goes beyond the bounds of the origin.
func beyondBounds(list []dtcg.Fault, n *jsontree.Node, at jsontree.Pointer) []dtcg.Fault {
	if len(at) >= maxDepth && (n.IsObject() || n.Kind == jsontree.Array) {
		return append(list, dtcg.Fault{Pointer: at.String(), Message: "a document nests at most " + strconv.Itoa(maxDepth) + " levels deep"})
	}
	for _, m := range n.Members {
		below := append(at[:len(at):len(at)], m.Name)
		if count := utf8.RuneCountInString(m.Name); count > maxName {
			message := "a name has at most " + strconv.Itoa(maxName) + " characters, and this has " + strconv.Itoa(count)
			list = append(list, dtcg.Fault{Pointer: below.String(), Message: message})
		} else {
			list = beyondBounds(list, m.Value, below)
		}
	}
	for i, item := range n.Items() {
		list = beyondBounds(list, item, append(at[:len(at):len(at)], strconv.Itoa(i)))
	}
	return list
}

// faultyPart returns the place of what has to go for a fault at a place: the token around a value or type, the member of the metadata around
// what is in it, or the place itself.
func faultyPart(document *jsontree.Node, at jsontree.Pointer) jsontree.Pointer {
	for i, name := range at {
		if i > 0 && dtcg.IsToken(document) && (name == "$value" || name == "$type" || !dtcg.IsMetadata(name)) {
			return at[:i]
		}
		if dtcg.IsMetadata(name) {
			return at[:i+1]
		}
		document = document.Find(name)
	}
	return at
}

func isEdited(edits map[string]*jsontree.Node, at jsontree.Pointer) bool {
	for i := range at {
		if _, known := edits[at[:i+1].String()]; known {
			return true
		}
	}
	return false
}

// spellValue spells what is wrong with a token or a member of metadata; it is empty for a group.
func spellValue(n *jsontree.Node) string {
	switch {
	case dtcg.IsToken(n):
		n = n.Find("$value")
	case n.IsObject():
		return ""
	}
	if n.Kind == jsontree.Null {
		return "" // the reason says it
	}
	return value.Spell(n)
}

// tokensIn counts the tokens at a place.
func tokensIn(n *jsontree.Node, at jsontree.Pointer) int {
	switch {
	case dtcg.IsMetadata(at[len(at)-1]):
		return 0
	case dtcg.IsToken(n):
		return 1
	}
	return len(dtcg.Read(n).Tokens)
}

// DropInvalidOverrides returns overrides without those whose path the origin refuses, or that go beyond its bounds, and which those are. It
// refuses no other value.
func DropInvalidOverrides(overrides *jsontree.Node) (*jsontree.Node, []Dropped) {
	var out []Dropped
	valid := tree.MapMembers(overrides, func(m jsontree.Member) jsontree.Member {
		reason := theming.CheckPath(m.Name)
		if reason == "" {
			document := jsontree.NewObject()
			tree.Put(document, append(strings.Split(m.Name, "."), "$value"), m.Value)
			if faults := beyondBounds(nil, document, nil); len(faults) > 0 {
				reason = faults[0].Message
			}
		}
		if reason != "" {
			out = append(out, Dropped{Path: m.Name, Reason: reason, Tokens: 1})
			m.Value = nil
		}
		return m
	})
	return valid, out
}

// valueParts are members of values of DTCG, which no object of modes has.
var valueParts = []string{"value", "unit", "colorSpace", "components", "color", "alpha", "fontFamily", "offsetX", "duration", "style", "dashArray", "stops"}

// withHint ends a message about a value that its type never has with what is wrong with it, if it is a boolean or a
// number in quotes, or an object, whose members may be modes. v may be nil.
func withHint(message string, v *jsontree.Node) string {
	hint := ""
	switch {
	case v.IsObject() && !slices.ContainsFunc(v.Members, func(m jsontree.Member) bool { return slices.Contains(valueParts, m.Name) }):
		hint = "if its members are modes, name them under values in livery.yaml"
	case v.IsString() && (v.Text == "true" || v.Text == "false"):
		hint = "write " + v.Text + " without quotes"
	case v != nil:
		if _, err := strconv.ParseFloat(v.Text, 64); errors.Is(err, strconv.ErrRange) {
			hint = "the number is too large"
		} else if err == nil && v.IsString() {
			hint = "write a number as JSON has it, such as 0.5"
		}
	}
	if hint == "" {
		return message
	}
	return message + ": " + hint
}
