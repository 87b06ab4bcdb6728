package changeset

import (
	"fmt"
	"strconv"
	"strings"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
	"example.com/livery/client"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Comparison is what diff tells.
type Comparison struct {
	What     string   `json:"what"` // a Theme or Variant, for a title
	From     string   `json:"from"` // edition, in words
	To       string   `json:"to"`
	Changes  []Change `json:"changes"`
	Breaking bool     `json:"breaking"`
	Notes    []string `json:"-"`

	Properties client.PropertyChanges `json:"properties"`
}

// PrintComparison prints a comparison for people.
func PrintComparison(a *term.App, c Comparison) {
	a.Say("From %s to %s:", c.From, c.To)
	Print(a, c.Changes)
	printProperties(a, c.Properties)
	for _, note := range c.Notes {
		a.Say("Note: %s", escape.Line(note))
	}
	switch {
	case c.Breaking:
		a.Say("This can break a consumer of a custom property.")
	case len(c.Changes) == 0:
		a.Say("  nothing changed")
	default:
		a.Say("No custom property is lost.")
	}
}

// PropertyCount says how many custom properties change.
func PropertyCount(n int) string {
	if n == 1 {
		return "1 custom property changes"
	}
	return strconv.Itoa(n) + " custom properties change"
}

// propertyList is the custom properties to which one thing happens.
type propertyList struct {
	kind  string
	names []string
}

// propertyLists returns what happens to custom properties, what can break a consumer first.
func propertyLists(c client.PropertyChanges) []propertyList {
	return []propertyList{{"removed", c.Removed}, {"of another token", c.Taken}, {"changed", c.Changed}, {"added", c.Added}}
}

// printProperties counts the custom properties that change and lists the first ones of many.
func printProperties(a *term.App, c client.PropertyChanges) {
	if c.Count+len(c.Taken) == 0 {
		return
	}
	a.Say("%s:", PropertyCount(c.Count))
	for _, l := range propertyLists(c) {
		if len(l.names) == 0 {
			continue
		}
		shown, more := l.names, ""
		if len(shown) > shownChanges {
			shown, more = shown[:shownChanges], fmt.Sprintf(" and %d more", len(l.names)-shownChanges)
		}
		a.Say("  %s: %s%s", l.kind, strings.Join(shown, ", "), more)
	}
}

// WithFiles returns the comparison of a document of a Theme with another, or of two flat maps of overrides over theme, a document that is nil
// otherwise.
func WithFiles(what, from string, before, after, theme *jsontree.Node, prefix string) Comparison {
	c := Comparison{What: what, From: from, To: "the files"}
	var found theming.Comparison
	if theme != nil {
		c.Changes = Overrides(before, after)
		found = theming.CompareVariantsOver(theming.Edition{Document: theme, Prefix: prefix}, before, after)
	} else {
		old, young := dtcg.Read(before), dtcg.Read(after)
		renamed := Renames(old, young)
		c.Changes = Documents(before, after, renamed)
		found = theming.CompareThemes(theming.Edition{Document: before, Prefix: prefix}, theming.Edition{Document: after, Prefix: prefix}, renamed.Moves(old, young))
	}
	list := func(names []string) []string { return append([]string{}, names...) }
	p := found.Properties
	c.Properties = client.PropertyChanges{Count: p.Count(), Added: list(p.Added), Removed: list(p.Removed), Changed: list(p.Changed), Taken: list(p.Taken)}
	c.Breaking = found.Breaking || breaking(c.Changes) > 0
	c.Changes = append([]Change{}, c.Changes...)
	return c
}

// FromOrigin lists what changed between two documents of a Theme, with the renames that the origin knows.
func FromOrigin(said client.Comparison, before, after *jsontree.Node) []Change {
	r, inferred := Renaming{Tokens: map[string]string{}}, map[string]bool{}
	for _, moved := range said.Renamed {
		r.Tokens[moved.From], inferred[moved.From] = moved.To, moved.Inferred
	}
	list := Documents(before, after, r)
	for i := range list {
		list[i].Inferred = inferred[list[i].From]
	}
	return list
}

// CountProperties counts the custom properties of two documents with the same overrides, which may be nil, that differ.
func CountProperties(before, after, overrides *jsontree.Node) int {
	stays := func(token string) (string, bool) { return token, true }
	old, young := renderer.LoadTree(before, overrides, ""), renderer.LoadTree(after, overrides, "")
	c := renderer.CompareProperties(old.Properties(), young.Properties(), stays)
	return c.Count()
}
