package source

import (
	"slices"
	"strconv"
	"strings"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/renderer/dtcg"
)

// Merge says which token sets of Tokens Studio become one document, in their order.
type Merge struct {
	File string       `json:"file"` // or folder
	Sets []*mergedSet `json:"sets"`
	bare bool         // no metadata names the sets: the shape of the file does
}

// Overridden counts the tokens to which several of the sets give different values.
func (m *Merge) Overridden() (count int) {
	for _, set := range m.Sets {
		count += set.Overridden
	}
	return count
}

// mergedSet is one of the token sets that are merged.
type mergedSet struct {
	Name       string `json:"name"`
	Tokens     int    `json:"tokens"`
	Overridden int    `json:"overrides"` // tokens to which sets before it give other values
}

// overrides counts a token to which a set before this one gives another value. It does nothing on nil.
func (m *mergedSet) overrides() {
	if m != nil {
		m.Overridden++
	}
}

// mergeSet notes that a part of a file is merged, and returns nil if it is not a token set.
func (s *Sources) mergeSet(file *tokenFile, part tokenfile.Part) *mergedSet {
	if part.Name == "" {
		return nil
	}
	if n := len(s.merged); n == 0 || s.merged[n-1].File != file.family {
		s.merged = append(s.merged, &Merge{File: file.family, bare: file.kind == tokenfile.BareStudio})
	}
	last := s.merged[len(s.merged)-1]
	last.Sets = append(last.Sets, &mergedSet{Name: part.Name, Tokens: len(dtcg.Read(part.Tree).Tokens)})
	return last.Sets[len(last.Sets)-1]
}

// Notes says which modes and sets were taken, and what stands in two files, for programs.
func (s *Sources) Notes() []string { return slices.Concat(s.notes, s.clashes) }

// LeavesOut reports whether the files give a token more values than the one that counts: in several files, token sets
// or modes; or one of which the served files have a text alone.
func (s *Sources) LeavesOut() bool {
	if s == nil {
		return false
	}
	isLeft := func(c concession) bool { return slices.Contains(tokenfile.LeftOut, c.Kind) }
	hasOverridden := func(m *Merge) bool { return m.Overridden() > 0 }
	return len(s.clashes) > 0 || slices.ContainsFunc(s.merged, hasOverridden) || slices.ContainsFunc(s.read, isLeft)
}

// SeveralSets lists the files of which several sets become one document.
func (s *Sources) SeveralSets() (several []*Merge) {
	for _, m := range s.merged {
		if len(m.Sets) > 1 {
			several = append(several, m)
		}
	}
	return several
}

// Print tells on the standard error which sets and modes were taken of the files, what stands in two files, and what is
// read otherwise than it is written, in modes of the files too; all of it if verbose.
func Print(a *term.App, verbose bool, s *Sources, modes ...*Sources) {
	for _, m := range s.merged {
		others := m.others(modes)
		if m.bare {
			a.Warn("Note: %s has no $metadata; by its shape it is an export of Tokens Studio, of %s.", escape.Line(m.File), term.Plural(len(m.Sets)+len(others), "token set"))
		}
		printMerge(a, m)
		if len(others) > 0 && (len(m.Sets) > 1 || m.bare) {
			a.Warn("Note: the Variants are made with %s of %s: %s.", term.Plural(len(others), "more token set"), escape.Line(m.File), escape.Line(term.ShortList(others)))
		}
	}
	clashes := s.clashes
	if !verbose {
		clashes = term.FirstFaults(clashes)
	}
	for _, line := range slices.Concat(s.notes, clashes) {
		a.Warn("Note: %s.", escape.Line(line))
	}
	var list []Concession
	isKnown := map[Concession]bool{} // a brand and the brand in a mode are read of the same files
	for _, one := range append([]*Sources{s}, modes...) {
		for _, c := range one.Concessions() {
			if !isKnown[c] {
				list, isKnown[c] = append(list, c), true
			}
		}
	}
	printConcessions(a, list, verbose)
}

// others lists the token sets of the same file that are taken in modes alone.
func (m *Merge) others(modes []*Sources) (names []string) {
	for _, mode := range modes {
		for _, other := range mode.merged {
			for _, set := range other.Sets {
				isIt := func(own *mergedSet) bool { return own.Name == set.Name }
				if other.File == m.File && !slices.ContainsFunc(m.Sets, isIt) {
					names = tokenfile.AppendNew(names, set.Name)
				}
			}
		}
	}
	return names
}

// printMerge names the sets in their order; if later ones override tokens of earlier ones, as a table with the numbers.
func printMerge(a *term.App, m *Merge) {
	if len(m.Sets) == 1 && !m.bare {
		return
	}
	var names []string
	t := term.Table{Head: []string{"TOKENS", "OVERRIDES", "SET"}}
	for _, set := range m.Sets {
		names = append(names, escape.Line(set.Name))
		t.Add(strconv.Itoa(set.Tokens), strconv.Itoa(set.Overridden), escape.Line(set.Name))
	}
	what := term.Plural(len(m.Sets), "token set") + " of Tokens Studio in " + escape.Line(m.File) // a line begins with no text of a file
	overridden := m.Overridden()
	if overridden == 0 {
		a.Warn("%s, as one document: %s.", what, strings.Join(names, ", "))
		return
	}
	are := "tokens have"
	if overridden == 1 {
		are = "token has"
	}
	a.Warn("%s, as one document. In it %d %s the value of a later set:", what, overridden, are)
	for _, line := range t.Lines() {
		a.Warn("  %s", line)
	}
}

// modeNotes say which modes of Figma are taken, if there was a choice.
func modeNotes(files []*tokenFile, mode string) (notes []string) {
	for _, f := range files {
		if f.mode != "" && f.mode == mode {
			notes = append(notes, f.name+" is taken for the mode "+mode)
		}
		for _, part := range f.parts {
			var list []string
			for _, m := range part.Modes {
				text := m.Name + " of " + m.Collection
				if m.Default {
					text += " (its default)"
				}
				list = append(list, text)
			}
			if len(list) > 0 {
				notes = append(notes, f.name+" gives the modes "+strings.Join(list, ", "))
			}
		}
	}
	return notes
}
