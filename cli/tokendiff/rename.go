package tokendiff

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// Renaming is which tokens of a document stand at other paths in a later one.
type Renaming struct {
	Tokens map[string]string // dotted path before -> dotted path after
	Moves  []record.Move     // the same as JSON Pointers, a group that moved as a whole once

	Guessed []string // the paths before of the tokens that have no identity in common, sorted
}

// rounds bounds how often a found rename may help to find the next: an alias to a renamed token has
// another text, so that its own token is recognised one round later.
const rounds = 4

// maxAlike is among how many tokens of one content names are compared with each other.
const maxAlike = 100

// Renames finds the tokens of before that are recognisably the same in after at another path: by the
// identity that a design tool gave them, by type and value if the pair is unique or the paths are
// alike, and with a group of which at least half is recognised. All but the first are guesses. It pairs a token by a guess
// only with one of the same last name or group, and never pairs a token that kept its path.
func Renames(before, after *dtcg.Document) Renaming { return findRenames(before, after, true) }

// IdentifiedRenames is Renames without guesses.
func IdentifiedRenames(before, after *dtcg.Document) Renaming {
	return findRenames(before, after, false)
}

func findRenames(before, after *dtcg.Document, guess bool) Renaming {
	r := renamer{before: before, after: after, to: map[string]string{}, from: map[string]string{}}
	r.removed, r.added = missing(before, after), missing(after, before)
	if len(r.removed) == 0 || len(r.added) == 0 {
		return Renaming{Tokens: r.to}
	}
	r.byIdentity()
	identified := maps.Clone(r.to)
	for range rounds {
		known := len(r.to)
		if guess {
			r.byContent()
			r.byGroup()
		}
		if len(r.to) == known {
			break
		}
	}
	found := Renaming{Tokens: r.to, Moves: r.moves()}
	for _, from := range slices.Sorted(maps.Keys(r.to)) {
		if identified[from] == "" {
			found.Guessed = append(found.Guessed, from)
		}
	}
	return found
}

type renamer struct {
	before, after  *dtcg.Document
	removed, added []*dtcg.Token
	to, from       map[string]string // the pairs found, by the path before and after
}

// missing lists the tokens of d whose path leads to none in other.
func missing(d, other *dtcg.Document) []*dtcg.Token {
	var list []*dtcg.Token
	for i := range d.Tokens {
		if t := &d.Tokens[i]; d.Names(t) && other.Token(t.Path) == nil {
			list = append(list, t)
		}
	}
	return list
}

func (r *renamer) pair(from, to string) {
	if r.to[from] == "" && r.from[to] == "" {
		r.to[from], r.from[to] = to, from
	}
}

// guess pairs two tokens of one content if their last names or their groups are equal. Others are rather a token that was removed
// and another that was added: radius.card and space.button may both be 12px.
func (r *renamer) guess(from, to string) {
	groupBefore, nameBefore := splitPath(from)
	groupAfter, nameAfter := splitPath(to)
	if nameBefore == nameAfter || groupBefore != "" && groupBefore == groupAfter {
		r.pair(from, to)
	}
}

// splitPath returns the group and the last name of a dotted path.
func splitPath(path string) (group, name string) {
	dot := strings.LastIndexByte(path, '.')
	return path[:max(0, dot)], path[dot+1:]
}

// unpaired are the tokens of a list whose path is not in the pairs.
func unpaired(list []*dtcg.Token, pairs map[string]string) []*dtcg.Token {
	var rest []*dtcg.Token
	for _, t := range list {
		if pairs[t.Path] == "" {
			rest = append(rest, t)
		}
	}
	return rest
}

