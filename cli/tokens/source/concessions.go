package source

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokenfile/repair"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// concession is one of a file with its place.
type concession struct {
	tokenfile.Concession
	at spot
}

// Concession is something that is read otherwise than it is written, for programs.
type Concession struct {
	Kind     string `json:"kind"`
	Path     string `json:"path"` // dotted, or the name of a file
	Message  string `json:"message"`
	Location string `json:"where,omitempty"` // file and line
}

// Concessions lists what the files say and is read otherwise, in their order.
func (s *Sources) Concessions() []Concession {
	var list []Concession
	for _, c := range s.read {
		list = append(list, c.said())
	}
	return list
}

func (c concession) said() Concession {
	said := Concession{Kind: c.Kind, Path: c.Path, Message: c.Message}
	if c.at.file != nil {
		said.Location = c.at.String()
	}
	return said
}

// concede takes the concessions of a part of a file.
func (s *Sources) concede(file *tokenFile, part tokenfile.Part) {
	for _, c := range part.Concessions {
		s.read = append(s.read, concession{c, spot{file: file, pointer: c.Pointer}})
	}
}

// repair makes the document of all files one that the origin takes.
func (s *Sources) repair() {
	done := repair.Document(s.Tree)
	s.forgetQuotes(done.Tree)
	at := make(map[string]spot, len(s.at))
	for pointer, spot := range s.at {
		at[pointer] = spot
		if fixed := tokenfile.FixedName(pointer); s.at[fixed].file == nil {
			at[fixed] = spot
		}
	}
	for now, before := range done.Places {
		at[now] = s.at[before]
	}
	s.Tree, s.at = done.Tree, at
	s.concedeInTree(append(done.Concessions, done.Live...))
}

// forgetQuotes takes back that a value is a text in quotes if it is an alias after the repair of names with braces.
func (s *Sources) forgetQuotes(repaired *jsontree.Node) {
	s.read = slices.DeleteFunc(s.read, func(c concession) bool {
		at := jsontree.Pointer(strings.Split(c.Path, "."))
		return slices.Contains(tokenfile.Quoted, c.Kind) && strings.Contains(c.Message, "{") && !jsontree.Equal(s.Tree.Lookup(at), repaired.Lookup(at))
	})
}

// concedeInTree takes concessions whose pointers lead into the tree.
func (s *Sources) concedeInTree(list []tokenfile.Concession) {
	for _, c := range list {
		s.read = append(s.read, concession{c, s.at[c.Pointer]})
	}
}

// concedeMetadata names what a mode says of tokens and groups beside their values, and otherwise than the Theme: each
// type, and the first of each other member in a file.
func (s *Sources) concedeMetadata(theme *jsontree.Node) {
	var all []metadata
	compareMetadata(&all, theme, s.Tree, nil, [2]string{})
	type key struct {
		file   *tokenFile
		member string
	}
	for _, g := range term.Grouped(all, func(m metadata) key {
		if m.member == "$type" {
			return key{member: m.pointer()}
		}
		return key{s.spotOf(m.pointer()).file, m.member}
	}) {
		first, place := g[0], s.spotOf(g[0].pointer())
		if place.file == nil {
			continue
		}
		message := "its " + first.member + " " + tokenfile.Clip(first.text) + " is left out: a Variant has values alone"
		if more := len(g) - 1; more == 1 {
			message += "; 1 more of the file is too"
		} else if more > 1 {
			message += "; " + strconv.Itoa(more) + " more of the file are too"
		}
		if first.member == "$type" {
			message += ", and the Theme has another $type; give both one"
		}
		if first.member == "$type" && first.text == "gradient" {
			message += ", as linear-gradient(#fff, #fff) for the colour #fff"
		}
		c := tokenfile.Concession{Kind: "what modes say beside values", Pointer: first.pointer(), Path: cmp.Or(strings.Join(first.at, "."), "whole file"), Message: message}
		s.read = append(s.read, concession{c, place})
	}
}

