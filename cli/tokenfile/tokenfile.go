// Package tokenfile reads the files in which people keep design tokens and makes DTCG trees of
// them: DTCG documents as they are, exports of Tokens Studio, the older form without dollar signs, and
// the variables of Figma's REST interface. It knows the line of each token. It is pure: it
// opens no file and asks no server, and it never changes a tree that it was given.
package tokenfile

import (
	"strings"

	"example.com/livery/renderer/jsontree"
)

// Kind is the form of a file.
type Kind uint8

// The forms of files.
const (
	Flat       Kind = iota // a map of dotted paths to values, or nothing that is known
	DTCG                   // a DTCG document: somewhere stands a $value
	Legacy                 // the form before DTCG: value, type and description without a dollar sign
	Studio                 // an export of Tokens Studio: token sets beside $metadata or $themes
	BareStudio             // an export of Tokens Studio without these, as its shape shows
	Figma                  // an answer of Figma's REST interface to a question for variables
)

// String names the form for messages.
func (k Kind) String() string {
	return [...]string{
		"a flat map", "a DTCG document", "a document without dollar signs", "an export of Tokens Studio", "an export of Tokens Studio", "an answer of Figma",
	}[k]
}

// HasSets reports whether files of this form hold token sets, which Options.Sets chooses from.
func (k Kind) HasSets() bool { return k == Studio || k == BareStudio }

// HasModes reports whether files of this form hold modes, of which Options.Mode is one.
func (k Kind) HasModes() bool { return k == Figma || k.HasSets() }

// Options say what is wanted of a file that holds more than one set of values. The zero value wants
// all sets of Tokens Studio, and the default mode of each collection of Figma.
type Options struct {
	Sets []string // of Tokens Studio, in the order in which they are laid over each other; empty means all
	Mode string   // of Figma, or the name of a theme of Tokens Studio; empty means the default
	// Overrides wants only what the mode itself says: not the sets that a theme of Tokens Studio only
	// refers to, and no value of Figma that is that of the default mode too.
	Overrides bool
}

// Part is a DTCG tree made of a file or of one set in it.
type Part struct {
	Name    string // of the set; empty if the file is one tree
	Tree    *jsontree.Node
	Origins map[string]string // pointer to a token in Tree -> pointer to its place in the file, if that is another
	Faults  []Fault
	Modes   []Mode // of Figma, if the part holds more than one collection that has several
}

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

// KindOf tells the form of a file by what stands in it, and by the sets that o names.
func KindOf(root *jsontree.Node, o Options) Kind {
	switch {
	case isFigma(root):
		return Figma
	case root.Find("$metadata").Find("tokenSetOrder") != nil || isArray(root.Find("$themes")):
		return Studio
	case isBareStudio(root, o.Sets):
		return BareStudio
	case holds(root, "$value"):
		return DTCG
	case holdsLegacy(root):
		return Legacy
	}
	return Flat
}

// Convert returns the trees that a file of any form but Flat gives, in the order in which they are laid
// over each other. It returns an *Error if the options name what the file lacks.
func Convert(root *jsontree.Node, o Options) ([]Part, error) {
	switch KindOf(root, o) {
	case Figma:
		part, err := convertFigma(root, o)
		return []Part{part}, err
	case Studio, BareStudio:
		return convertStudio(root, o)
	case Legacy:
		return []Part{convertSet("", root, nil)}, nil
	}
	return []Part{{Tree: root}}, nil
}

// holds reports whether an object with the member stands in the groups of n.
func holds(n *jsontree.Node, member string) bool {
	if n.Find(member) != nil {
		return true
	}
	for _, m := range n.Members {
		if m.Value.IsObject() && !isMeta(m.Name) && holds(m.Value, member) {
			return true
		}
	}
	return false
}

func holdsLegacy(n *jsontree.Node) bool {
	for _, m := range n.Members {
		if m.Value.IsObject() && !isMeta(m.Name) && (isLegacyToken(m.Value) || holdsLegacy(m.Value)) {
			return true
		}
	}
	return false
}

// isLegacyToken reports whether n is a token of the form before DTCG, and no dimension, which has a
// value too.
func isLegacyToken(n *jsontree.Node) bool {
	return n.IsObject() && n.Find("value") != nil && n.Find("unit") == nil
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
