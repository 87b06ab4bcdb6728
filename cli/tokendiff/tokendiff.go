// Package tokendiff tells what changed between two token documents as a person would say it: which
// tokens are new, gone, renamed, of another type or of another value, and what of that can break a page
// that uses them. It is pure, and it never changes a tree that it was given.
package tokendiff

import (
	"slices"

	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Kind is what happened to a token.
type Kind uint8

// What happens to tokens, the most dangerous to a consumer first.
const (
	Removed Kind = iota
	Renamed      // its value may have changed as well
	Retyped
	Changed
	Added
	Described // the value is the same, and the description or other metadata another
)

// String is the kind as one word.
func (k Kind) String() string {
	return [...]string{"removed", "renamed", "retyped", "changed", "added", "described"}[k]
}

// Breaking reports whether a consumer of the custom property can break by such a change.
func (k Kind) Breaking() bool { return k == Removed || k == Renamed || k == Retyped }

// Change is what happened to one token.
type Change struct {
	Kind   Kind
	Path   string      // path afterwards, or before if it is removed
	From   string      // path before, of a renamed one
	Before *dtcg.Token // nil if it is added
	After  *dtcg.Token // nil if it is removed
}

// Compare lists the changes between two documents, those that can break a consumer first, and within
// one kind in document order. renamed tells which token stands at another path, as Renames does.
func Compare(before, after *dtcg.Document, renamed map[string]string) []Change {
	came := make(map[string]string, len(renamed)) // to -> from
	for from, to := range renamed {
		came[to] = from
	}
	var list []Change
	for i := range before.Tokens {
		t := &before.Tokens[i]
		if _, moved := renamed[t.Path]; !moved && before.Names(t) && (after.Token(t.Path) == nil || came[t.Path] != "") {
			list = append(list, Change{Kind: Removed, Path: t.Path, Before: t})
		}
	}
	for i := range after.Tokens {
		t := &after.Tokens[i]
		if !after.Names(t) {
			continue
		}
		if c, ok := compare(before, t, came[t.Path], renamed); ok {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b Change) int { return int(a.Kind) - int(b.Kind) })
	return list
}

// compare tells what happened to a token of the later document that came from a path, empty for its own.
func compare(before *dtcg.Document, t *dtcg.Token, from string, renamed map[string]string) (Change, bool) {
	c := Change{Path: t.Path, From: from, After: t}
	if from == "" {
		from = t.Path
		if _, moved := renamed[from]; moved {
			from = "" // what stood there stands elsewhere
		}
	}
	c.Before = before.Token(from)
	switch {
	case from == "" || c.Before == nil:
		c.Kind, c.Before = Added, nil
	case c.From != "":
		c.Kind = Renamed
	case c.Before.Resolved != t.Resolved:
		c.Kind = Retyped
	case !jsontree.Equal(c.Before.Value, t.Value):
		c.Kind = Changed
	case !dtcg.EqualButType(c.Before.Node, t.Node):
		c.Kind = Described
	default:
		return c, false
	}
	return c, true
}
