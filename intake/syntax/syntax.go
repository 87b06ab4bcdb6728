// Package syntax reads the texts in which people keep design tokens, JSON, JSON5 (thus JSON with comments), YAML
// and CSS, as JSON trees with the line of each member. It never runs a text and opens no file.
package syntax

import (
	"path"
	"strings"

	"example.com/livery/renderer/jsontree"
)

// Syntax is how a text is written.
type Syntax uint8

// The syntaxes.
const (
	JSON  Syntax = iota
	JSON5        // JSON with comments, trailing commas, single quotes or names without quotes
	YAML
	CSS // a list of the rules of a stylesheet with their custom properties
)

// String names the syntax for messages.
func (s Syntax) String() string { return [...]string{"JSON", "JSON5", "YAML", "CSS"}[s] }

// File is a text that was read. It is not changed afterwards.
type File struct {
	Root       *jsontree.Node
	Syntax     Syntax
	Duplicates []Duplicate // in the order of the text
	locate     func() *Positions
}

// Duplicate is a member whose name a later member of the same object has, which alone counts.
type Duplicate struct {
	Pointer string         // of both
	Line    int            // of the member that does not count, from 1
	Value   *jsontree.Node // of that member
	Inside  bool           // it stands in another such member, with which it goes
}

// Positions finds the places of the members. It takes time linear in the text.
func (f *File) Positions() *Positions { return f.locate() }

// Error is a place of a text that cannot be read.
type Error struct {
	Offset int    // in bytes
	What   string // what was expected there
	Syntax Syntax
}

func (e *Error) Error() string { return e.What }

// Extensions are the endings of the names of files that Parse reads, CSS aside.
var Extensions = []string{".json", ".json5", ".jsonc", ".tokens", ".yaml", ".yml"}

// Parse reads a text; the ending of name says its syntax, and what the text begins with if name has none. It returns an
// *Error if it cannot be read.
func Parse(name, text string) (*File, error) {
	switch ext := strings.ToLower(path.Ext(name)); {
	case ext == ".yaml" || ext == ".yml":
		return parseYAML(text)
	case ext == ".css":
		return parseCSS(text)
	case ext != ".json" && ext != ".json5" && ext != ".jsonc" && looksLikeCSS(text):
		return parseCSS(text)
	case ext != ".json" && ext != ".json5" && ext != ".jsonc" && looksLikeYAML(text):
		return parseYAML(text)
	}
	return parseJSON(text)
}

// looksLikeCSS reports whether a text without a name is a stylesheet: its first block belongs to a selector.
func looksLikeCSS(text string) bool {
	head, _, opened := strings.Cut(skipComments(text), "{")
	head = strings.TrimSpace(head)
	return opened && head != "" && strings.ContainsAny(head[:1], ":.@[*") || opened && head == "html"
}

// looksLikeYAML reports whether a text without a name begins with a member of a mapping.
func looksLikeYAML(text string) bool {
	text = skipComments(text)
	for strings.HasPrefix(text, "#") || strings.HasPrefix(text, "---") {
		_, rest, _ := strings.Cut(text, "\n")
		text = strings.TrimSpace(rest)
	}
	line, _, _ := strings.Cut(text, "\n")
	return line != "" && !strings.ContainsAny(line[:1], "{[<") && strings.Contains(line, ":")
}

// skipComments cuts the comments of CSS and JSON5 off the beginning of a text.
func skipComments(text string) string {
	for {
		text = strings.TrimSpace(text)
		switch {
		case strings.HasPrefix(text, "/*"):
			_, text, _ = strings.Cut(text, "*/")
		case strings.HasPrefix(text, "//"):
			_, text, _ = strings.Cut(text, "\n")
		default:
			return text
		}
	}
}
