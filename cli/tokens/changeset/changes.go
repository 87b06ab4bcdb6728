// Package changeset compares token documents and prints what changes, for terminals and for comments.
package changeset

import (
	"encoding/json"
	"slices"
	"strings"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokendiff"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/client"
	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Change is what happened to one token, as it is shown to a person and printed under --json.
type Change struct {
	Kind     string          `json:"kind"` // removed, renamed, retyped, changed, added or described
	Path     string          `json:"path"`
	From     string          `json:"from,omitempty"` // the path of a renamed token before
	FromType string          `json:"fromType,omitempty"`
	ToType   string          `json:"toType,omitempty"`
	Before   json.RawMessage `json:"before,omitempty"` // the value as it was written
	After    json.RawMessage `json:"after,omitempty"`
	Inferred bool            `json:"inferred,omitempty"` // of a renamed one: the two were paired by their content, not by a move
	Breaking bool            `json:"breaking"`           // a consumer of the custom property can break
	Follows  bool            `json:"follows,omitempty"`  // the value only names what was renamed by its new name

	ShownBefore, ShownAfter string `json:"-"` // the primitive that a value becomes; empty if it is none
}

// Documents lists what changed between two documents of a Theme.
func Documents(before, after *jsontree.Node, renamed tokendiff.Renaming) []Change {
	old, young := dtcg.Read(before), dtcg.Read(after)
	found := tokendiff.Compare(old, young, renamed.Tokens)
	if len(found) == 0 {
		return nil
	}
	shownBefore, shownAfter := ShownValues(old), ShownValues(young)
	list := make([]Change, len(found))
	for i, f := range found {
		c := Change{Kind: f.Kind.String(), Path: f.Path, From: f.From, Breaking: f.Kind.Breaking()}
		if f.Before != nil {
			c.Before, c.FromType, c.ShownBefore = jsontree.Append(nil, f.Before.Value), f.Before.Resolved, shownBefore[f.Before.Path]
		}
		if f.After != nil {
			c.After, c.ToType, c.ShownAfter = jsontree.Append(nil, f.After.Value), f.After.Resolved, shownAfter[f.After.Path]
		}
		c.Follows = f.Before != nil && f.After != nil && renamed.Follows(f.Before.Value, f.After.Value)
		list[i] = c
	}
	return list
}

// ShownValues returns the primitive that each token of a document becomes, if it becomes one.
func ShownValues(d *dtcg.Document) map[string]string {
	return Primitives(renderer.LoadDocument(d, "").Append(nil, renderer.TokensValuesJSON))
}

// Overrides lists what changed between two flat maps of a Variant.
func Overrides(before, after *jsontree.Node) []Change {
	var list []Change
	for _, m := range before.Members {
		if after.Find(m.Name) == nil {
			c := Change{Kind: tokendiff.Removed.String(), Path: m.Name, Before: jsontree.Append(nil, m.Value)}
			c.ShownBefore = shownAlone(m.Value)
			list = append(list, c)
		}
	}
	for _, m := range after.Members {
		c := Change{Kind: tokendiff.Added.String(), Path: m.Name, After: jsontree.Append(nil, m.Value)}
		if old := before.Find(m.Name); old != nil {
			if jsontree.Equal(old, m.Value) {
				continue
			}
			c.Kind, c.Before, c.ShownBefore = tokendiff.Changed.String(), jsontree.Append(nil, old), shownAlone(old)
		}
		c.ShownAfter = shownAlone(m.Value)
		list = append(list, c)
	}
	return list
}

// shownAlone returns the primitive that an object becomes by its shape alone; a string says enough.
func shownAlone(value *jsontree.Node) string {
	if !value.IsObject() {
		return ""
	}
	const name = "value"
	token := jsontree.NewObject(jsontree.Member{Name: "$value", Value: value})
	return ShownValues(dtcg.Read(jsontree.NewObject(jsontree.Member{Name: name, Value: token})))[name]
}

// FromOrigin makes a list of what the origin tells of two editions, with their values.
func FromOrigin(c client.Comparison, before, after client.TokenSet) ([]Change, error) {
	old, young := valuesOf(before), valuesOf(after)
	var list []Change
	put := func(kind tokendiff.Kind, path, from string) *Change {
		at := path
		if from != "" {
			at = from
		}
		list = append(list, Change{Kind: kind.String(), Path: path, From: from, Before: old[at], After: young[path], Breaking: kind.Breaking()})
		return &list[len(list)-1]
	}
	for _, path := range c.Removed {
		put(tokendiff.Removed, path, "")
	}
	for _, r := range c.Renamed {
		put(tokendiff.Renamed, r.To, r.From).Inferred = r.Inferred
	}
	for _, r := range c.Retyped {
		made := put(tokendiff.Retyped, r.Path, "")
		made.FromType, made.ToType = Text(r.From), Text(r.To)
	}
	for _, path := range c.Changed {
		if !slices.ContainsFunc(list, func(made Change) bool { return made.Path == path }) {
			put(tokendiff.Changed, path, "")
		}
	}
	for _, path := range c.Added {
		put(tokendiff.Added, path, "")
	}
	for _, path := range c.Described {
		if !slices.ContainsFunc(list, func(made Change) bool { return made.Path == path }) {
			put(tokendiff.Described, path, "")
		}
	}
	return list, markFollowers(list, c.Renamed)
}

// markFollowers marks the changes that only name renamed tokens by their new names.
func markFollowers(list []Change, renames []client.Rename) error {
	renamed := tokendiff.Renaming{Tokens: map[string]string{}}
	for _, r := range renames {
		renamed.Tokens[r.From] = r.To
	}
	for i := range list {
		c := &list[i]
		if len(renames) == 0 || len(c.Before) == 0 || len(c.After) == 0 {
			continue
		}
		before, err := tokentree.ParseValue(c.Path, c.Before)
		if err != nil {
			return err
		}
		after, err := tokentree.ParseValue(c.Path, c.After)
		if err != nil {
			return err
		}
		c.Follows = renamed.Follows(before, after)
	}
	return nil
}

func valuesOf(set client.TokenSet) map[string]json.RawMessage {
	values := make(map[string]json.RawMessage, len(set.Tokens))
	for _, t := range set.Tokens {
		values[t.Path] = t.Value
	}
	return values
}

// marks are the sign and the terminal style of each kind of change.
var marks = map[string][2]string{
	"added": {"+", "32"}, "removed": {"-", "31"}, "renamed": {">", "36"}, "retyped": {"!", "35"}, "changed": {"~", "33"}, "described": {"~", "33"},
}

// shownChanges is how many changes a person reads at once.
const shownChanges = 20

// row is one line of a list of changes.
type row struct {
	Change
	tokens int // of a group that was renamed as a whole; 0 for one token
}

// rows makes lines of changes: renamed groups are one each, and aliases that only follow none.
func rows(list []Change) (lines []row, follow int) {
	type groups struct {
		from, to string
		inferred bool
	}
	place := map[groups]int{}
	for _, c := range list {
		from, to := groupsOf(c)
		at := groups{from, to, c.Inferred}
		switch i, known := place[at]; {
		case c.Follows && c.Kind == tokendiff.Changed.String():
			follow++
		case from == "":
			lines = append(lines, row{Change: c})
		case known:
			lines[i].tokens++
		default:
			place[at] = len(lines)
			lines = append(lines, row{Change: c, tokens: 1})
		}
	}
	for i := range lines {
		if lines[i].tokens > 1 {
			lines[i].From, lines[i].Path = groupsOf(lines[i].Change)
		}
	}
	return lines, follow
}

// groupsOf returns the groups between which a token moved with its last names and its value kept, or
// nothing.
func groupsOf(c Change) (from, to string) {
	if c.Kind != tokendiff.Renamed.String() || !c.Follows && string(c.Before) != string(c.After) {
		return "", ""
	}
	from, last := tokentree.Split(c.From)
	to, lastNow := tokentree.Split(c.Path)
	if from == "" || to == "" || last != lastNow {
		return "", ""
	}
	for {
		above, name := tokentree.Split(from)
		aboveNow, nameNow := tokentree.Split(to)
		if above == "" || aboveNow == "" || name != nameNow {
			return from, to
		}
		from, to = above, aboveNow
	}
}

// Print lists changes, the first ones of many unless all are asked for.
func Print(a *term.App, list []Change, all bool) {
	lines, follow := rows(list)
	if !all && len(lines) > shownChanges && lines[0].Kind == tokendiff.Added.String() { // what can break comes first, so that all is new
		a.Say("  %s; --verbose shows them", Summary(list))
		return
	}
	more := 0
	if !all && len(lines) > shownChanges {
		more = len(lines) - shownChanges
		lines = lines[:shownChanges]
	}
	longest := 0
	for _, line := range lines {
		longest = max(longest, term.Width(line.name()))
	}
	for _, line := range lines {
		printRow(a, line, longest)
	}
	if more > 0 {
		a.Say("  and %d more; --verbose shows them all", more)
	}
	if follow > 0 {
		a.Say("  and the aliases in %s that follow", term.Plural(follow, "token"))
	}
}

func printRow(a *term.App, r row, longest int) {
	mark := marks[r.Kind]
	values := changedValues(a, r.Change)
	if r.tokens > 1 {
		values = term.Escaped(term.Plural(r.tokens, "token"))
	}
	name := a.Styled(mark[1], mark[0]+" "+string(r.name()))
	aligned := maxName(a)
	gap := term.Escaped(strings.Repeat(" ", min(longest, aligned)-min(term.Width(r.name()), aligned)+2))
	switch line := name + gap + values; {
	case values == "":
		a.Say("  %s", name)
	case a.Columns > 0 && 2+term.Width(line) > a.Columns:
		a.Say("  %s\n      %s", name, values)
	default:
		a.Say("  %s", line)
	}
}

// maxName is how far values are aligned; a longer name pushes its own values on, or below it if the line would
// not fit a terminal.
func maxName(a *term.App) int {
	const most = 60
	if a.Columns > 0 {
		return min(most, a.Columns/2)
	}
	return most
}

func (c Change) name() term.Escaped {
	switch {
	case c.Inferred:
		return term.Cell(c.From) + " → " + term.Cell(c.Path) + " (inferred)"
	case c.Kind == tokendiff.Renamed.String():
		return term.Cell(c.From) + " → " + term.Cell(c.Path)
	}
	return term.Cell(c.Path)
}

// changedValues shows the value before and after, each colour with a swatch.
func changedValues(a *term.App, c Change) term.Escaped {
	if c.Kind == tokendiff.Retyped.String() {
		return "was " + term.Cell(orNone(c.FromType)) + ", is " + term.Cell(orNone(c.ToType))
	}
	before, after := shownValue(a, c.Before, c.ShownBefore), shownValue(a, c.After, c.ShownAfter)
	if c.Follows {
		before = after
	}
	switch {
	case before == "" || after == "":
		return before + after
	case before == after && c.Kind == tokendiff.Renamed.String():
		return after
	case before == after && string(c.Before) != string(c.After):
		return after + " (changed beyond what is shown)"
	case before == after:
		return "changed, but not its value"
	}
	return before + " → " + after
}

func orNone(s string) string {
	if s == "" {
		return "without a known type"
	}
	return s
}

// shownValue is a value in one line. An alias is shown as it is written.
func shownValue(a *term.App, value json.RawMessage, primitive string) term.Escaped {
	if len(value) == 0 {
		return ""
	}
	text := short(value, primitive)
	hex := primitive
	if hex == "" {
		hex = text
	}
	if isHex(hex) {
		return a.Swatch(hex) + term.Cell(text)
	}
	return term.Cell(text)
}

// isHex reports whether a text is a colour such as #0055aa.
func isHex(s string) bool {
	return len(s) == 7 && s[0] == '#' && strings.Trim(s[1:], "0123456789abcdefABCDEF") == ""
}

// Summary counts changes in a few words.
func Summary(list []Change) string {
	if len(list) == 0 {
		return "nothing changed"
	}
	counts, follow := map[string]int{}, 0
	for _, c := range list {
		if c.Follows && c.Kind == tokendiff.Changed.String() {
			follow++
			continue
		}
		counts[c.Kind]++
	}
	var words []string
	for kind := tokendiff.Removed; kind <= tokendiff.Described; kind++ {
		if n := counts[kind.String()]; n > 0 {
			words = append(words, term.Plural(n, "token")+" "+kind.String())
		}
	}
	if follow > 0 {
		words = append(words, "the aliases in "+term.Plural(follow, "token")+" follow")
	}
	return strings.Join(words, ", ")
}

// breaking counts the changes that can break a consumer.
func breaking(list []Change) int {
	n := 0
	for _, c := range list {
		if c.Breaking {
			n++
		}
	}
	return n
}
