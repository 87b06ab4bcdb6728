package validate

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Dropped is one thing of the files that a push leaves out because the API would refuse it.
type Dropped struct {
	Path    string `json:"path"`              // dotted
	Pointer string `json:"pointer,omitempty"` // to its place in the document; empty for an override
	Reason  string `json:"reason"`
	Tokens  int    `json:"tokens"` // left out with it; 0 for a member that is not a token

	Location string `json:"where,omitempty"` // file and line, if the reason does not begin with them
	Value    string `json:"value,omitempty"` // that is refused

	Kind string `json:"kind,omitempty"` // of the diagnostic, if it is a reference
}

// Said is the reason for a person: with the place before it and the value behind it.
func (d Dropped) Said() string {
	text := d.Reason
	if d.Location != "" {
		text = d.Location + ": " + text
	}
	if d.Value != "" {
		text += ": " + d.Value
	}
	return text
}

// Place is the file and line of what is dropped, and its reason without them.
func (d Dropped) Place() (where, reason string) {
	if m := located.FindStringSubmatch(d.Reason); d.Location == "" && m != nil {
		return m[1], d.Reason[len(m[0]):]
	}
	return d.Location, d.Reason
}

// located is the file and line, and perhaps the column, with which a reason may begin.
var located = regexp.MustCompile(`^(.*?:[0-9]+)(?::[0-9]+)?: `)

// Message is what a diagnostic of a document says, with the names of the members that it is about.
func Message(d dtcg.Diagnostic, document *jsontree.Node) string {
	token := document.Lookup(strings.Split(d.Path, "."))
	if d.Kind != dtcg.TokenHasChildren || token == nil {
		return d.Message
	}
	var names []string
	for _, m := range token.Members {
		if !tokentree.IsMeta(m.Name) {
			names = append(names, m.Name)
		}
	}
	return d.Message + ": " + term.ShortList(names)
}

// PrintDropped lists what a push left out.
func PrintDropped(a *term.App, list []Dropped, full bool) {
	if len(list) == 0 {
		return
	}
	tokens, others := 0, 0
	for _, s := range list {
		tokens += s.Tokens
		if s.Tokens == 0 {
			others++
		}
	}
	PrintRows(a, list, full)
	a.Warn("%s", leftOutSentence(tokens, others))
}

// shownRows is how many lines of what is left out a person reads at once.
const shownRows = 10

// PrintRows lists paths with their reasons on the standard error: in ten lines, those of one reason together, or each
// if full.
func PrintRows(a *term.App, list []Dropped, full bool) {
	rows, longest := droppedRows(a, list, full), 0
	hidden := 0
	if !full && len(rows) > shownRows {
		rows, hidden = rows[:shownRows], len(rows)-shownRows
	}
	for _, row := range rows {
		longest = max(longest, term.Width(row[0]))
	}
	for _, row := range rows {
		a.Warn("%s", term.AlignRow(row, []int{longest, 0}))
	}
	if hidden > 0 {
		a.Warn("and %s more; --verbose lists them all", term.Plural(hidden, "reason"))
	}
}

func leftOutSentence(tokens, others int) string {
	all := term.Plural(tokens, "token") + " are left out"
	switch tokens {
	case 0:
		all = "No token is left out"
	case 1:
		all = "1 token is left out"
	}
	switch others {
	case 0:
		return all + "."
	case 1:
		return all + ", and 1 member that is not a token."
	}
	return all + ", and " + term.Plural(others, "member") + " that are not tokens."
}

// DropInvalidOverrides returns overrides without those whose path the API refuses, or that go beyond its bounds, and
// which those are. No other value is refused.
func DropInvalidOverrides(overrides *jsontree.Node) (*jsontree.Node, []Dropped) {
	valid, out := jsontree.NewObject(), []Dropped(nil)
	for _, m := range overrides.Members {
		if reason := cmp.Or(PathFault(m.Name), overrideFault(m)); reason != "" {
			out = append(out, Dropped{Path: m.Name, Reason: reason, Tokens: 1})
			continue
		}
		valid.Members = append(valid.Members, m)
	}
	valid.Index()
	return valid, out
}

// PathFault says why a path is not a dotted path of a token, or nothing.
func PathFault(path string) string {
	names := strings.Split(path, ".")
	for i, name := range names {
		switch {
		case strings.HasPrefix(path, "/"):
			return "a path is dotted, as in color.brand, and has no leading slash"
		case name == "":
			return "a path has a name before, between and after its dots"
		case strings.ContainsAny(name, "{}"):
			return "a name holds none of { }"
		case name[0] == '$' && (name != "$root" || i < len(names)-1):
			return "only values can be overridden, and " + name + " is not a value"
		}
	}
	return ""
}

// droppedRows are the lines that list what a push left out: a path and why. Those with one reason are one line on a
// terminal, and if they are many, unless full.
func droppedRows(a *term.App, list []Dropped, full bool) (rows [][]term.Escaped) {
	if full || len(list) <= shownRows && !term.IsTerminal(a.Err) {
		for _, s := range list {
			rows = append(rows, []term.Escaped{term.Cell(cmp.Or(s.Path, `""`)), term.Cell(escape.Line(s.Said()))})
		}
		return rows
	}
	for _, g := range term.Grouped(list, func(s Dropped) string { return s.Reason }) {
		path := cmp.Or(g[0].Path, `""`)
		if len(g) > 1 {
			path += " and " + strconv.Itoa(len(g)-1) + " more"
		}
		rows = append(rows, []term.Escaped{term.Cell(path), term.Cell(escape.Line(g[0].Said()))})
	}
	return rows
}
