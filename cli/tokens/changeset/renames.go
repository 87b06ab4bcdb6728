package changeset

import (
	"maps"
	"slices"
	"strings"

	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// Renaming is which tokens of a document stand at other paths in a later one.
type Renaming struct {
	Tokens  map[string]string // dotted path before -> dotted path after
	Guessed []string          // the paths before of the tokens that have no identity in common, sorted
}

// rounds bounds how often a found rename may help to find the next: an alias to a renamed token has
// another text, so that its own token is recognised one round later.
const rounds = 4

// identities are the members of $extensions in which design tools store the identity of a token.
var identities = [][2]string{{"com.figma", "variableId"}, {"studio.tokens", "id"}}

// Renames finds the tokens of before that stand at another path in after: by the identity that a design tool gave them, and, as a guess, by
// type and value together with the last name, or else the group, that the two paths have in common. Two tokens are paired if they alone
// have this in common. A token that kept its path is never paired.
func Renames(before, after *dtcg.Document) Renaming {
	r := Renaming{Tokens: map[string]string{}}
	gone, came := onlyIn(before, after), onlyIn(after, before)
	if len(gone) == 0 || len(came) == 0 {
		return r
	}
	identity := func(t *dtcg.Token, _ map[string]string) string {
		for _, place := range identities {
			if id := t.Node.Find("$extensions").Find(place[0]).Find(place[1]); id.IsString() && id.Text != "" {
				return place[0] + "\x00" + id.Text
			}
		}
		return ""
	}
	r.pair(gone, came, identity)
	identified := maps.Clone(r.Tokens)
	for range rounds {
		known := len(r.Tokens)
		for _, isGroup := range []bool{false, true} {
			r.pair(gone, came, func(t *dtcg.Token, renamed map[string]string) string {
				shared, name := splitPath(t.Path)
				if !isGroup {
					shared = name
				} else if shared == "" {
					return ""
				}
				return shared + "\x00" + t.Resolved + "\x00" + renameAliases(string(jsontree.Append(nil, t.Value)), renamed)
			})
		}
		if len(r.Tokens) == known {
			break
		}
	}
	for _, from := range slices.Sorted(maps.Keys(r.Tokens)) {
		if identified[from] == "" {
			r.Guessed = append(r.Guessed, from)
		}
	}
	return r
}

// onlyIn lists the tokens of d whose path leads to none in other.
func onlyIn(d, other *dtcg.Document) (list []*dtcg.Token) {
	for i := range d.Tokens {
		if t := &d.Tokens[i]; d.Names(t) && other.Token(t.Path) == nil {
			list = append(list, t)
		}
	}
	return list
}

// pair adds the tokens that are not paired yet and whose keys are equal, not empty and occur once on each side. The key of a token before
// follows the renames that are known.
func (r *Renaming) pair(gone, came []*dtcg.Token, key func(t *dtcg.Token, renamed map[string]string) string) {
	byKey := [2]map[string][]string{{}, {}}
	add := func(side int, t *dtcg.Token, k string) {
		if k != "" {
			byKey[side][k] = append(byKey[side][k], t.Path)
		}
	}
	taken := map[string]bool{}
	for _, t := range gone {
		if to := r.Tokens[t.Path]; to != "" {
			taken[to] = true
		} else {
			add(0, t, key(t, r.Tokens))
		}
	}
	for _, t := range came {
		if !taken[t.Path] {
			add(1, t, key(t, nil))
		}
	}
	for k, list := range byKey[0] {
		if other := byKey[1][k]; len(list) == 1 && len(other) == 1 {
			r.Tokens[list[0]] = other[0]
		}
	}
}

// Identified returns the renames that are no guess.
func (r Renaming) Identified() Renaming {
	certain := maps.Clone(r.Tokens)
	for _, from := range r.Guessed {
		delete(certain, from)
	}
	return Renaming{Tokens: certain}
}

// Moves returns the renames as moves, in the order of the document before.
func (r Renaming) Moves(before, after *dtcg.Document) (list []record.Move) {
	for i := range before.Tokens {
		t := &before.Tokens[i]
		if to := after.Token(r.Tokens[t.Path]); to != nil && before.Names(t) {
			list = append(list, record.Move{From: t.Pointer().String(), To: to.Pointer().String()})
		}
	}
	return list
}

// Follows reports whether a value of before and one of after, as JSON, differ only by aliases of tokens that were renamed.
func (r Renaming) Follows(before, after []byte) bool {
	renamed := renameAliases(string(before), r.Tokens)
	return renamed != string(before) && renamed == string(after)
}

// renameAliases replaces in a JSON text the aliases of tokens that were renamed.
func renameAliases(text string, renamed map[string]string) string {
	if len(renamed) == 0 {
		return text
	}
	var b strings.Builder
	for {
		open := strings.IndexByte(text, '{')
		if open < 0 {
			break
		}
		end := strings.IndexByte(text[open:], '}')
		if end < 0 {
			break
		}
		to := renamed[text[open+1:open+end]]
		b.WriteString(text[:open+1] + to)
		if text = text[open+1:]; to != "" {
			text = text[end-1:]
		}
	}
	return b.String() + text
}
