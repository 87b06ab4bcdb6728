package theming

import (
	"example.com/livery/origin/patch"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// migration carries the overrides of Variants from one document of their Theme to the next.
type migration struct {
	before, after *dtcg.Document
	renamed       map[string]string // token paths, old to new
}

func newMigration(before, after *jsontree.Node, moves []record.Move) *migration {
	m := &migration{before: dtcg.Read(before)}
	if m.after = m.before; after != before {
		m.after = dtcg.Read(after)
	}
	m.renamed = tokenRenames(m.before, m.after, moves)
	return m
}

// tokenRenames returns which tokens of before have which other path in after: those that moves
// took along and then those whose content says so.
func tokenRenames(before, after *dtcg.Document, moves []record.Move) map[string]string {
	renamed := map[string]string{}
	if len(moves) > 0 {
		renaming := patch.NewRenaming(moves)
		for i := range before.Tokens {
			t := &before.Tokens[i]
			from := jsontree.Pointer(t.Segments).String()
			if to, ok := renaming.Follow(from); ok && to != from && after.Token(dotted(to)) != nil {
				renamed[t.Path] = dotted(to)
			}
		}
	}
	matchContent(before, after, renamed)
	return renamed
}

// fate is what becomes of one override.
type fate struct {
	path  string // where it goes; empty means that it is dropped
	moved bool
	value *jsontree.Node
}

// carry returns overrides as they are over the next document: a path of a renamed token is renamed,
// unless an override stands at the new name already; a path whose token is gone is dropped, and so
// is one whose value no longer fits the type that its token has now; a path that the Theme never
// had stays. Aliases of renamed tokens follow them. The order stays. Where nothing changes carry
// returns overrides itself.
func (m *migration) carry(overrides *jsontree.Node) *jsontree.Node {
	fates := make([]fate, len(overrides.Members))
	stands := make(map[string]bool, len(overrides.Members))
	changed := false
	for i, o := range overrides.Members {
		fates[i] = m.fate(o.Name, o.Value)
		if fates[i].path != "" && !fates[i].moved {
			stands[fates[i].path] = true
		}
		changed = changed || fates[i].path != o.Name || fates[i].value != o.Value
	}
	if !changed {
		return overrides
	}
	carried := make([]jsontree.Member, 0, len(fates))
	for _, f := range fates {
		if f.path == "" || f.moved && stands[f.path] {
			continue
		}
		carried = append(carried, jsontree.Member{Name: f.path, Value: f.value})
	}
	n := jsontree.NewObject(carried...)
	n.Index()
	return n
}

// fate judges one override.
func (m *migration) fate(path string, value *jsontree.Node) fate {
	value = rewriteAliases(value, m.renamed)
	old := m.before.Token(path)
	if old == nil {
		return fate{path, false, value}
	}
	to, moved := m.renamed[path]
	if !moved {
		to = path
	}
	token := m.after.Token(to)
	if token == nil || token.Resolved != old.Resolved && !dtcg.Fits(m.after, token.Resolved, value) {
		return fate{value: value}
	}
	return fate{to, moved, value}
}
