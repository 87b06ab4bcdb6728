package validate

import (
	"strconv"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
)

// droppedRows are the lines that list what a push left out: a path and why. On a terminal those with one reason are
// one line, unless full.
func droppedRows(a *term.App, list []Dropped, full bool) (rows [][]term.Escaped) {
	if full || !term.IsTerminal(a.Err) {
		for _, s := range list {
			rows = append(rows, []term.Escaped{term.Cell(s.Path), term.Cell(escape.Line(s.Reason))})
		}
		return rows
	}
	for _, g := range term.Grouped(list, func(s Dropped) string { return s.Reason }) {
		path := g[0].Path
		if len(g) > 1 {
			path += " and " + strconv.Itoa(len(g)-1) + " more"
		}
		rows = append(rows, []term.Escaped{term.Cell(path), term.Cell(escape.Line(g[0].Reason))})
	}
	return rows
}
