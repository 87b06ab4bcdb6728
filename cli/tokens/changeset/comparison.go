package changeset

import (
	"fmt"
	"strconv"
	"strings"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokendiff"
	"example.com/livery/client"
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
func PrintComparison(a *term.App, c Comparison, full bool) {
	a.Say("From %s to %s:", c.From, c.To)
	Print(a, c.Changes, full)
	printProperties(a, c.Properties, full)
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

// propertyCount says how many custom properties change.
func propertyCount(n int) string {
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
func printProperties(a *term.App, c client.PropertyChanges, full bool) {
	if c.Count+len(c.Taken) == 0 {
		return
	}
	a.Say("%s:", propertyCount(c.Count))
	for _, l := range propertyLists(c) {
		if len(l.names) == 0 {
			continue
		}
		shown, more := l.names, ""
		if !full && len(shown) > shownChanges {
			shown, more = shown[:shownChanges], fmt.Sprintf(" and %d more", len(l.names)-shownChanges)
		}
		a.Say("  %s: %s%s", l.kind, strings.Join(shown, ", "), more)
	}
}

// Properties compares the custom properties of two documents of a Theme.
func Properties(before, after *jsontree.Node, prefix string, renamed tokendiff.Renaming) client.PropertyChanges {
	later := dtcg.Read(after)
	return properties(
		renderer.LoadTree(before, nil, prefix), renderer.LoadDocument(later, prefix),
		func(token string) (string, bool) {
			if to, moved := renamed.Tokens[token]; moved {
				token = to
			}
			return token, later.Token(token) != nil
		})
}

// OverrideProperties compares the custom properties of a Theme with two flat maps of a Variant laid over it.
func OverrideProperties(theme, before, after *jsontree.Node, prefix string) client.PropertyChanges {
	return properties(renderer.LoadTree(theme, before, prefix), renderer.LoadTree(theme, after, prefix), func(token string) (string, bool) { return token, true })
}

func properties(before, after *renderer.Set, moved func(token string) (string, bool)) client.PropertyChanges {
	c := renderer.CompareProperties(before.Properties(), after.Properties(), moved)
	list := func(names []string) []string { return append([]string{}, names...) }
	return client.PropertyChanges{Count: c.Count(), Added: list(c.Added), Removed: list(c.Removed), Changed: list(c.Changed), Taken: list(c.Taken)}
}
