// Package renderer turns a Theme with a Variant's overrides into the bytes of its served files. It
// is pure and total: the same input gives the same bytes on every machine, and every document
// renders. What cannot be rendered is left out and listed in the diagnostics. It runs inside the
// WebAssembly guest and touches no clock, disk or network.
package renderer

import (
	"errors"
	"slices"

	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Version is the version of the renderer. Two renderers of one version give the same bytes.
const Version = "1.0.0"

// File is one of the served files. The zero value is tokens.css.
type File uint8

// The served files.
const (
	TokensCSS        File = iota // custom properties in one :root rule
	TokensValuesJSON             // nested primitives for JavaScript themes
	TokensDTCGJSON               // the stored document with the Variant's values laid over it
	TokensJSON                   // nested DTCG with every alias resolved
	TokensFlatJSON               // dotted path to resolved value
)

// FileCount is the number of served files; every File is below it.
const FileCount = 5

var fileNames = [FileCount]string{"tokens.css", "tokens.values.json", "tokens.dtcg.json", "tokens.json", "tokens.flat.json"}

// Name returns the name that f is served under.
func (f File) Name() string { return fileNames[f] }

// FileByName returns the file served under name; ok is false if there is none.
func FileByName(name string) (f File, ok bool) {
	for i := range fileNames {
		if fileNames[i] == name {
			return File(i), true
		}
	}
	return 0, false
}

// Set is a Theme version with one overlay, resolved once and rendered to any file. It is not
// changed after it was loaded and may be read concurrently. It keeps the trees it was loaded from.
type Set struct {
	doc         *dtcg.Document
	prefix      string
	css         []byte  // the declarations of tokens.css
	places      []place // by token
	declared    int     // the length of all declarations, those that were taken back included
	contested   []bool  // by token: another one declares a name of its own as well; nil: none does
	leftOut     bool    // a token is not in tokens.css for want of room
	diagnostics []dtcg.Diagnostic

	change *change // nil, or all there is beside doc and prefix: doc is then the Theme without its Variant
}

// place is what came of one token.
type place struct {
	start  int32 // where in css its declarations begin, or the next ones if it has none
	value  int32 // where the text of its value begins after start; below 0: tokens.values.json has another; 0: it has none
	same   int32 // the token that it is an alias of, if both have one type and one value; else -1
	served bool  // its value fits its type, so the resolved files hold it

	rewritten bool // the resolved files hold another value than the document
}

// Load reads a Theme document and a Variant's overrides and resolves them. overridesJSON is a flat
// object from dotted path to value, or empty for the Theme alone; prefix is the Theme's custom
// property prefix, or empty. The error names a text that is not a JSON object.
func Load(themeJSON, overridesJSON, prefix string) (*Set, error) {
	theme, err := parseObject("theme", themeJSON)
	if err != nil {
		return nil, err
	}
	var overrides *jsontree.Node
	if overridesJSON != "" {
		if overrides, err = parseObject("overrides", overridesJSON); err != nil {
			return nil, err
		}
	}
	return LoadTree(theme, overrides, prefix), nil
}

func parseObject(what, text string) (*jsontree.Node, error) {
	n, err := jsontree.Parse(text)
	if err != nil {
		return nil, errors.New("renderer: " + what + ": " + err.Error())
	}
	if !n.IsObject() {
		return nil, errors.New("renderer: " + what + ": an object was expected, found: " + n.Kind.String())
	}
	return n, nil
}

// LoadTree is Load for texts that are parsed already. overrides may be nil. The trees must not be
// changed afterwards.
func LoadTree(theme, overrides *jsontree.Node, prefix string) *Set {
	return LoadDocument(overlay(dtcg.Read(theme), dtcg.Overrides(overrides)), prefix)
}

// overlay lays overrides over a document.
func overlay(doc *dtcg.Document, overrides []dtcg.Override) *dtcg.Document {
	if len(overrides) == 0 {
		return doc
	}
	return dtcg.Overlay(doc, overrides)
}

// LoadDocument is LoadTree for a document that is read, and overlaid, already.
func LoadDocument(doc *dtcg.Document, prefix string) *Set {
	s := &Set{doc: doc, prefix: prefix, places: make([]place, len(doc.Tokens))}
	s.declare()
	return s
}

// Append appends the whole file f, with its final newline, at most MaxFileBytes.
func (s *Set) Append(dst []byte, f File) []byte {
	if s.change != nil {
		return s.change.append(dst, f)
	}
	w := walker{set: s}
	return w.append(slices.Grow(dst, s.room(f)), f)
}

// room returns about how many bytes file f has, so that most are written without a second buffer: as a rule not fewer
// than it has.
func (s *Set) room(f File) int {
	sheet := len(stylesheetHead) + len(s.css) + len(stylesheetTail)
	stored := 2 * sheet // about, if only the parts of the document tell
	if root := s.doc.Root; root.IsObject() && root.Text != "" {
		stored = len(root.Text)
	}
	switch f {
	case TokensDTCGJSON:
		return min(MaxFileBytes, stored+len("\n"))
	case TokensFlatJSON:
		return min(MaxFileBytes, 2*sheet+sheet/2)
	case TokensJSON:
		return min(MaxFileBytes, max(sheet, stored+stored/2)) // the resolved file is longer than the stored one by a third to a half
	}
	return sheet
}