// byIdentity pairs tokens that a design tool gave the same identity.
func (r *renamer) byIdentity() {
	r.unique(r.removed, r.added, identity, identity)
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

// unique pairs the tokens whose keys are not empty and occur once on each side.
func (r *renamer) unique(removed, added []*dtcg.Token, keyBefore, keyAfter func(*dtcg.Token) string) {
	gone, fresh := byKey(removed, keyBefore), byKey(added, keyAfter)
	for key, list := range gone {
		if other := fresh[key]; len(list) == 1 && len(other) == 1 {
			r.pair(list[0].Path, other[0].Path)
		}
	}
}

func byKey(list []*dtcg.Token, key func(*dtcg.Token) string) map[string][]*dtcg.Token {
	groups := map[string][]*dtcg.Token{}
	for _, t := range list {
		if k := key(t); k != "" {
			groups[k] = append(groups[k], t)
		}
	}
	return groups
}

// byContent pairs tokens of one type and value: the only one with the only one, and of several those
// whose paths are most alike.
func (r *renamer) byContent() {
	known := maps.Clone(r.to)
	gone := byKey(unpaired(r.removed, r.to), func(t *dtcg.Token) string { return content(t, known) })
	fresh := byKey(unpaired(r.added, r.from), func(t *dtcg.Token) string { return content(t, nil) })
	for _, key := range slices.Sorted(maps.Keys(gone)) {
		list, other := gone[key], fresh[key]
		switch {
		case len(other) == 0 || len(list) > maxAlike || len(other) > maxAlike:
		case len(list) == 1 && len(other) == 1:
			r.guess(list[0].Path, other[0].Path)
		default:
			r.mostAlike(list, other)
		}
	}
}

// content is what tokens are recognised by, after the renames that are known.
func content(t *dtcg.Token, renamed map[string]string) string {
	value := string(jsontree.Append(nil, t.Value))
	if len(renamed) > 0 && strings.Contains(value, "{") {
		value = renameAliases(value, renamed)
	}
	return t.Resolved + "\x00" + value
}

// Follows reports whether a value of before and one of after differ only by aliases of tokens that were
// renamed.
func (r Renaming) Follows(before, after *jsontree.Node) bool {
	old := string(jsontree.Append(nil, before))
	return len(r.Tokens) > 0 && strings.Contains(old, "{") && renameAliases(old, r.Tokens) == string(jsontree.Append(nil, after))
}

// renameAliases replaces in a JSON text the aliases of tokens that were renamed.
func renameAliases(text string, renamed map[string]string) string {
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

// mostAlike pairs tokens of one content by the likeness of their paths; if two fit one equally well,
// neither is paired.
func (r *renamer) mostAlike(gone, fresh []*dtcg.Token) {
	segments := make(map[*dtcg.Token][]string, len(fresh))
	for _, t := range fresh {
		segments[t] = t.Segments()
	}
	for _, t := range gone {
		own := t.Segments()
		best, bestScore, twice := "", 0, false
		for _, other := range unpaired(fresh, r.from) {
			switch score := likeness(own, segments[other]); {
			case score > bestScore:
				best, bestScore, twice = other.Path, score, false
			case score == bestScore:
				twice = true
			}
		}
		if best != "" && !twice {
			r.guess(t.Path, best)
		}
	}
}

// likeness counts the names that two paths share at their begin and at their end; the last name, which
// says most, counts twice.
func likeness(a, b []string) int {
	n, score := min(len(a), len(b)), 0
	begin := 0
	for begin < n && a[begin] == b[begin] {
		begin++
	}
	end := 0
	for end < n-begin && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	if end > 0 {
		score++
	}
	return score + begin + end
}

// prefixes is a renamed group.
type prefixes struct{ from, to string }

// byGroup pairs what is left of groups of which at least half was recognised.
func (r *renamer) byGroup() {
	size := map[string]int{} // tokens that are gone, by group
	for _, t := range r.removed {
		segments := t.Segments()
		for i := 1; i < len(segments); i++ {
			size[strings.Join(segments[:i], ".")]++
		}
	}
	for _, group := range r.groups() {
		if 2*group.votes < size[group.from] {
			continue
		}
		for _, t := range unpaired(r.removed, r.to) {
			if rest, ok := strings.CutPrefix(t.Path, group.from+"."); ok {
				r.pairAdded(t.Path, group.to+"."+rest)
			}
		}
	}
}

func (r *renamer) pairAdded(from, to string) {
	if r.after.Token(to) != nil && r.before.Token(to) == nil {
		r.pair(from, to)
	}
}

type votedGroup struct {
	prefixes
	votes int // tokens that moved from the one group to the other
}

// groups lists the groups that pairs speak for, the most votes first.
func (r *renamer) groups() []votedGroup {
	votes := map[prefixes]int{}
	for from, to := range r.to {
		a, b := strings.Split(from, "."), strings.Split(to, ".")
		for len(a) > 1 && len(b) > 1 && a[len(a)-1] == b[len(b)-1] {
			a, b = a[:len(a)-1], b[:len(b)-1]
			votes[prefixes{strings.Join(a, "."), strings.Join(b, ".")}]++
		}
	}
	list := make([]votedGroup, 0, len(votes))
	for p, n := range votes {
		if p.from != p.to {
			list = append(list, votedGroup{p, n})
		}
	}
	slices.SortFunc(list, func(a, b votedGroup) int {
		return cmp.Or(b.votes-a.votes, strings.Compare(a.from, b.from), strings.Compare(a.to, b.to))
	})
	return list
}

// moves spells the renames as moves, a group that moved as a whole once.
func (r *renamer) moves() []record.Move {
	whole := r.wholeGroups()
	var list []record.Move
	seen := map[prefixes]bool{}
	for i := range r.before.Tokens {
		t := &r.before.Tokens[i]
		to := r.to[t.Path]
		if to == "" || !r.before.Names(t) {
			continue
		}
		p := prefixes{t.Path, to}
		for _, group := range whole {
			if strings.HasPrefix(t.Path, group.from+".") {
				p = group
				break
			}
		}
		if !seen[p] {
			seen[p] = true
			list = append(list, record.Move{From: pointer(p.from), To: pointer(p.to)})
		}
	}
	return list
}

// wholeGroups lists the groups whose tokens all moved to one other group that was none before, the
// outermost first.
func (r *renamer) wholeGroups() []prefixes {
	var list []prefixes
	for _, group := range r.groups() {
		if r.movedWhole(group.prefixes) {
			list = append(list, group.prefixes)
		}
	}
	slices.SortStableFunc(list, func(a, b prefixes) int { return len(a.from) - len(b.from) })
	return list
}

func (r *renamer) movedWhole(group prefixes) bool {
	if lookup(r.before, group.to) != nil || lookup(r.after, group.from) != nil {
		return false
	}
	for i := range r.before.Tokens {
		path := r.before.Tokens[i].Path
		if rest, ok := strings.CutPrefix(path, group.from+"."); ok && r.to[path] != group.to+"."+rest {
			return false
		}
	}
	return true
}

func lookup(d *dtcg.Document, path string) *jsontree.Node {
	return d.Root.Lookup(strings.Split(path, "."))
}

// pointer is the JSON Pointer of a dotted path.
func pointer(path string) string { return jsontree.Pointer(strings.Split(path, ".")).String() }
