package cli

import (
	"strconv"

	"example.com/livery/cli/escape"
)

// The most groups of equal faults that a person reads at once on a terminal, and the most places of each.
const (
	shownGroups = 20
	shownPlaces = 3
)

// grouped puts the items of one key together, in the order of the first of each.
func grouped[T any, K comparable](list []T, key func(T) K) (groups [][]T) {
	place := map[K]int{}
	for _, item := range list {
		k := key(item)
		i, known := place[k]
		if !known {
			i, groups = len(groups), append(groups, nil)
			place[k] = i
		}
		groups[i] = append(groups[i], item)
	}
	return groups
}

// printFaults lists faults, each with its place and what to do. On a terminal equal ones are grouped, unless full.
func (a *app) printFaults(list []fault, full bool) {
	if len(list) == 0 {
		a.say("Everything is rendered.")
		return
	}
	if full || !isTerminal(a.out) {
		for _, f := range list {
			a.printFault(f)
		}
		return
	}
	type equal struct{ kind, message, next string }
	groups := grouped(list, func(f fault) equal { return equal{f.Kind, f.Message, f.Next} })
	for i, g := range groups {
		switch {
		case i == shownGroups:
			a.say("and %s more; --full shows them all", plural(len(groups)-i, "kind")+" of fault")
			return
		case len(g) == 1:
			a.printFault(g[0])
		default:
			a.printFaultGroup(g)
		}
	}
}

func (a *app) printFault(f fault) {
	var where shown
	if f.Where != "" {
		where = a.styled("1", f.Where) + ": "
	}
	a.say("%s%s  %s  %s", where, escape.Line(f.Path), a.styled("31", f.Kind), escape.Line(f.Message))
	a.printNext(f)
}

func (a *app) printNext(f fault) {
	if f.Next != "" {
		a.say("    %s", a.styled("2", escape.Line(f.Next)))
	}
}

// printFaultGroup prints equal faults of several tokens once, with the first places.
func (a *app) printFaultGroup(g []fault) {
	a.say("%s  %s  %s", plural(len(g), "place"), a.styled("31", g[0].Kind), escape.Line(g[0].Message))
	for i, f := range g {
		if i == shownPlaces {
			a.say("    and %d more; --full shows them all", len(g)-i)
			break
		}
		var where shown
		if f.Where != "" {
			where = "  " + a.styled("1", f.Where)
		}
		a.say("    %s%s", escape.Line(f.Path), where)
	}
	a.printNext(g[0])
}

// skippedRows are the lines that list what a push left out: a path and why. On a terminal those with one reason are
// one line, unless full.
func (a *app) skippedRows(list []skipped, full bool) (rows [][]shown) {
	if full || !isTerminal(a.err) {
		for _, s := range list {
			rows = append(rows, []shown{cell(s.Path), cell(escape.Line(s.Reason))})
		}
		return rows
	}
	for _, g := range grouped(list, func(s skipped) string { return s.Reason }) {
		path := g[0].Path
		if len(g) > 1 {
			path += " and " + strconv.Itoa(len(g)-1) + " more"
		}
		rows = append(rows, []shown{cell(path), cell(escape.Line(g[0].Reason))})
	}
	return rows
}
