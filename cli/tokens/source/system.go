package source

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokens/tokentree"
	"example.com/livery/renderer/jsontree"
)

// System reads token files as a design system: one choice of modes of all that they hold.
type System struct {
	a          opener
	names      []string
	options    tokenfile.Options
	defaults   *Sources
	groups     []*modeFiles          // of the files as their defaults are: a mode may leave a file without tokens
	kept       map[string]string     // the default of each dimension that has another than its files say
	shown      map[string]bool       // keys of the values that a document has that was read
	hidden     map[string]bool       // places of the values that the defaults hide
	Dimensions []tokenfile.Dimension // in the order of the files
	Unused     []string              // token sets that no theme takes, with their places
}

// OpenSystem reads token files, and returns what they hold beside the document that the defaults of all modes give.
// decided returns for each dimension a mode that is its default in place of the one that the files say, or nothing; it
// may be nil.
func OpenSystem(a *term.App, names []string, decided func(all []tokenfile.Dimension) []string, o tokenfile.Options) (*System, *Sources, error) {
	o.Memo = tokenfile.NewMemo()
	s := &System{a: opener{a, map[string]*tokenFile{}}, names: names, options: o, kept: map[string]string{}, shown: map[string]bool{}, hidden: map[string]bool{}}
	files, err := s.read(nil)
	if err != nil {
		return nil, nil, err
	}
	s.groups = groupModeFiles(files)
	for _, f := range files {
		for _, part := range f.parts {
			for _, d := range part.Dimensions {
				s.add(d)
			}
			for _, set := range part.Unused {
				s.Unused = append(s.Unused, set+" ("+f.setLocation(set)+")")
			}
		}
	}
	for _, g := range s.groups {
		s.add(g.dimension())
	}
	if decided != nil && s.keepDefaults(decided(s.Dimensions)) || len(s.kept) > 0 {
		if files, err = s.read(nil); err != nil {
			return nil, nil, err
		}
	}
	if s.defaults, err = themeSources(s.chosenFiles(files, nil), s.options); err != nil {
		return nil, nil, err
	}
	s.show(s.defaults)
	for _, h := range s.defaults.hidden {
		s.hidden[h.place()] = true
	}
	return s, s.defaults, nil
}

// Names reports whether a file, or the folder around it, is called as a mode, though it may be one of no dimension.
func (s *System) Names(mode string) bool {
	return slices.ContainsFunc(s.defaults.forms, func(f *tokenFile) bool {
		_, cut := cutMode(f.stem())
		_, last := f.collectionMode()
		return slices.Contains([]string{f.base(), f.stem(), cut, last, f.folderName()}, mode)
	})
}

// keepDefaults puts the decided default of each dimension first, and reports whether another one was.
func (s *System) keepDefaults(decided []string) bool {
	for i := range s.Dimensions {
		d := &s.Dimensions[i]
		if at := slices.Index(d.Modes, decided[i]); at > 0 && d.Modes[at] != "" {
			s.kept[d.Name] = d.Modes[at]
			d.Modes = tokenfile.First(d.Modes, at)
		}
	}
	return len(s.kept) > 0
}

// setLocation is the place of a token set: in the file, or the file of its own beside it.
func (f *tokenFile) setLocation(set string) string {
	if f.family != f.name {
		return setFile(f.family, set) + ":1"
	}
	return f.location(jsontree.Pointer{set}.String())
}

// Read returns the document of a choice of modes, by their dimensions. Of what is not as it should be it tells only
// what the defaults do not have too.
func (s *System) Read(choice map[string]string) (*Sources, error) {
	read, err := s.whole(choice)
	if err != nil {
		return nil, err
	}
	s.show(read)
	read.Faults = without(read.Faults, s.defaults.Faults)
	read.Unread = without(read.Unread, s.defaults.Unread)
	read.Unapplied = without(read.Unapplied, s.defaults.Unapplied)
	read.concedeMetadata(s.defaults.Tree)
	known := s.defaults.Concessions()
	read.read = slices.DeleteFunc(read.read, func(c concession) bool {
		own := s.defaults.at[c.Pointer].file
		isOfTheme := c.Kind == replacedMetadata && own != nil && own.name == c.at.file.name
		return isOfTheme || slices.Contains(known, c.said())
	})
	return read, nil
}

