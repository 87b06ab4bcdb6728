// Package tokenfile reads the files in which people keep design tokens and makes DTCG trees of them. One function
// recognises the form of a file, one small reader for each form makes the tree, and names what it had to read otherwise
// than it is written. It knows the line of each token. It is pure: it opens no file and asks no server, and it never
// changes a tree that it was given.
package tokenfile

import (
	"slices"
	"strconv"
	"strings"

	"example.com/livery/cli/tokenfile/cssvalue"
	"example.com/livery/renderer/jsontree"
)

// Options say what is wanted of a file that holds more than one set of values. The zero value wants
// all sets of Tokens Studio, and the default mode of each collection of Figma.
type Options struct {
	Sets []string // of Tokens Studio, in the order in which they are laid over each other; empty means all
	// Choice, if it is not nil, has a mode for each dimension that does not have its default, in place of Mode.
	Choice map[string]string
	Mode   string // of Figma or of values that name their modes, or the name of a theme of Tokens Studio; empty means the default
	// Overrides wants only what the mode itself says: not the sets that a theme of Tokens Studio only
	// refers to, and no value of Figma that is that of the default mode too.
	Overrides bool

	Declared       map[string]cssvalue.State // of the custom properties that the stylesheets of the command declare
	Pages          map[string][][]string     // of each mode of these stylesheets: what a page must have, of each selector for it
	NotSets        bool                      // a file is not of token sets by its shape alone
	Among          bool                      // other files of the command are of tokens: values need not look like those of tokens
	KeepReferences bool                      // $ref and $extends stay as they are written
	Inputs         []string                  // for the modifiers of a resolver document, each MODIFIER=CONTEXT

	Memo *Memo // of files that are read with several choices; nil if they are read once

	readAs     map[string]string           // classes and attributes in the selectors of these stylesheets, and how each is read; nil if that is not known
	groups     []string                    // the modes that groups of the file are
	tokens     map[string]bool             // pointers to the tokens in all trees that are read together; see WithTokens
	figmaPaths map[string]jsontree.Pointer // of the variables of all files of Figma that are read together; see WithVariables
}

// Memo keeps what token sets become, whatever mode is chosen, and how the selectors of stylesheets are read. One
// goroutine uses it at a time.
type Memo struct {
	sets   map[*jsontree.Node]Part
	tokens map[*jsontree.Node]map[string]bool   // of all token sets of a file
	readAs map[*jsontree.Node]map[string]string // as Options.readAs, by the first of the stylesheets
}

// NewMemo returns a Memo for files whose parsed trees stay the same ones.
func NewMemo() *Memo {
	return &Memo{map[*jsontree.Node]Part{}, map[*jsontree.Node]map[string]bool{}, map[*jsontree.Node]map[string]string{}}
}

// withTokens returns o for the token sets of a file.
func (m *Memo) withTokens(o Options, file *jsontree.Node, sets []*jsontree.Node) Options {
	if m == nil {
		return o.WithTokens(sets...)
	}
	if m.tokens[file] == nil {
		m.tokens[file] = o.WithTokens(sets...).tokens
	}
	o.tokens = m.tokens[file]
	return o
}

// readsAs is how the classes and attributes of stylesheets are read.
func (m *Memo) readsAs(roots []*jsontree.Node) map[string]string {
	switch {
	case len(roots) == 0:
		return nil
	case m == nil:
		return readAs(roots)
	case m.readAs[roots[0]] == nil:
		m.readAs[roots[0]] = readAs(roots)
	}
	return m.readAs[roots[0]]
}

// set makes a part of a token set in a file, or returns what was made of it before, unless its values have modes.
func (m *Memo) set(n *jsontree.Node, convert func() Part) Part {
	if m == nil {
		return convert()
	}
	part, known := m.sets[n]
	if !known {
		if part = convert(); len(part.ModeNames) > 0 {
			return part
		}
		part.Concessions, part.Faults = slices.Clip(part.Concessions), slices.Clip(part.Faults) // others may be appended
		m.sets[n] = part
	}
	return part
}

// Part is a DTCG tree made of a file or of one set in it.
type Part struct {
	Name    string // of the set; empty if the file is one tree
	Tree    *jsontree.Node
	At      string            // pointer to Tree in the file
	Origins map[string]string // pointer to a token in Tree -> pointer to its place in the file, if that is another
	Faults  []Fault
	Modes   []Mode // of Figma, if the part holds more than one collection that has several

	Concessions []Concession
	Restored    map[string]bool // pointers to the tokens that are as livery pull wrote them; nil if it did not write the file
	Dimensions  []Dimension
	Unused      []string // token sets of the file that no theme of it takes
	Standing    Standing
	ModeNames   []string // of a form whose values name their modes: those that Options.Mode may be
}

