package patch

import (
	"slices"
	"strings"

	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// moves returns the renames that the batch made: each member that was in the document, is in it
// still, and has another name or another parent than it had.
func (e *editor) moves() []record.Move {
	var list []record.Move
	var visit func(c *cell)
	visit = func(c *cell) {
		if c.origin != nil && (c.parent != c.origin || c.name != c.was) {
			list = append(list, record.Move{From: c.originPointer().String(), To: c.pointer().String()})
		}
		if c.members != nil {
			c.members.eachMember(visit)
		}
	}
	visit(e.root)
	return reduce(list)
}

// Compose returns the renaming that does first and after it then. A renaming is a set of moves that
// happen at once: what stands at a pointer goes where the move of the pointer, or else of its
// nearest moved ancestor, takes it. Moves that say no more than that drop out, so identities do
// unless an ancestor moved; so does what then moved something else onto. The result is ordered by
// From. A move is inferred if one of the two that it comes from is.
func Compose(first, then []record.Move) []record.Move {
	a, b := NewRenaming(first), NewRenaming(then)
	list := make([]record.Move, 0, len(first)+len(then))
	compose := func(from string) {
		middle := a.forward(from)
		if to, ok := b.Follow(middle); ok {
			list = append(list, record.Move{From: from, To: to, Inferred: a.Inferred(from) || b.Inferred(middle)})
		}
	}
	for _, m := range first {
		compose(m.From)
	}
	for _, m := range then {
		if from, ok := a.backward(m.From); ok && !a.moves(from) {
			compose(from)
		}
	}
	return reduce(list)
}

// Invert returns the renaming that takes moves back. The result is ordered by From.
func Invert(moves []record.Move) []record.Move {
	list := make([]record.Move, len(moves))
	for i, m := range moves {
		list[i] = record.Move{From: m.To, To: m.From, Inferred: m.Inferred}
	}
	return reduce(list)
}

// Standing returns the moves of members that were in before and are in after. Compose knows nothing
// of documents, so a draft's renames pass through Standing once its document is known.
func Standing(moves []record.Move, before, after *jsontree.Node) []record.Move {
	list := make([]record.Move, 0, len(moves))
	for _, m := range moves {
		from, ok := jsontree.ParsePointer(m.From)
		to, ok2 := jsontree.ParsePointer(m.To)
		if ok && ok2 && leadsThroughObjects(before, from) && leadsThroughObjects(after, to) {
			list = append(list, m)
		}
	}
	return reduce(list)
}

// Renaming answers for a list of moves where each pointer goes. It may be read concurrently.
type Renaming struct {
	to, from map[string]string
	inferred map[string]bool // by where the move begins
}

// NewRenaming prepares a list of moves.
func NewRenaming(moves []record.Move) Renaming {
	r := Renaming{make(map[string]string, len(moves)), make(map[string]string, len(moves)), map[string]bool{}}
	for _, m := range moves {
		if r.to[m.From], r.from[m.To] = m.To, m.From; m.Inferred {
			r.inferred[m.From] = true
		}
	}
	return r
}

// Inferred reports whether the move that takes pointer along is inferred.
func (r Renaming) Inferred(pointer string) bool {
	return len(r.inferred) > 0 && r.inferred[prefixIn(r.to, pointer)]
}

// Follow returns where the moves take what stands at pointer: pointer itself if they leave it.
// ok is false if something else was moved onto that place.
func (r Renaming) Follow(pointer string) (to string, ok bool) {
	to = r.forward(pointer)
	from, ok := r.backward(to)
	return to, ok && from == pointer
}

// Touches reports whether r has a move from where m begins, or one to where m ends.
func (r Renaming) Touches(m record.Move) bool {
	_, ends := r.from[m.To]
	return ends || r.moves(m.From)
}

func (r Renaming) moves(from string) bool {
	_, ok := r.to[from]
	return ok
}

// forward follows the move of the longest prefix of pointer that has one.
func (r Renaming) forward(pointer string) string { return follow(r.to, pointer) }

// backward returns the pointer that forward takes to pointer; ok is false if there is none.
func (r Renaming) backward(pointer string) (string, bool) {
	from := follow(r.from, pointer)
	return from, r.forward(from) == pointer
}

func follow(moves map[string]string, pointer string) string {
	prefix := prefixIn(moves, pointer)
	if prefix == "" {
		return pointer
	}
	return moves[prefix] + pointer[len(prefix):]
}

// prefixIn returns the longest prefix of pointer that has a move, empty if none has.
func prefixIn(moves map[string]string, pointer string) string {
	for end := len(pointer); end > 0; end = strings.LastIndexByte(pointer[:end], '/') {
		if _, ok := moves[pointer[:end]]; ok {
			return pointer[:end]
		}
	}
	return ""
}

// reduce orders moves and drops those that say what a move of an ancestor says already, seen from
// either end: a member that stays where it is has a move all the same if something else was moved
// onto what is above it.
func reduce(moves []record.Move) []record.Move {
	slices.SortFunc(moves, func(a, b record.Move) int { return strings.Compare(a.From, b.From) })
	all, kept := NewRenaming(moves), make(map[string]string, len(moves))
	list := moves[:0]
	for _, m := range moves { // an ancestor's pointer sorts before its own
		if follow(kept, m.From) == m.To && followAncestor(all.from, m.To) == m.From {
			continue
		}
		kept[m.From] = m.To
		list = append(list, m)
	}
	if len(list) == 0 {
		return nil
	}
	return list
}

// followAncestor is follow without a move of pointer itself.
func followAncestor(moves map[string]string, pointer string) string {
	above := max(0, strings.LastIndexByte(pointer, '/'))
	return follow(moves, pointer[:above]) + pointer[above:]
}
