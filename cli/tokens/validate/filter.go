// Package validate finds what the origin would refuse of token files, and drops it.
package validate

import (
	"slices"
	"strings"

	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/intake/value"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// DropInvalid returns document without what the API would refuse of it, and what that is. The
// document is what a push would make of stored; what is left out stays as stored has it, if that
// fits there. What comes from stored and not from the files is never left out. Neither is changed.
func DropInvalid(document, stored *jsontree.Node) (*jsontree.Node, []Dropped) {
	s := filter{stored: stored, removed: map[string]bool{}}
	for {
		s.changed = false
		document = s.without(document, s.removals(document), nil, stored)
		if !s.changed {
			return document, s.dropped
		}
	}
}

// filter removes places from a document, round after round until no fault is left: without a
// group's $type, and with what was stored in the place of a token, there can be new faults.
type filter struct {
	stored  *jsontree.Node
	removed map[string]bool // pointers that were left out already
	dropped []Dropped
	changed bool // in this round
}

// removal is a tree of the places that are removed in one round.
type removal struct {
	below   map[string]*removal
	reasons []string // why this place is left out; empty if only something below it is
}

func (c *removal) at(p ...string) *removal {
	for _, name := range p {
		if c.below == nil {
			c.below = map[string]*removal{}
		}
		if c.below[name] == nil {
			c.below[name] = &removal{}
		}
		c = c.below[name]
	}
	return c
}

func (c *removal) because(reason string) { c.reasons = append(c.reasons, reason) }

// removals returns the least that must be removed for every fault that Check lists.
func (s *filter) removals(document *jsontree.Node) *removal {
	root := &removal{}
	beyondBounds(root, document, nil)
	for _, f := range dtcg.Check(document) {
		p, ok := jsontree.ParsePointer(f.Pointer)
		if !ok || len(p) == 0 {
			continue // it is about the document as a whole
		}
		f.Message = WithHint(WithNearestType(f.Message), document.Lookup(p))
		above, last := p[:len(p)-1], p[len(p)-1]
		holder := document.Lookup(above)
		ofToken := len(above) > 0 && dtcg.IsToken(holder)
		switch {
		case ofToken && last == "$value" && s.unnamed(above, holder, s.storedAt(above)):
			s.conflict(root, document, above)
		case ofToken && (last == "$type" || last == "$value"):
			root.at(above...).because(f.Message)
		case last == "$type":
			s.untype(root, document, above, f.Message)
		default:
			root.at(p...).because(f.Message)
		}
	}
	return root
}

// untype leaves out the $type of a group, and the tokens that have their type from it: to push them
// under another type, or a guessed one, would give them a meaning that no author wrote.
func (s *filter) untype(root *removal, document *jsontree.Node, group jsontree.Pointer, reason string) {
	at := append(slices.Clone(group), "$type")
	n := document.Lookup(group)
	if s.unnamed(at, n.Find("$type"), s.storedAt(at)) {
		return // the files did not bring it
	}
	c := root.at(group...)
	c.at("$type").because(reason)
	c.untyped(n, "has its type from "+strings.Join(at, ".")+", which is left out")
}

func (c *removal) untyped(group *jsontree.Node, reason string) {
	for _, m := range group.Members {
		switch {
		case tokentree.IsMeta(m.Name) || !m.Value.IsObject() || m.Value.IndexOf("$type") >= 0:
		case !dtcg.IsToken(m.Value):
			c.at(m.Name).untyped(m.Value, reason)
		case !isAlias(m.Value.Find("$value")):
			c.at(m.Name).because(reason)
		}
	}
}

// conflict leaves out the $type that the files give to a group and that a token below it, which they
// do not name, cannot have.
func (s *filter) conflict(root *removal, document *jsontree.Node, token jsontree.Pointer) {
	n := len(token) - 1
	for n > 0 && document.Lookup(token[:n]).IndexOf("$type") < 0 {
		n--
	}
	if len(root.at(token[:n]...).at("$type").reasons) == 0 {
		s.untype(root, document, token[:n], "the token "+strings.Join(token, ".")+", which the files do not name, cannot be of this type")
	}
}

// isAlias reports whether a value is one alias as a whole, so that its type is the target's.
func isAlias(n *jsontree.Node) bool {
	return n.IsString() && strings.HasPrefix(n.Text, "{") && strings.IndexAny(n.Text[1:], "{}") == len(n.Text)-2
}

// without returns n, which stands at the pointer at, without the places of c. stored is what the
// stored document has there, nil for nothing.
func (s *filter) without(n *jsontree.Node, c *removal, at jsontree.Pointer, stored *jsontree.Node) *jsontree.Node {
	members := make([]jsontree.Member, 0, len(n.Members))
	for _, m := range n.Members {
		if below := c.below[m.Name]; below != nil {
			m.Value = s.settle(m.Value, below, append(at, m.Name), storedMember(stored, m.Name))
		}
		if m.Value != nil {
			members = append(members, m)
		}
	}
	result := jsontree.NewObject(members...)
	result.Index()
	return result
}

// settle returns what takes the place of n: itself, what was stored there, or nil for nothing.
func (s *filter) settle(n *jsontree.Node, c *removal, at jsontree.Pointer, stored *jsontree.Node) *jsontree.Node {
	if len(c.reasons) == 0 {
		return s.without(n, c, at, stored)
	}
	if s.unnamed(at, n, stored) {
		return n
	}
	s.changed = true
	if pointer := at.String(); !s.removed[pointer] {
		s.removed[pointer] = true
		s.dropped = append(s.dropped, Dropped{Path: strings.Join(at, "."), Pointer: pointer, Reason: strings.Join(c.reasons, "; "), Tokens: tokensIn(n, at), Value: valueOf(n)})
	}
	if n == stored {
		return nil // not even that fits
	}
	return stored
}

// unnamed reports whether n is what the stored document has in its place because the files do not
// name it.
func (s *filter) unnamed(at jsontree.Pointer, n, stored *jsontree.Node) bool {
	return n == stored && !s.removed[at.String()]
}

// storedAt returns what the stored document has at a place, or nil.
func (s *filter) storedAt(p jsontree.Pointer) *jsontree.Node {
	n := s.stored
	for _, name := range p {
		n = storedMember(n, name)
	}
	return n
}

// storedMember returns a member of a group, or metadata of a token; what else stands inside a token
// is nothing that could be put elsewhere.
func storedMember(n *jsontree.Node, name string) *jsontree.Node {
	if n == nil || !tokentree.IsGroup(n) && !tokentree.IsMeta(name) {
		return nil
	}
	return n.Find(name)
}

// valueOf spells what is wrong with a token or a metadata member for a message; empty for a group.
func valueOf(n *jsontree.Node) string {
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

func tokensIn(n *jsontree.Node, at jsontree.Pointer) int {
	switch {
	case tokentree.IsMeta(at[len(at)-1]):
		return 0
	case dtcg.IsToken(n):
		return 1
	}
	return len(dtcg.Read(n).Tokens)
}