// Told returns what s tells beside its document.
func (s *Sources) Told() *Sources {
	return &Sources{Faults: s.Faults, read: s.read, hidden: s.hidden, merged: s.merged}
}

// whole is Read with all that is not as it should be.
func (s *System) whole(choice map[string]string) (*Sources, error) {
	files, err := s.read(choice)
	if err != nil {
		return nil, err
	}
	return themeSources(s.chosenFiles(files, choice), s.options)
}

// without returns what of a list is not in another.
func without[T comparable](list, known []T) []T {
	return slices.DeleteFunc(slices.Clone(list), func(item T) bool { return slices.Contains(known, item) })
}

func (s *System) read(choice map[string]string) ([]*tokenFile, error) {
	s.options.Choice = maps.Clone(s.kept)
	maps.Copy(s.options.Choice, choice)
	return readSources(s.a, s.names, s.options)
}

// add adds the modes of a dimension, which other files may have too.
func (s *System) add(d tokenfile.Dimension) {
	i := slices.IndexFunc(s.Dimensions, func(o tokenfile.Dimension) bool { return o.Name == d.Name })
	if i < 0 {
		s.Dimensions = append(s.Dimensions, d)
		return
	}
	s.Dimensions[i].Across = cmp.Or(s.Dimensions[i].Across, d.Across)
	isSame := func(mode string) func(other string) bool {
		return func(other string) bool { return mode == other || d.Name != "" && strings.EqualFold(mode, other) }
	}
	if usual := s.Dimensions[i].Modes[0]; slices.IndexFunc(d.Modes, isSame(usual)) > 0 { // whose own default is another
		s.kept[d.Name] = usual
	}
	for _, mode := range d.Modes[1:] { // the default of one is in the default of all
		if !slices.ContainsFunc(s.Dimensions[i].Modes, isSame(mode)) {
			s.Dimensions[i].Modes = append(s.Dimensions[i].Modes, mode)
		}
	}
	if s.Dimensions[i].Hints == nil {
		s.Dimensions[i].Hints = d.Hints
		return
	}
	for mode, h := range d.Hints {
		if _, known := s.Dimensions[i].Hints[mode]; !known {
			s.Dimensions[i].Hints[mode] = h
		}
	}
}

// Of returns s for the overrides of a Variant, with the places of their values.
func (s *Sources) Of(overrides *jsontree.Node) *Sources {
	of := *s
	of.Tree, of.at, of.merged = overrides, map[string]spot{}, nil
	for _, m := range overrides.Members {
		if found, ok := s.at[tokentree.Pointer(m.Name)]; ok {
			of.at[m.Name] = found
		}
	}
	return &of
}

// With returns s with another tree, which holds the same tokens and more: those of added paths, each of the first of
// modes that has it.
func (s *Sources) With(tree *jsontree.Node, added []string, modes []*Sources) *Sources {
	with := *s
	with.Tree, with.at = tree, maps.Clone(s.at)
	for _, path := range added {
		pointer := tokentree.Pointer(path)
		for _, mode := range modes {
			if found, ok := mode.at[pointer]; ok && with.at[pointer].file == nil {
				with.at[pointer] = found
			}
		}
	}
	return &with
}

// modeFiles are files that hold values for the same tokens, each those of one mode.
type modeFiles struct {
	name    string // of the dimension
	files   []*tokenFile
	modes   []string   // of the files, in their order
	without bool       // the default is none of them, but what other files say
	across  *modeFiles // of files in a grid, the other dimension
}

func (g *modeFiles) add(f *tokenFile, mode string) {
	g.files, g.modes = append(g.files, f), append(g.modes, mode)
}

