package source

import (
	"maps"
	"slices"

	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokenfile/compute"
	"example.com/livery/cli/tokenfile/repair"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// compute gives the tokens the values that the expressions of Tokens Studio say, but for those that are as Livery itself
// wrote them: they have their values. Of the forms that it writes, one alone has expressions.
func (s *Sources) compute(files []*tokenFile) {
	var asWritten map[string]bool
	for _, f := range files {
		for _, p := range f.parts {
			if p.Restored != nil && asWritten == nil {
				asWritten = map[string]bool{}
			}
			maps.Copy(asWritten, p.Restored)
		}
	}
	if asWritten != nil && !hasSets(files) {
		return
	}
	rules := compute.Modifiers
	switch {
	case hasSets(files):
		rules = compute.Studio
		done := repair.WithoutSets(s.Tree, setsOfFiles(files))
		s.Tree = done.Tree
		s.concedeInTree(done.Concessions)
	case slices.ContainsFunc(files, func(f *tokenFile) bool {
		return f.kind == tokenfile.StyleDictionary && tokenfile.HasStudioTypes(f.parsed.Root)
	}):
		rules = compute.Expressions
	}
	done := compute.Document(s.Tree, rules, asWritten)
	s.Tree, s.needs = done.Tree, done.Needs
	s.concedeInTree(done.Concessions)
}

// setsOfFiles lists the token sets that files hold.
func setsOfFiles(files []*tokenFile) (names []string) {
	for _, f := range files {
		for _, part := range f.parts {
			if f.kind.HasSets() && part.Name != "" {
				names = append(names, part.Name)
			}
		}
	}
	return names
}

func hasSets(files []*tokenFile) bool {
	return slices.ContainsFunc(files, func(f *tokenFile) bool { return f.kind.HasSets() })
}

// computeOverrides gives overrides the values that their expressions have among all sets of the files, and adds the
// tokens of other sets whose values were computed from what is overridden.
func (s *Sources) computeOverrides(a opener, names []string, o tokenfile.Options) error {
	o.Overrides = false
	files, err := readSources(a, names, o)
	if err != nil {
		return err
	}
	full, err := themeSources(files, o)
	if err != nil {
		return err
	}
	overridden := func(path string) bool { return s.Tree.Find(path) != nil }
	own := map[string]bool{}
	for _, m := range s.Tree.Members {
		own[m.Name] = true
	}
	var added []jsontree.Member
	d := dtcg.Read(full.Tree)
	for i := range d.Tokens {
		t := &d.Tokens[i]
		needs, computed := full.needs[t.Path]
		switch {
		case !computed:
		case overridden(t.Path):
			s.Tree.Members[s.Tree.IndexOf(t.Path)].Value = t.Value
		case slices.ContainsFunc(s.Tree.Members, func(m jsontree.Member) bool { return needs[m.Name] }):
			added = append(added, jsontree.Member{Name: t.Path, Value: t.Value})
			s.at[t.Path] = full.at[t.Pointer().String()]
		}
	}
	s.Tree = jsontree.NewObject(append(slices.Clone(s.Tree.Members), added...)...)
	s.Tree.Index()
	for _, c := range full.read {
		if own[c.Path] {
			s.read = append(s.read, c)
		}
	}
	return nil
}