// Standing says what becomes of a value that a later part gives a token otherwise.
type Standing int

// The standings of parts.
const (
	Laid   Standing = iota // parts are meant to be laid over this one
	Shared                 // this one is of all modes, and those of one mode are laid over it
	Own                    // this one is of a mode, and nothing is laid over it
)

// LosesTo reports whether a value is lost if a later part with a standing gives the token another in each mode.
func (s Standing) LosesTo(later Standing) bool {
	return s == Own || s == Shared && later == Shared
}

// Concession is something of a file that is read otherwise than it is written, or that is left out without a token
// being lost.
type Concession struct {
	Kind    string // what the concessions of one group have in common
	Pointer string // into the file
	Path    string // dotted, of the token or group
	Message string // with the value, and what became of it
}

// LeftOut are the kinds of concessions that name what is not taken of a file because another mode or set of it is, or
// because a page has it, and Quoted.
var LeftOut = append([]string{
	"custom properties of other modes", "modes that are left out", "token sets that are left out", "values of several modes", "values of several sets", "values in no result",
}, Quoted...)

// Mode is the mode of a collection of Figma whose values are taken.
type Mode struct {
	Collection, Name string
	Default          bool // the mode that was asked for is not one of this collection
}

// Fault is something of a file that no token can be made of.
type Fault struct {
	Pointer string // into the file
	Path    string // dotted, of the token it would be
	Message string
}

// Error says why nothing can be made of a file.
type Error struct {
	What string // a sentence without its end
	Next string // the next step to try
}

func (e *Error) Error() string { return e.What }

// holds reports whether an object with the member is n or stands in its groups.
func holds(n *jsontree.Node, member string) bool {
	_, ok := firstAt(n, func(inside *jsontree.Node) bool { return inside.Find(member) != nil })
	return ok
}

func holdsLegacy(n *jsontree.Node) bool {
	_, ok := firstAt(n, func(inside *jsontree.Node) bool { return inside != n && isLegacyToken(inside) })
	return ok
}

// isToken reports whether n is a token of DTCG or of the form before it.
func isToken(n *jsontree.Node) bool { return n.Find("$value") != nil || isLegacyToken(n) }

// valueName is the name of the member of a token that holds its value.
func valueName(n *jsontree.Node) string {
	if n.Find("$value") == nil {
		return "value"
	}
	return "$value"
}

// eachToken visits the objects in the groups of n that are tokens, but for what stands inside them.
func eachToken(n *jsontree.Node, is func(*jsontree.Node) bool, visit func(*jsontree.Node)) {
	for _, m := range n.Members {
		switch {
		case isMeta(m.Name) || !m.Value.IsObject():
		case is(m.Value):
			visit(m.Value)
		default:
			eachToken(m.Value, is, visit)
		}
	}
}

// isLegacyToken reports whether n is a token of the form before DTCG, and not a dimension, which has a value too, or a
// group with a group called value. One with a type is a token, whatever else it has, and so is what Style Dictionary
// built.
func isLegacyToken(n *jsontree.Node) bool {
	value := n.Find("value")
	switch {
	case !n.IsObject() || value == nil:
		return false
	case n.Find("type").IsString() || isBuilt(n):
		return true
	}
	return n.Find("unit") == nil && !(value.IsObject() && (holds(n, "$value") || isLegacyToken(value) || holdsLegacy(value)))
}

// isBuilt reports whether a token is one of a file that Style Dictionary has built: its value is what a platform gets.
func isBuilt(n *jsontree.Node) bool {
	return n.Find("attributes").IsObject() && (n.Find("original").IsObject() || textOf(n.Find("filePath")) != "")
}

func isMeta(name string) bool { return strings.HasPrefix(name, "$") && name != "$root" }

func isArray(n *jsontree.Node) bool { return n != nil && n.Kind == jsontree.Array }

// textOf is the text of a string, and empty for anything else.
func textOf(n *jsontree.Node) string {
	if n.IsString() {
		return n.Text
	}
	return ""
}

func itoa(n int) string { return strconv.Itoa(n) }