// names lists the modes, each once: several files may hold parts of one.
func (g *modeFiles) names() (names []string) {
	for _, mode := range g.modes {
		names = tokenfile.AppendNew(names, mode)
	}
	return names
}

func (g *modeFiles) dimension() tokenfile.Dimension {
	d := tokenfile.Dimension{Name: g.name, Modes: tokenfile.UsualFirst(g.names())}
	d.Modes = append(d.Modes[:1:1], tokenfile.UsualFirst(d.Modes[1:])...) // what base lacks is of light, and not of dark
	isPlain := func(name string) bool { _, mode := cutMode(name); return tokenfile.ModeKey(mode) != "dark" }
	at := slices.Index(d.Modes, "") // of acme.json beside acme-dark.json of a grid
	if at < 0 {
		at = slices.IndexFunc(d.Modes, isPlain)
	}
	if at > 0 && !tokenfile.HasUsual(d.Modes) { // tokens beside dark, acme beside acme-dark
		d.Modes = tokenfile.First(d.Modes, at)
	}
	if g.without {
		d.Modes = append([]string{""}, g.names()...)
	}
	if g.across != nil {
		d.Across = g.across.name
	}
	return d
}

// chosenFiles returns the files without those of other modes than the chosen ones; those that hold a mode come last, so
// that they are laid over the others.
func (s *System) chosenFiles(files []*tokenFile, choice map[string]string) []*tokenFile {
	var last []*tokenFile
	rest, left, asked := slices.Clone(files), map[string]bool{}, map[string]int{}
	for _, g := range s.groups {
		wanted := s.options.Choice[g.name]
		if !slices.Contains(g.modes, wanted) { // it is of other files, whose dimension has this name too
			wanted = g.dimension().Modes[0]
		}
		for i, f := range g.files {
			isIt := func(other *tokenFile) bool { return other.name == f.name }
			if at := slices.IndexFunc(files, isIt); at >= 0 {
				last = append(slices.DeleteFunc(last, isIt), files[at])
			}
			rest = slices.DeleteFunc(rest, isIt)
			isUnder := g.across != nil && g.modes[i] == g.dimension().Modes[0] // what the file of a brand in a mode leaves out
			left[f.name] = left[f.name] || g.modes[i] != wanted && !isUnder
			if g.modes[i] == choice[g.name] {
				asked[f.name]++
			}
		}
	}
	for _, f := range last {
		for i := range f.parts {
			if asked[f.name] > 0 && asked[f.name] == len(choice) {
				f.parts[i].Standing = tokenfile.Own
			}
		}
	}
	last = slices.DeleteFunc(last, func(f *tokenFile) bool { return left[f.name] })
	return withNotes(files, append(rest, last...))
}

// groupModeFiles finds the files that hold modes: those that say so, as Figma's own export does, and those that are
// called so, as themes/acme.json or dark.tokens.json.
func groupModeFiles(files []*tokenFile) []*modeFiles {
	grids := gridFiles(files)
	rest := withoutGroups(files, grids)
	groups := append(onlyModes(rest, append(modeGroups(files), namedModeFiles(rest)...)), grids...)
	for i, g := range groups {
		if g.isOneScheme(groups) {
			g.name = ""
		} else if g.name == "" && len(groups) > 1 && g.across == nil && !isOnlyScheme(groups, g) && !isSchemeOfGrid(groups, g) {
			folder := filepath.Dir(g.files[0].name)
			if name := folderBase(folder); tokenfile.IsModeName(name) || slices.Contains(g.modes, name) {
				folder = filepath.Dir(folder)
			}
			g.name = folderBase(folder)
		}
		for _, before := range groups[:i] {
			if before.name == g.name && g.name != "" { // one folder holds the modes of several collections
				g.name += " of " + firstSegment(g.files[0])
				break
			}
		}
		g.noteUnread(groups)
	}
	return groups
}