// NameElements names the values of elements of a page, which a selector says, that the Theme has otherwise.
func (s *Sources) NameElements(elements *Sources, selector string, theme *jsontree.Node) {
	document, all := dtcg.Read(elements.Tree), dtcg.Read(theme)
	for i := range document.Tokens {
		t := &document.Tokens[i]
		other, place := all.Token(t.Path), elements.spotOf(t.Pointer().String())
		if other == nil || place.file == nil || jsontree.Equal(other.Value, t.Value) {
			continue
		}
		c := tokenfile.Concession{Kind: "values of elements of a page", Pointer: place.pointer, Path: t.Path, Message: tokenfile.Spelled(t.Value) + " of " + selector + " is left out, and the Theme has " + tokenfile.Spelled(other.Value)}
		s.read = append(s.read, concession{c, place})
	}
}

// metadata is a member of a token or group beside its value.
type metadata struct {
	at           jsontree.Pointer // of the token or group
	member, text string
}

func (m metadata) pointer() string { return append(m.at[:len(m.at):len(m.at)], m.member).String() }

// compareMetadata lists the metadata of a mode that the Theme has otherwise. types are those of the groups above.
func compareMetadata(list *[]metadata, theme, mode *jsontree.Node, at jsontree.Pointer, types [2]string) {
	for i, n := range []*jsontree.Node{theme, mode} {
		if typ := n.Find("$type"); typ.IsString() {
			types[i] = typ.Text
		}
	}
	if !tokentree.IsGroup(mode) && types[0] != "" && types[1] != "" && types[0] != types[1] {
		*list = append(*list, metadata{at, "$type", types[1]})
	}
	for _, m := range mode.Members {
		own := theme.Find(m.Name)
		switch {
		case m.Name == "$description" || m.Name == "$deprecated" || m.Name == "$extensions" && !isOfTool(m.Value):
			if !jsontree.Equal(own, m.Value) {
				*list = append(*list, metadata{at, m.Name, string(jsontree.Append(nil, m.Value))})
			}
		case own.IsObject() && !tokentree.IsMeta(m.Name) && tokentree.IsGroup(own) == tokentree.IsGroup(m.Value):
			compareMetadata(list, own, m.Value, append(at[:len(at):len(at)], m.Name), types)
		}
	}
}

// isOfTool reports whether extensions say only what the reader has used: the name of a mode, or modifiers of values.
func isOfTool(extensions *jsontree.Node) bool {
	return !slices.ContainsFunc(extensions.Members, func(m jsontree.Member) bool {
		return m.Name != "com.figma.modeName" && m.Name != "studio.tokens"
	})
}

// PrintForms tells on the standard error what each file was recognised as, and why. Files of one form are one line.
func PrintForms(a *term.App, all ...*Sources) {
	var files []*tokenFile
	for _, s := range all {
		for _, f := range s.forms {
			if !slices.ContainsFunc(files, func(known *tokenFile) bool { return known.name == f.name }) {
				files = append(files, f)
			}
		}
	}
	for _, g := range term.Grouped(files, func(f *tokenFile) tokenfile.Kind { return f.kind }) {
		first := g[0]
		what := escape.Line(first.name) + " is "
		if len(g) > 1 {
			what = escape.Line(first.name) + " and " + term.Plural(len(g)-1, "more file") + ": "
		}
		a.Warn("%s%s, for %s.", what, first.kind.String(), escape.Line(first.why))
	}
}

// shownConcessions is how many lines of concessions a person reads at once.
const shownConcessions = 10

// printConcessions lists on the standard error what is read otherwise than it is written: grouped by kind in ten lines,
// or each if verbose.
func printConcessions(a *term.App, list []Concession, verbose bool) {
	if len(list) == 0 {
		return
	}
	groups := term.Grouped(list, func(c Concession) string { return c.Kind })
	a.Warn("%s read otherwise than written:", term.Plural(len(list), "place"))
	room := shownConcessions
	if verbose {
		room = len(list)
	}
	shown := 0
	for i, g := range groups[:min(len(groups), room)] {
		most := len(g)
		if !verbose {
			most = min(most, max(1, (room-shown)/(len(groups)-i)))
		}
		shown += most
		a.Warn("  %s, %d: %s", g[0].Kind, len(g), g[0].line())
		for _, c := range g[1:most] {
			a.Warn("    %s", c.line())
		}
	}
	if shown < len(list) {
		a.Warn("  and %d more; --verbose lists them all", len(list)-shown)
	}
}

// line is a concession for a person: its place, its path and what became of it.
func (c Concession) line() string {
	line := escape.Line(c.Path) + ": " + escape.Line(c.Message)
	if c.Location != "" {
		line = escape.Line(c.Location) + ": " + line
	}
	return line
}
