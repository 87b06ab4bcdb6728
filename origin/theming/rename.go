package theming

import (
	"example.com/livery/origin/patch"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// Renames returns the renames by which a publish of after, whose draft remembers moves, carries the
// overrides of Variants: those moves, and the tokens paired by their content, which are inferred.
func Renames(before, after *jsontree.Node, moves []record.Move) []record.Move {
	_, all := publishRenames(dtcg.Read(before), dtcg.Read(after), moves, false)
	return all
}

// publishRenames returns which tokens of the document before have which other path in after, those that moves
// took along and then, unless movesOnly, those paired by their content, and the moves of both.
func publishRenames(before, after *dtcg.Document, moves []record.Move, movesOnly bool) (renamed map[string]string, all []record.Move) {
	renamed = tokenRenames(before, after, moves)
	if movesOnly {
		return renamed, moves
	}
	moved := len(renamed)
	matchContent(before, after, renamed)
	if len(renamed) == moved {
		return renamed, moves
	}
	all = matchedMoves(before, after, moves, renamed)
	matched := patch.NewRenaming(all)
	for _, m := range moves { // if one end is a matched token now, the move is of no token
		if !matched.Touches(m) {
			all = append(all, m)
		}
	}
	return renamed, patch.Compose(all, nil)
}

// matchedMoves returns the moves of the tokens that are renamed otherwise than moves say.
func matchedMoves(before, after *dtcg.Document, moves []record.Move, renamed map[string]string) []record.Move {
	var matched []record.Move
	renaming := patch.NewRenaming(moves)
	for i := range before.Tokens {
		t := &before.Tokens[i]
		to, ok := renamed[t.Path]
		if !ok || !before.Names(t) {
			continue
		}
		from := t.Pointer().String()
		if at, ok := renaming.Follow(from); !ok || dotted(at) != to {
			matched = append(matched, record.Move{From: from, To: after.Token(to).Pointer().String(), Inferred: true})
		}
	}
	return matched
}

// tokenRenames returns which tokens of before moves took to which other path in after.
func tokenRenames(before, after *dtcg.Document, moves []record.Move) map[string]string {
	renamed := map[string]string{}
	if len(moves) == 0 {
		return renamed
	}
	renaming := patch.NewRenaming(moves)
	for i := range before.Tokens {
		t := &before.Tokens[i]
		from := t.Pointer().String()
		if to, ok := renaming.Follow(from); ok && to != from && after.Token(dotted(to)) != nil {
			renamed[t.Path] = dotted(to)
		}
	}
	return renamed
}
