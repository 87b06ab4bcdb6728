package theming

import (
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// TokenEntry is one token of a token set. Of a Variant's it has Path and Value only.
type TokenEntry struct {
	Path         string         // dotted
	Type         *string        // the token's own $type; nil if it is inherited
	ResolvedType *string        // after inheritance and inference; nil if there is none
	Inferred     bool           // ResolvedType was guessed from a value's shape
	Value        *jsontree.Node // as stored, aliases unresolved
	Description  *jsontree.Node // a String; nil if there is none
	Extensions   *jsontree.Node // an Object; nil if there are none
}

// GroupEntry is one group that has metadata of its own.
type GroupEntry struct {
	Path        string         // dotted; empty for the root
	Type        *string        // its own $type; nil if it has none
	Description *jsontree.Node // a String; nil if there is none
}

// TokenSet lists the tokens of a document and the groups that have metadata of their own, both
// depth first in document order.
func TokenSet(document *jsontree.Node) ([]TokenEntry, []GroupEntry) {
	d := dtcg.Read(document)
	tokens := make([]TokenEntry, len(d.Tokens))
	for i := range d.Tokens {
		t := &d.Tokens[i]
		tokens[i] = TokenEntry{
			Path: t.Path, ResolvedType: orNil(&t.Resolved), Inferred: t.Inferred,
			Value: t.Value, Description: t.Node.Find("$description"), Extensions: t.Node.Find("$extensions"),
		}
		if t.Typed {
			tokens[i].Type = &t.Resolved
		}
	}
	groups := make([]GroupEntry, len(d.Groups))
	for i := range d.Groups {
		g := &d.Groups[i]
		groups[i] = GroupEntry{Path: g.Path, Type: orNil(&g.Type), Description: g.Description}
	}
	return tokens, groups
}

// OverrideSet lists the overrides of a Variant in the order they were set.
func OverrideSet(overrides *jsontree.Node) []TokenEntry {
	tokens := make([]TokenEntry, len(overrides.Members))
	for i, m := range overrides.Members {
		tokens[i] = TokenEntry{Path: m.Name, Value: m.Value}
	}
	return tokens
}

// CountTokens returns the number of tokens of a document.
func CountTokens(document *jsontree.Node) (count int) {
	for _, m := range document.Members {
		switch {
		case !m.Value.IsObject() || dtcg.IsMetadata(m.Name):
		case dtcg.IsToken(m.Value):
			count++
		default:
			count += CountTokens(m.Value)
		}
	}
	return count
}

// orNil returns s, or nil if it is empty.
func orNil(s *string) *string {
	if *s == "" {
		return nil
	}
	return s
}
