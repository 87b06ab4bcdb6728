// Package changeset compares the tokens of a Theme or Variant with others, prints what changes, and makes requests of it.
package changeset

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"example.com/livery/cli/term"
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

// What happens to tokens, the most dangerous to a consumer first.
const (
	Removed   = "removed"
	Renamed   = "renamed" // the value may have changed as well
	Retyped   = "retyped"
	Changed   = "changed"
	Added     = "added"
	Described = "described" // the value is the same, and the description or other metadata another
)

var kinds = []string{Removed, Renamed, Retyped, Changed, Added, Described}

// Documents lists what changed between two documents of a Theme: what can break a consumer first, and within one kind in document order.
func Documents(before, after *jsontree.Node, r Renaming) (list []Change) {
	old, young := dtcg.Read(before), dtcg.Read(after)
	came := make(map[string]string, len(r.Tokens)) // path after -> path before
	for from, to := range r.Tokens {
		came[to] = from
	}
	for i := range old.Tokens {
		t := &old.Tokens[i]
		if r.Tokens[t.Path] == "" && old.Names(t) && (young.Token(t.Path) == nil || came[t.Path] != "") {
			list = append(list, changeOf(t, nil))
		}
	}
	for i := range young.Tokens {
		t := &young.Tokens[i]
		from := cmp.Or(came[t.Path], t.Path)
		if from == t.Path && r.Tokens[from] != "" {
			from = "" // what stood there stands elsewhere
		}
		if c := changeOf(old.Token(from), t); c.Kind != "" && young.Names(t) {
			c.Follows = c.Kind != Added && r.Follows(c.Before, c.After)
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil
	}
	shownBefore, shownAfter := shownValues(old), shownValues(young)
	for i := range list {
		list[i].ShownBefore, list[i].ShownAfter = shownBefore[cmp.Or(list[i].From, list[i].Path)], shownAfter[list[i].Path]
	}
	slices.SortStableFunc(list, func(a, b Change) int { return slices.Index(kinds, a.Kind) - slices.Index(kinds, b.Kind) })
	return list
}

// changeOf compares a token with what it was; one of the two may be nil. The kind is empty if nothing changed.
func changeOf(old, t *dtcg.Token) (c Change) {
	if old != nil {
		c.Kind, c.Path, c.FromType, c.Before = Removed, old.Path, old.Resolved, jsontree.Append(nil, old.Value)
	}
	if t == nil {
		c.Breaking = true
		return c
	}
	c.Kind, c.Path, c.ToType, c.After = Added, t.Path, t.Resolved, jsontree.Append(nil, t.Value)
	if old == nil {
		return c
	}
	switch {
	case old.Path != t.Path:
		c.Kind, c.From, c.Breaking = Renamed, old.Path, true
	case old.Resolved != t.Resolved:
		c.Kind, c.Breaking = Retyped, true
	case !jsontree.Equal(old.Value, t.Value):
		c.Kind = Changed
	case !dtcg.EqualButType(old.Node, t.Node):
		c.Kind = Described
	default:
		c.Kind = ""
	}
	return c
}

// shownValues returns the primitive that each token of a document becomes, if it becomes one.
func shownValues(d *dtcg.Document) map[string]string {
	return Primitives(renderer.LoadDocument(d, "").Append(nil, renderer.TokensValuesJSON))
}

// Overrides lists what changed between two flat maps of a Variant.
func Overrides(before, after *jsontree.Node) []Change {
	var list []Change
	for _, m := range before.Members {
		if after.Find(m.Name) == nil {
			c := Change{Kind: Removed, Path: m.Name, Before: jsontree.Append(nil, m.Value)}
			c.ShownBefore = shownAlone(m.Value)
			list = append(list, c)
		}
	}
	for _, m := range after.Members {
		c := Change{Kind: Added, Path: m.Name, After: jsontree.Append(nil, m.Value)}
		if old := before.Find(m.Name); old != nil {
			if jsontree.Equal(old, m.Value) {
				continue
			}
			c.Kind, c.Before, c.ShownBefore = Changed, jsontree.Append(nil, old), shownAlone(old)
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
	return shownValues(dtcg.Read(jsontree.NewObject(jsontree.Member{Name: name, Value: token})))[name]
}

// marks are the sign and the terminal style of each kind of change.
var marks = map[string][2]string{
	"added": {"+", "32"}, "removed": {"-", "31"}, "renamed": {">", "36"}, "retyped": {"!", "35"}, "changed": {"~", "33"}, "described": {"~", "33"},
}

// shownChanges is how many changes a person reads at once.
const shownChanges = 20

// rows returns the changes but the aliases that only follow a rename, and counts these.
func rows(list []Change) (lines []Change, follow int) {
	for _, c := range list {
		if c.Follows && c.Kind == Changed {
			follow++
		} else {
			lines = append(lines, c)
		}
	}
	return lines, follow
}

// Print lists changes, the first ones of many.
func Print(a *term.App, list []Change) {
	lines, follow := rows(list)
	if len(lines) > shownChanges && lines[0].Kind == Added { // what can break comes first, so that all is new
		a.Say("  %s; --json lists them", Summary(list))
		return
	}
	more := 0
	if len(lines) > shownChanges {
		lines, more = lines[:shownChanges], len(lines)-shownChanges
	}
	longest := 0
	for _, c := range lines {
		longest = min(max(longest, term.Width(c.name())), maxAligned)
	}
	for _, c := range lines {
		mark := marks[c.Kind]
		line := a.Styled(mark[1], mark[0]+" "+string(c.name()))
		if values := changedValues(a, c); values != "" {
			line += term.Escaped(strings.Repeat(" ", max(0, longest-term.Width(c.name()))+2)) + values
		}
		a.Say("  %s", line)
	}
	if more > 0 {
		a.Say("  and %d more; --json lists them all", more)
	}
	if follow > 0 {
		a.Say("  and the aliases in %s that follow", term.Plural(follow, "token"))
	}
}

// maxAligned is how far values are aligned behind the names; a longer name pushes its own values on.
const maxAligned = 60

func (c Change) name() term.Escaped {
	switch {
	case c.Inferred:
		return term.Cell(c.From) + " → " + term.Cell(c.Path) + " (inferred)"
	case c.Kind == Renamed:
		return term.Cell(c.From) + " → " + term.Cell(c.Path)
	}
	return term.Cell(c.Path)
}

// changedValues shows the value before and after, each colour with a swatch.
func changedValues(a *term.App, c Change) term.Escaped {
	if c.Kind == Retyped {
		return "was " + term.Cell(orNone(c.FromType)) + ", is " + term.Cell(orNone(c.ToType))
	}
	before, after := shownValue(a, c.Before, c.ShownBefore), shownValue(a, c.After, c.ShownAfter)
	if c.Follows {
		before = after
	}
	switch {
	case before == "" || after == "":
		return before + after
	case before == after && c.Kind == Renamed:
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
	lines, follow := rows(list)
	var words []string
	for _, kind := range kinds {
		if n := len(slices.DeleteFunc(slices.Clone(lines), func(c Change) bool { return c.Kind != kind })); n > 0 {
			words = append(words, term.Plural(n, "token")+" "+kind)
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
