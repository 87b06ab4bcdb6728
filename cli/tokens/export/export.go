// Package export writes the tokens of a Theme, alone or with a Variant's overrides, as source files for programs:
// declarations for TypeScript, a JSON Schema of overrides, SCSS variables, a Tailwind theme. It reads what the
// served files say and is pure: equal documents give equal bytes, and no text of a document leaves its place.
package export

import (
	"cmp"
	"strings"

	"example.com/livery/cli/escape"
	"example.com/livery/renderer"
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Property is one custom property of a token.
type Property struct {
	Name string // with its two dashes
	Text string // as tokens.css declares it
}

// Token is one token that tokens.css declares.
type Token struct {
	Path        string     // dotted
	Segments    []string   // of the path
	Type        string     // after aliases, inheritance and inference; empty if the document tells none
	Kind        css.Kind   // what the type is rendered as
	Properties  []Property // at least one, the token's own name first if it has one
	Primitive   string     // as tokens.values.json holds it, JSON; empty if that file leaves the token out
	Description string     // on one line; empty if there is none
	Location    string     // file and line that it was read from; empty if that is unknown
	Deprecated  string     // why, on one line; "deprecated" if the document gives no reason; empty if the token is not
}

// Sheet is the served content of a Theme as a list of tokens.
type Sheet struct {
	Title  string  // what the files are made of, for their first line
	Prefix string  // of the custom properties; may be empty
	Tokens []Token // in document order
	CSS    []byte  // tokens.css
	Left   int     // tokens that tokens.css leaves out
}

// Read reads a Theme's document with a Variant's overrides, a flat map that may be nil, as it is served under a prefix
// of its custom properties, which may be empty.
func Read(title string, theme, overrides *jsontree.Node, prefix string) *Sheet {
	document := dtcg.Read(theme)
	if overrides != nil {
		document = dtcg.Overlay(document, dtcg.Overrides(overrides))
	}
	s := &Sheet{Title: escape.Line(title), Prefix: prefix}
	s.CSS = renderer.LoadDocument(document, prefix).Append(nil, renderer.TokensCSS)
	declared := Declarations(string(s.CSS))
	for i := range document.Tokens {
		t := &document.Tokens[i]
		token := read(document, t, prefix, declared)
		if len(token.Properties) == 0 || !document.Names(t) {
			s.Left++
			continue
		}
		s.Tokens = append(s.Tokens, token)
	}
	return s
}

// Declarations returns what a tokens.css, in whose text each declaration has a line, declares: custom property -> value.
func Declarations(text string) map[string]string {
	found := map[string]string{}
	for line := range strings.SplitSeq(text, "\n") {
		if p, ok := declaration(line); ok {
			found[p.Name] = p.Text
		}
	}
	return found
}

func declaration(line string) (Property, bool) {
	name, text, ok := strings.Cut(strings.TrimSpace(line), ": ")
	return Property{name, strings.TrimSuffix(text, ";")}, ok && strings.HasPrefix(name, "--")
}

func read(d *dtcg.Document, t *dtcg.Token, prefix string, declared map[string]string) Token {
	kind, _ := dtcg.KindOf(t.Resolved)
	token := Token{Path: t.Path, Segments: t.Segments(), Type: t.Resolved, Kind: kind}
	name := string(css.AppendName(nil, prefix, token.Segments))
	lines, _ := css.AppendDeclarations(nil, name, kind, t.Served)
	for line := range strings.SplitSeq(string(lines), "\n") {
		if p, ok := declaration(line); ok && declared[p.Name] == p.Text { // a later token may have taken the name
			token.Properties = append(token.Properties, p)
		}
	}
	if text, misfit := css.AppendPrimitive(nil, kind, t.Served); misfit == nil {
		token.Primitive = string(text)
	}
	token.Description = text(t.Node, "$description")
	token.Deprecated = deprecated(d.Root, token.Segments)
	return token
}

// text returns a member that is a string, on one line and with nothing in it that is not shown.
func text(n *jsontree.Node, member string) string {
	if v := n.Find(member); v != nil && v.IsString() {
		return escape.Line(v.Text)
	}
	return ""
}

// deprecated returns what the nearest $deprecated says, of the token or of a group that holds it.
func deprecated(n *jsontree.Node, segments []string) (why string) {
	for i := 0; n != nil; i++ {
		switch v := n.Find("$deprecated"); {
		case v == nil:
		case v.Kind == jsontree.Bool && !v.True:
			why = ""
		default:
			why = cmp.Or(text(n, "$deprecated"), "deprecated")
		}
		if i == len(segments) {
			return why
		}
		n = n.Find(segments[i])
	}
	return why
}
