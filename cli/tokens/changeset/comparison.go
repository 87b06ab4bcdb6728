package changeset

import (
	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
)

// Comparison is what diff tells.
type Comparison struct {
	What     string   `json:"what"` // a Theme or Variant, for a title
	From     string   `json:"from"` // edition, in words
	To       string   `json:"to"`
	Changes  []Change `json:"changes"`
	Breaking bool     `json:"breaking"`
	Notes    []string `json:"-"`
}

// PrintComparison prints a comparison for people.
func PrintComparison(a *term.App, c Comparison, full bool) {
	a.Say("From %s to %s:", c.From, c.To)
	Print(a, c.Changes, full)
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
