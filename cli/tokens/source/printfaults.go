package source

import (
	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
)

// The most groups of equal faults that a person reads at once on a terminal, and the most places of each.
const (
	shownGroups = 20
	shownPlaces = 3
)

// PrintFaults lists faults, each with its place and what to do. On a terminal equal ones are grouped, unless full.
func PrintFaults(a *term.App, list []Fault, full bool) {
	if len(list) == 0 {
		a.Say("Everything is rendered.")
		return
	}
	if full || !term.IsTerminal(a.Out) {
		for _, f := range list {
			printFault(a, f)
		}
		return
	}
	type equal struct{ kind, message, next string }
	groups := term.Grouped(list, func(f Fault) equal { return equal{f.Kind, f.Message, f.Next} })
	for i, g := range groups {
		switch {
		case i == shownGroups:
			a.Say("and %s more; --verbose shows them all", term.Plural(len(groups)-i, "kind")+" of fault")
			return
		case len(g) == 1:
			printFault(a, g[0])
		default:
			printFaultGroup(a, g)
		}
	}
}

func printFault(a *term.App, f Fault) {
	var where term.Escaped
	if f.Location != "" {
		where = a.Styled("1", f.Location) + ": "
	}
	a.Say("%s%s  %s  %s%s", where, escape.Line(f.Path), a.Styled("31", f.Kind), escape.Line(f.Message), f.value(": "))
	printNext(a, f)
}

// value is the value of a fault after a mark, or nothing.
func (f Fault) value(mark string) string {
	if f.Value == "" {
		return ""
	}
	return mark + escape.Line(f.Value)
}

func printNext(a *term.App, f Fault) {
	if f.Next != "" {
		a.Say("    %s", a.Styled("2", escape.Line(f.Next)))
	}
}

// printFaultGroup prints equal faults of several tokens once, with the first places.
func printFaultGroup(a *term.App, g []Fault) {
	a.Say("%s  %s  %s", term.Plural(len(g), "place"), a.Styled("31", g[0].Kind), escape.Line(g[0].Message))
	for i, f := range g {
		if i == shownPlaces {
			a.Say("    and %d more; --verbose shows them all", len(g)-i)
			break
		}
		var where term.Escaped
		if f.Location != "" {
			where = "  " + a.Styled("1", f.Location)
		}
		a.Say("    %s%s%s", escape.Line(f.Path), where, f.value("  "))
	}
	printNext(a, g[0])
}
