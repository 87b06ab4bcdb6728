package source

import (
	"slices"
	"strconv"
	"strings"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokenfile/resolver"
	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/cli/tokens/validate"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// nameDuplicates names the members of a file that stand twice in one object, and as left out the tokens that only the
// first of the two has.
func (s *Sources) nameDuplicates(f *tokenFile) {
	for _, d := range f.parsed.Duplicates {
		at, _ := jsontree.ParsePointer(d.Pointer)
		first, path := f.name+":"+strconv.Itoa(d.Line), strings.Join(at, ".")
		kind, message := "members that stand twice", "it stands in "+first+" too; this one counts, as the last does in JSON"
		if f.parsed.Syntax == syntax.CSS {
			path = strings.TrimPrefix(at[len(at)-1], "--")
			kind, message = "values that another declaration replaces", tokenfile.Clip(d.Value.Text)+" in "+first+" is left out: this one counts"
		}
		if !d.Inside {
			s.read = append(s.read, concession{tokenfile.Concession{Kind: kind, Pointer: d.Pointer, Path: path, Message: message}, spot{file: f, pointer: d.Pointer}})
		}
		if slices.ContainsFunc(at, tokentree.IsMeta) {
			continue // no tokens stand there
		}
		lost, sources := onlyIn(d.Value, f.parsed.Root.Lookup(at), path), sourcesIn(d.Value, path)
		if len(sources) > 0 && resolver.Why(f.parsed.Root) != "" {
			lost = without(sources, sourcesIn(f.parsed.Root.Lookup(at), path))
		}
		for _, lost := range lost {
			s.Faults = append(s.Faults, validate.Dropped{Path: lost, Tokens: 1, Reason: term.Sentence(first + ": the " + path + " in which it stands is not the last of this name in the file; move it there")})
		}
	}
}

// onlyIn lists the tokens of a value that does not count which the one that counts does not have.
func onlyIn(n, counts *jsontree.Node, path string) (lost []string) {
	switch {
	case n.IsObject() && isGroup(counts) && (n.Find("$value") != nil || n.Find("value") != nil):
		return []string{path} // a token, and a group of its name
	case !isGroup(n):
		return nil
	}
	for _, m := range n.Members {
		below := path + "." + m.Name
		other := counts.Find(m.Name)
		switch {
		case tokentree.IsMeta(m.Name):
		case isGroup(m.Value):
			lost = append(lost, onlyIn(m.Value, other, below)...)
		case other == nil:
			lost = append(lost, below)
		}
	}
	return lost
}

// sourcesIn lists the tokens, and the references, of the sources in a part of a resolver document.
func sourcesIn(n *jsontree.Node, path string) (list []string) {
	for _, m := range n.Members {
		if !tokentree.IsMeta(m.Name) {
			list = append(list, sourcesIn(m.Value, path+"."+m.Name)...)
		}
	}
	for _, item := range n.Items() {
		if ref := item.Find("$ref"); ref.IsString() {
			list = append(list, path+"."+ref.Text)
		}
		document := dtcg.Read(item)
		for i := range document.Tokens {
			list = append(list, path+"."+document.Tokens[i].Path)
		}
	}
	return list
}

// isGroup reports whether a value of a file of any form holds tokens and is none.
func isGroup(n *jsontree.Node) bool {
	return n.IsObject() && n.Find("$value") == nil && n.Find("value") == nil && n.Find("sets") == nil && n.Find("colorSpace") == nil
}
