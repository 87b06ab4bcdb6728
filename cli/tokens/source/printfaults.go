package source

import (
	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

// The most groups of equal faults that a person reads at once on a terminal, and the most places of each.
const (
	shownGroups = 20
	shownPlaces = 3
)

// PrintFaults lists faults, each with its place and what to do. On a terminal equal ones are grouped.
func PrintFaults(a *term.App, list []Fault) {
	if len(list) == 0 {
		a.Say("Everything is rendered.")
		return
	}
	isGrouped := term.IsTerminal(a.Out)
	groups := term.Grouped(list, func(f Fault) Fault {
		if isGrouped {
			return Fault{Diagnostic: client.Diagnostic{Kind: f.Kind, Message: f.Message}, Next: f.Next}
		}
		return f
	})
	for i, g := range groups {
		if i == shownGroups && isGrouped {
			a.Say("and %s more; --json lists them all", term.Plural(len(groups)-i, "kind")+" of fault")
			return
		}
		what := a.Styled("31", g[0].Kind) + "  " + term.Escaped(escape.Line(g[0].Message))
		if len(g) == 1 {
			a.Say("%s%s  %s%s", g[0].where(a, "", ": "), escape.Line(g[0].Path), what, g[0].value(": "))
		} else {
			a.Say("%s  %s", term.Plural(len(g), "place"), what)
			for k, f := range g {
				if k == shownPlaces {
					a.Say("    and %d more; --json lists them all", len(g)-k)
					break
				}
				a.Say("    %s%s%s", escape.Line(f.Path), f.where(a, "  ", ""), f.value("  "))
			}
		}
		if g[0].Next != "" {
			a.Say("    %s", a.Styled("2", escape.Line(g[0].Next)))
		}
	}
}

// where returns the place of a fault between two texts, or nothing.
func (f Fault) where(a *term.App, before, after term.Escaped) term.Escaped {
	if f.Location == "" {
		return ""
	}
	return before + a.Styled("1", f.Location) + after
}

// value returns the value of a fault after a mark, or nothing.
func (f Fault) value(mark string) string {
	if f.Value == "" {
		return ""
	}
	return mark + escape.Line(f.Value)
}
