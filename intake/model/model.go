// Package model defines what token files say: declarations, each with the contexts in which it holds. A form makes a Document of a
// file; package system lays the declarations of documents over each other for one Choice of modes.
package model

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"example.com/livery/intake/syntax"
	"example.com/livery/renderer/jsontree"
)

// Kind is the way in which a file declares modes. Each is a member of select in livery.yaml.
type Kind uint8

// The kinds.
const (
	Figma    Kind = iota // the modes of a collection of variables
	Studio               // the themes of a group of Tokens Studio
	Resolver             // the contexts of a modifier of a resolver document
	CSS                  // a selector, or a media condition such as "@media (prefers-color-scheme: dark)"
	Value                // the members of a value such as {"light": …, "dark": …}
)

// String returns the name of the kind in livery.yaml.
func (k Kind) String() string { return [...]string{"figma", "studio", "resolver", "css", "value"}[k] }

// Axis names a dimension that a file declares. Of CSS it is one selector or one media condition, as the file writes it.
type Axis struct {
	Kind Kind
	Name string
}

// Condition is one mode of an Axis. Of CSS the mode is empty: the selector or media condition applies.
type Condition struct {
	Axis
	Mode string
}

// Context holds if all its conditions do.
type Context []Condition

// Choice has the chosen mode of each Axis. A selector or media condition of CSS that is not in it does not apply.
type Choice map[Axis]string

// Holds reports whether all conditions of a context are chosen.
func (c Choice) Holds(context Context) bool {
	return !slices.ContainsFunc(context, func(one Condition) bool {
		mode, ok := c[one.Axis]
		return !ok || mode != one.Mode
	})
}

// Dimension is an Axis with its modes, as the file spells them. A dimension of CSS has no modes.
type Dimension struct {
	Axis
	Modes   []string
	Default string // one of Modes
}

// File is a token file that was parsed once.
type File struct {
	Name string // as it was named, with slashes
	*syntax.File

	positions func() *syntax.Positions
}

// NewFile returns a file with the text that was parsed.
func NewFile(name string, parsed *syntax.File) *File {
	return &File{name, parsed, sync.OnceValue(parsed.Positions)}
}

// Place is a place in a file.
type Place struct {
	File    *File
	Pointer string // JSON Pointer into the tree of the file
}

// String returns the file and line, as "tokens.json:12".
func (p Place) String() string {
	if p.File == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d", p.File.Name, p.File.positions().Line(p.Pointer))
}

// Decl is one declaration of a token or of the metadata of a group.
type Decl struct {
	Path []string
	Type string // own or of a group of the file; empty if the file states none
	// Node is in the form of DTCG: of a token its own $type, $value, $description and other members that begin with $, or a $ref in
	// place of $value, or a $css that cssvalue.Resolve replaces; of a group its members that begin with $.
	Node  *jsontree.Node
	Group bool      // it is the metadata of a group
	When  []Context // it holds in any of these; always if there are none
	Place
}

// Name returns the dotted path.
func (d *Decl) Name() string { return strings.Join(d.Path, ".") }

// HoldsIn reports whether the declaration holds in a choice of modes.
func (d *Decl) HoldsIn(c Choice) bool {
	return len(d.When) == 0 || slices.ContainsFunc(d.When, c.Holds)
}

// Conditions returns the conditions of all contexts of the declaration, each once.
func (d *Decl) Conditions() (list []Condition) {
	for _, c := range slices.Concat(d.When...) {
		if !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

// Language says which expressions the values of a document may hold.
type Language uint8

// The languages.
const (
	Plain       Language = iota // none: an expression is one of CSS
	Expressions                 // arithmetic with aliases, as Style Dictionary's users write it
	StudioMaths                 // that of Tokens Studio, with its modifiers of colours
)

// Document is what one file says, or one folder that Tokens Studio wrote.
type Document struct {
	Form       string // with its article, as "a DTCG document"
	Files      []*File
	Decls      []Decl // of those that hold in a choice, the last of a path counts
	Dimensions []Dimension
	Problems   []Problem
	Language   Language
}

// Report adds a problem. path is the dotted path of the token or group.
func (d *Document) Report(at Place, path, kind, message string, isLost bool) {
	d.Problems = append(d.Problems, Problem{at, path, kind, message, isLost})
}

// AddMode adds a mode to the dimension of an axis, whose default is the first. The mode of CSS is empty.
func (d *Document) AddMode(c Condition) {
	i := slices.IndexFunc(d.Dimensions, func(known Dimension) bool { return known.Axis == c.Axis })
	if i < 0 {
		i, d.Dimensions = len(d.Dimensions), append(d.Dimensions, Dimension{Axis: c.Axis, Default: c.Mode})
	}
	if one := &d.Dimensions[i]; c.Mode != "" && !slices.Contains(one.Modes, c.Mode) {
		one.Modes = append(one.Modes, c.Mode)
	}
}

// Problem is something of a file that is read otherwise than it is written, or is not read.
type Problem struct {
	Place
	Path    string // dotted, of the token or group
	Kind    string // what the problems of one group have in common, in the plural, as "numbers without a unit"
	Message string // with the value, and what becomes of it
	Lost    bool   // no result has the declaration
}

// Pass is a laid tree after a pass over it.
type Pass struct {
	Tree     *jsontree.Node
	Problems []Problem         // their pointers lead into the tree before or after the pass; they have no file
	Moved    map[string]string // new pointer to old pointer, of tokens and groups
}

// Report adds a problem of a token or group, which is not lost.
func (p *Pass) Report(at jsontree.Pointer, kind, message string) {
	p.Problems = append(p.Problems, Problem{Place: Place{Pointer: at.String()}, Path: strings.Join(at, "."), Kind: kind, Message: message})
}

// Error says why nothing can be read of a file, or of what is asked of it.
type Error struct {
	Place
	What string // a sentence without its end
	Next string // what to do, a sentence
}

func (e *Error) Error() string {
	if e.File == nil {
		return e.What
	}
	return e.Place.String() + ": " + e.What
}

// Hint returns what to do about the error.
func (e *Error) Hint() string { return e.Next }
