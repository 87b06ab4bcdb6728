package theming

import (
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// migration carries the overrides of Variants from one document of their Theme to the next.
type migration struct {
	after   *dtcg.Document
	moves   []record.Move     // all renames, those of groups as one
	renamed map[string]string // token paths, old to new
	touched map[string]touch  // by old path: the tokens of which an override does not simply stay
	remark  record.Remark     // counts what is different
}

// touch is what a publish did to a token.
type touch struct {
	to      string // its path now; empty if it is gone
	retyped bool   // its resolved type is another
}

func newMigration(before, after *jsontree.Node, moves []record.Move, movesOnly bool) *migration {
	older := dtcg.Read(before)
	m := &migration{after: older, touched: map[string]touch{}}
	if after != before {
		m.after = dtcg.Read(after)
	}
	m.renamed, m.moves = publishRenames(older, m.after, moves, movesOnly)
	m.compareAll(older)
	return m
}

// carriedBack returns overrides of the document before as they are over another version of the Theme. moves are the
// renames of every publish between the two: what these did not rename is not taken for renamed by its content.
func carriedBack(overrides, before, after *jsontree.Node, moves []record.Move) *jsontree.Node {
	older := dtcg.Read(before)
	m := &migration{after: dtcg.Read(after), touched: map[string]touch{}}
	m.renamed = tokenRenames(older, m.after, moves)
	m.compareAll(older)
	return m.carry(overrides)
}

// compareAll notes what became of every token.
func (m *migration) compareAll(older *dtcg.Document) {
	for i := range older.Tokens {
		if t := &older.Tokens[i]; older.Names(t) {
			m.compare(t)
		}
	}
	m.remark.Added = len(m.after.Tokens) - (len(older.Tokens) - m.remark.Removed)
}

// compare notes what became of a token.
func (m *migration) compare(old *dtcg.Token) {
	to, moved := m.renamed[old.Path]
	if !moved {
		to = old.Path
	}
	token := m.after.Token(to)
	switch {
	case token == nil:
		m.remark.Removed++
	case moved || token.Resolved != old.Resolved || token.Node != old.Node && !dtcg.EqualButType(old.Node, token.Node):
		m.remark.Changed++
	}
	switch {
	case token == nil:
		m.touched[old.Path] = touch{}
	case moved || token.Resolved != old.Resolved:
		m.touched[old.Path] = touch{to, token.Resolved != old.Resolved}
	}
}

// keeps reports whether every override of every Variant stays as it is.
func (m *migration) keeps() bool { return len(m.touched)+len(m.renamed) == 0 }

// fate is what becomes of one override.
type fate struct {
	path  string // its next path; empty means that it is dropped
	moved bool
	value *jsontree.Node
}

// carry returns overrides as they are over the next document: a path of a renamed token is renamed,
// unless an override stands at the new name already; a path whose token is gone is dropped, and so
// is one whose value no longer fits the type that its token has now; a path that the Theme never
// had stays. Aliases of renamed tokens follow them. The order stays. Where nothing changes carry
// returns overrides itself.
func (m *migration) carry(overrides *jsontree.Node) *jsontree.Node {
	if m.keeps() {
		return overrides
	}
	fates := make([]fate, len(overrides.Members))
	changed := false
	for i, o := range overrides.Members {
		fates[i] = m.fate(o.Name, o.Value)
		changed = changed || fates[i].path != o.Name || fates[i].value != o.Value
	}
	if !changed {
		return overrides
	}
	return settle(fates)
}

// settle makes an object of the overrides that are left. It is for writing, and not indexed.
func settle(fates []fate) *jsontree.Node {
	stands := make(map[string]bool, len(fates))
	for _, f := range fates {
		if !f.moved {
			stands[f.path] = true
		}
	}
	carried := make([]jsontree.Member, 0, len(fates))
	for _, f := range fates {
		if f.path == "" || f.moved && stands[f.path] {
			continue
		}
		carried = append(carried, jsontree.Member{Name: f.path, Value: f.value})
	}
	return jsontree.NewObject(carried...)
}

// fate judges one override.
func (m *migration) fate(path string, value *jsontree.Node) fate {
	value = rewriteAliases(value, m.renamed)
	t, touched := m.touched[path]
	switch {
	case !touched:
		return fate{path, false, value}
	case t.to == "" || t.retyped && !dtcg.Fits(m.after, m.after.Token(t.to).Resolved, value):
		return fate{value: value}
	}
	return fate{t.to, t.to != path, value}
}
