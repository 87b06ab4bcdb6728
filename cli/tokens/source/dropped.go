package source

import (
	"cmp"
	"strconv"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
)

// Dropped is one thing of the files that a push leaves out, or that no served file has.
type Dropped struct {
	Path    string `json:"path"`              // dotted
	Pointer string `json:"pointer,omitempty"` // to its place in the document; empty for an override
	Reason  string `json:"reason"`
	Tokens  int    `json:"tokens"` // left out with it; 0 for a member that is not a token

	Location string `json:"where,omitempty"` // file and line
	Value    string `json:"value,omitempty"` // that is refused

	Fault string `json:"-"` // JSON Pointer to what is wrong, at or below Pointer
}

// String returns the place, the reason and the value.
func (d Dropped) String() string {
	text := d.Reason
	if d.Location != "" {
		text = d.Location + ": " + text
	}
	if d.Value != "" {
		text += ": " + d.Value
	}
	return text
}

// PrintDropped lists what a push leaves out, and counts it.
func PrintDropped(a *term.App, list []Dropped) {
	if len(list) == 0 {
		return
	}
	tokens, others := 0, 0
	for _, d := range list {
		if tokens += d.Tokens; d.Tokens == 0 {
			others++
		}
	}
	PrintRows(a, list)
	if others > 0 {
		a.Warn("%s left out, and %s.", isAre(tokens, "token"), term.Plural(others, "other member"))
	} else {
		a.Warn("%s left out.", isAre(tokens, "token"))
	}
}

// shownRows is how many lines of what is left out a person reads at once.
const shownRows = 10

// PrintRows lists paths with their reasons on the standard error. On a terminal, and if they are many, those with one reason are one line,
// and the first lines are printed.
func PrintRows(a *term.App, list []Dropped) {
	groups := term.Grouped(list, func(d Dropped) string {
		if len(list) <= shownRows && !term.IsTerminal(a.Err) {
			return d.Path + "\x00" + d.String()
		}
		return d.Reason
	})
	hidden := 0
	if len(groups) > shownRows {
		groups, hidden = groups[:shownRows], len(groups)-shownRows
	}
	var rows [][]term.Escaped
	longest := 0
	for _, g := range groups {
		path := cmp.Or(g[0].Path, `""`)
		if len(g) > 1 {
			path += " and " + strconv.Itoa(len(g)-1) + " more"
		}
		rows = append(rows, []term.Escaped{term.Cell(path), term.Cell(escape.Line(g[0].String()))})
		longest = max(longest, term.Width(term.Cell(path)))
	}
	for _, row := range rows {
		a.Warn("%s", term.AlignRow(row, []int{longest, 0}))
	}
	if hidden > 0 {
		a.Warn("and %s more; --json lists them all", term.Plural(hidden, "reason"))
	}
}