// isOneScheme reports whether the modes of a group are the colour schemes, and those of another one too, as of
// color-light, color-dark and shadow-light, shadow-dark: a page has one scheme.
func (g *modeFiles) isOneScheme(groups []*modeFiles) bool {
	isOther := func(name string) bool { return !slices.Contains([]string{"light", "dark"}, tokenfile.ModeKey(name)) }
	isSame := func(other *modeFiles) bool {
		return other != g && other.across == nil && other.without == g.without && len(other.names()) == len(g.names()) &&
			!slices.ContainsFunc(other.modes, func(name string) bool { return !slices.Contains(g.modes, name) })
	}
	return g.across == nil && !slices.ContainsFunc(g.modes, isOther) && slices.ContainsFunc(groups, isSame)
}

// noteUnread names the files of a group whose names say a mode, and that count in all modes as what the group is of.
func (g *modeFiles) noteUnread(groups []*modeFiles) {
	for i, f := range g.files {
		_, mode := cutMode(f.stem())
		of, isIn := g.modes[i], func(other *modeFiles) bool { return other != g && slices.Contains(other.files, f) }
		isMode := of == f.stem() || tokenfile.IsModeName(of) || !tokenfile.IsModeName(mode) || tokenfile.HasUsual([]string{mode})
		if !isMode && !slices.ContainsFunc(groups, isIn) {
			note := f.name + " is called as the mode " + mode + ", and its tokens are of " + of + " in all modes; " +
				"it is a mode if " + of + " has a file of the usual one too, such as light.json"
			f.notes = tokenfile.AppendNew(f.notes, note)
		}
	}
}

// isOnlyScheme reports whether the modes of a group have well-known names, and those of no other group have: then their
// names say what they are, and the folder around them does not.
func isOnlyScheme(groups []*modeFiles, g *modeFiles) bool {
	isOther := func(name string) bool { return !tokenfile.IsModeName(name) }
	return !slices.ContainsFunc(groups, func(one *modeFiles) bool {
		return (one == g) == slices.ContainsFunc(one.modes, isOther)
	})
}

// isSchemeOfGrid reports whether the modes of a group have well-known names, and files of brands hold one of them too: a
// page has both or none.
func isSchemeOfGrid(groups []*modeFiles, g *modeFiles) bool {
	isOther := func(name string) bool { return !tokenfile.IsModeName(name) }
	isShared := func(name string) bool { return slices.Contains(g.modes, name) }
	return !slices.ContainsFunc(g.modes, isOther) && slices.ContainsFunc(groups, func(one *modeFiles) bool {
		return one.across != nil && one.name == "" && slices.ContainsFunc(one.modes, isShared)
	})
}

func firstSegment(f *tokenFile) string {
	for _, part := range f.parts {
		for _, m := range part.Tree.Members {
			if !tokentree.IsMeta(m.Name) {
				return m.Name
			}
		}
	}
	return f.name
}

// mayBeNamed reports whether the name of a file may say which mode it holds.
func (f *tokenFile) mayBeNamed() bool {
	return f.mode == "" && f.resolver == nil && f.kind != tokenfile.Resolver && !f.kind.HasSets() && len(f.parts) > 0
}

// base is the name of a file without its folder and its ending.
func (f *tokenFile) base() string {
	base := filepath.Base(f.at())
	return strings.TrimSuffix(strings.TrimSuffix(base, filepath.Ext(base)), ".tokens")
}

// stem is the name of a file without its folder and its ending, with hyphens for dots and brackets.
func (f *tokenFile) stem() string { return withHyphens.Replace(f.base()) }

var withHyphens = strings.NewReplacer(".", "-", " (", "-", "(", "-", ")", "")

// collectionMode cuts the name of a file as Figma's plugins call those of a collection's modes: Brand.Acme.tokens.json.
func (f *tokenFile) collectionMode() (collection, mode string) {
	if dot := strings.LastIndexByte(f.base(), '.'); dot > 0 {
		return f.base()[:dot], f.base()[dot+1:]
	}
	return "", ""
}
