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

// Renames finds the tokens of before that stand at another path in after: by the identity that a design tool gave them, and, as a guess, by
// type and value together with the last name, or else the group, that the two paths have in common. Two tokens are paired if they alone
// have this in common. A token that kept its path is never paired.
func Renames(before, after *dtcg.Document) Renaming {
	r := IdentifiedRenames(before, after)
	identified := len(r.Tokens)
	for range rounds {
		known := maps.Clone(r.Tokens)
		for _, shared := range []func(*dtcg.Token) string{lastName, groupName} {
			content := func(t *dtcg.Token, renamed map[string]string) string {
				if in := shared(t); in != "" {
					return in + "\x00" + t.Resolved + "\x00" + RenameAliases(string(jsontree.Append(nil, t.Value)), renamed)
				}
				return ""
			}
			r.pair(before, after, func(t *dtcg.Token) string { return content(t, known) }, func(t *dtcg.Token) string { return content(t, nil) })
		}
		if len(r.Tokens) == len(known) {
			break
		}
	}
	if len(r.Tokens) > identified {
		certain := IdentifiedRenames(before, after).Tokens
		for _, from := range slices.Sorted(maps.Keys(r.Tokens)) {
			if certain[from] == "" {
				r.Guessed = append(r.Guessed, from)
			}
		}
	}
	return r
}

// IdentifiedRenames is Renames without guesses.
func IdentifiedRenames(before, after *dtcg.Document) Renaming {
	r := Renaming{Tokens: map[string]string{}}
	r.pair(before, after, identity, identity)
	return r
}

// identities are the members of $extensions in which design tools store the identity of a token.
var identities = [][2]string{{"com.figma", "variableId"}, {"studio.tokens", "id"}}

func identity(t *dtcg.Token) string {
	for _, place := range identities {
		if id := t.Node.Find("$extensions").Find(place[0]).Find(place[1]); id.IsString() && id.Text != "" {
			return place[0] + "\x00" + id.Text
		}
	}
	return ""
}

func lastName(t *dtcg.Token) string {
	_, name := splitPath(t.Path)
	return name
}

func groupName(t *dtcg.Token) string {
	group, _ := splitPath(t.Path)
	return group
}

// pair adds the tokens that are gone and new, and whose keys are equal, not empty and occur once on each side.
func (r *Renaming) pair(before, after *dtcg.Document, keyBefore, keyAfter func(*dtcg.Token) string) {
	taken := map[string]bool{}
	for _, to := range r.Tokens {
		taken[to] = true
	}
	gone := byKey(before, after, keyBefore, func(path string) bool { return r.Tokens[path] != "" })
	came := byKey(after, before, keyAfter, func(path string) bool { return taken[path] })
	for key, list := range gone {
		if other := came[key]; len(list) == 1 && len(other) == 1 {
			r.Tokens[list[0]] = other[0]
		}
	}
}

// byKey returns the paths of the tokens of d that lead to none in other, but those to leave out, by key.
func byKey(d, other *dtcg.Document, key func(*dtcg.Token) string, leaveOut func(path string) bool) map[string][]string {
	paths := map[string][]string{}
	for i := range d.Tokens {
		t := &d.Tokens[i]
		if !d.Names(t) || other.Token(t.Path) != nil || leaveOut(t.Path) {
			continue
		}
		if k := key(t); k != "" {
			paths[k] = append(paths[k], t.Path)
		}
	}
	return paths
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
	renamed := RenameAliases(string(before), r.Tokens)
	return renamed != string(before) && renamed == string(after)
}

// RenameAliases replaces in a JSON text the aliases of tokens that were renamed.
func RenameAliases(text string, renamed map[string]string) string {
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
