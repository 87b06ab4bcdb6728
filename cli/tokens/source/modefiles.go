package source

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/renderer/dtcg"
)

// chooseModeFiles returns the files without those of Figma's own export that hold another mode of a collection than the
// one wanted. A collection whose other modes the files hold is refused: one mode must be chosen.
func chooseModeFiles(files []*tokenFile, o tokenfile.Options) ([]*tokenFile, error) {
	mode := o.Mode
	var undecided []*modeFiles
	left := map[*tokenFile]bool{}
	groups := modeGroups(files)
	for _, g := range groups {
		modes := g.names()
		switch {
		case len(modes) < 2:
			continue
		case !slices.Contains(modes, mode):
			undecided = append(undecided, g)
		}
		for _, file := range g.files {
			left[file] = file.mode != mode
		}
	}
	if len(undecided) > 0 {
		return nil, undecidedModes(undecided, groups, mode)
	}
	chosen := withNotes(files, slices.DeleteFunc(slices.Clone(files), func(f *tokenFile) bool { return left[f] }))
	for _, f := range files {
		if left[f] && !o.Overrides {
			chosen[0].notes = append(chosen[0].notes, f.location("/$extensions")+": the mode "+f.mode+" is left out; push it to a Variant with --token-mode "+quoted(f.mode))
		}
	}
	return chosen, nil
}

// modeGroups puts files of Figma's own export, which name their mode, together if they hold a token of the same path:
// the modes of one collection.
func modeGroups(files []*tokenFile) (groups []*modeFiles) {
	var inside []paths // of each group
	for _, file := range files {
		if file.mode == "" || len(file.parts) == 0 {
			continue
		}
		i := slices.IndexFunc(inside, func(p paths) bool { return p.shared(file, 1) })
		if i < 0 {
			i, inside, groups = len(groups), append(inside, paths{}), append(groups, &modeFiles{})
		}
		groups[i].add(file, file.mode)
		inside[i].add(file)
	}
	return groups
}

// undecidedModes is the failure that groups hold several modes and none of them is wanted.
func undecidedModes(undecided, all []*modeFiles, wanted string) error {
	var lines []string
	for _, g := range undecided {
		var files []string
		for _, f := range g.files {
			files = append(files, f.mode+" ("+f.name+")")
		}
		lines = append(lines, strings.Join(files, ", "))
	}
	sentence := "the files hold several modes of Figma, and one document takes one of:"
	if wanted != "" {
		sentence = "none of these modes of Figma is " + wanted + ", and one document takes one of:"
	}
	f := term.Fail(chooseMode(undecided, all, wanted), "%s", sentence)
	f.Faults = lines
	return f
}

// chooseMode says how a mode of each group can be chosen: by its name if one name chooses in all, else by one of each.
func chooseMode(undecided, all []*modeFiles, wanted string) string {
	isChosen := slices.ContainsFunc(all, func(g *modeFiles) bool { return slices.Contains(g.names(), wanted) })
	for _, mode := range undecided[0].names() {
		inEach := !slices.ContainsFunc(undecided, func(g *modeFiles) bool { return !slices.Contains(g.names(), mode) })
		if inEach && !isChosen {
			return "Choose one, for example --token-mode " + quoted(mode) + ", and push each other mode to a Variant of its own."
		}
	}
	var example []string
	for _, g := range all {
		i := max(0, slices.IndexFunc(g.files, func(f *tokenFile) bool { return f.mode == wanted }))
		example = append(example, g.files[i].mode)
	}
	return "Choose one of each collection, with commas between, for example --token-mode " + quoted(strings.Join(example, ",")) + "."
}

// quoted puts a word that a shell would cut between quotes.
func quoted(word string) string {
	if strings.ContainsAny(word, " \t'\"$&|;()<>*?\\`") {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

// refuseUnused refuses --sets and --token-mode if none of the files holds sets or modes.
func refuseUnused(files []*tokenFile, o tokenfile.Options) error {
	hasSets := func(f *tokenFile) bool { return f.kind.HasSets() }
	hasModes := func(f *tokenFile) bool { return f.kind.HasModes() || len(f.modeNames()) > 0 }
	if len(o.Sets) > 0 && !slices.ContainsFunc(files, hasSets) {
		return term.Fail("Leave --sets out; or list the sets in the file: \"$metadata\": {\"tokenSetOrder\": [\""+strings.Join(o.Sets, `", "`)+"\"]}.",
			"--sets chooses token sets of Tokens Studio, and no sets are recognised: %s", formsOf(files))
	}
	if len(o.Inputs) > 0 && !slices.ContainsFunc(files, isResolver) {
		return term.Fail("Leave --input out, or name a resolver document.", "--input chooses a context of a resolver document, and none is read: %s", formsOf(files))
	}
	if o.Mode == "" || slices.ContainsFunc(files, func(f *tokenFile) bool {
		return f.kind.HasModes() || slices.Contains(f.modeNames(), o.Mode)
	}) {
		return nil
	}
	var modes []string
	for _, f := range files {
		modes = append(modes, f.modeNames()...)
	}
	if slices.ContainsFunc(files, hasModes) {
		return term.Fail("Valid values: "+strings.Join(modes, ", ")+".", "the files have no mode %s", o.Mode)
	}
	for _, g := range groupModeFiles(files) {
		if i := slices.Index(g.modes, o.Mode); i >= 0 {
			return term.Fail("Name the files of that mode alone, as "+quoted(g.files[i].name)+", or push all modes with --variants auto.",
				"--token-mode chooses files only if they name their mode inside, as Figma's export does, and %s is called so", g.files[i].name)
		}
	}
	return term.Fail("Leave --token-mode out, or name the file of that mode.", "--token-mode %s has nothing to choose from: %s", o.Mode, formsOf(files))
}

func isResolver(f *tokenFile) bool { return f.kind == tokenfile.Resolver }

// modeNames lists the modes that a file names itself: its own, or those of its values.
func (f *tokenFile) modeNames() (names []string) {
	if f.mode != "" {
		names = append(names, f.mode)
	}
	for _, part := range f.parts {
		names = append(names, part.ModeNames...)
	}
	return names
}

// OnlyForFiles refuses the flags that choose from files on a command line that names no file. An environment or a
// --config file may give them, for it serves other commands too.
func OnlyForFiles(cmd *cobra.Command) error {
	for _, name := range chosenFromFiles {
		if f := cmd.Flags().Lookup(name); f.Changed && len(f.Annotations[cmdline.SourceMark]) == 0 {
			return term.UsageError("Name the files that it chooses from, or leave it out.", "--%s chooses from files, and none is named", name)
		}
	}
	return nil
}

// formsOf says what each file is.
func formsOf(files []*tokenFile) string {
	var list []string
	for _, f := range files {
		list = append(list, f.name+" is "+f.kind.String())
	}
	return term.ShortList(list)
}

// modesLast returns files with the stylesheets last that say something of a mode: its selectors win over the usual
// ones, wherever they stand.
func modesLast(files []*tokenFile, mode string) []*tokenFile {
	var rest, last []*tokenFile
	for _, f := range files {
		if f.kind == tokenfile.Stylesheet && mode != "" && slices.Contains(f.modeNames(), mode) {
			last = append(last, f)
		} else {
			rest = append(rest, f)
		}
	}
	return append(rest, last...)
}

// gridFiles finds files of which each holds a mode of two dimensions: its folder and its name say which, as
// acme/light.json or light/acme.json, also deeper, as setPlaces says, or its name alone, as acme-light.json.
func gridFiles(files []*tokenFile) (groups []*modeFiles) {
	setPlaces(files)
	below, in := map[string][]*tokenFile{}, map[string][]*tokenFile{} // by the folder around their folders, and by their own
	for _, f := range files {
		if f.mayBeNamed() {
			below[f.above()], in[filepath.Dir(f.name)] = append(below[f.above()], f), append(in[filepath.Dir(f.name)], f)
		}
	}
	for _, parent := range slices.Sorted(maps.Keys(below)) {
		all, inModes := withoutGroups(files, groups), slices.DeleteFunc(slices.Clone(below[parent]), isInOther)
		grid := gridIn(parent, below[parent], all)
		if len(grid) == 0 && len(inModes) > 0 { // beside folders of what all modes share
			grid = gridIn(parent, inModes, all)
		}
		groups = append(groups, grid...)
	}
	for _, f := range withoutGroups(files, groups) {
		f.place = ""
	}
	for _, folder := range slices.Sorted(maps.Keys(in)) {
		groups = append(groups, gridNamed(folder, withoutGroups(in[folder], groups))...)
	}
	return groups
}

// isInOther reports whether the folder of a file is not called as a mode.
func isInOther(f *tokenFile) bool { return !tokenfile.IsModeName(f.folderName()) }

// withoutGroups returns the files that are in none of the groups.
func withoutGroups(files []*tokenFile, groups []*modeFiles) []*tokenFile {
	return slices.DeleteFunc(slices.Clone(files), func(f *tokenFile) bool {
		return slices.ContainsFunc(groups, func(g *modeFiles) bool { return slices.Contains(g.files, f) })
	})
}

// gridIn returns the two dimensions of the files in the folders of one folder; none if they are not such a grid. all are
// the files that are read with them. If each is of one mode, such as dark, and no other file has its tokens, they are of
// brands alone.
func gridIn(parent string, files, all []*tokenFile) []*modeFiles {
	folders, names, base := &modeFiles{}, &modeFiles{}, folderBase(parent)
	areModes := !slices.ContainsFunc(files, isInOther)
	for _, f := range files {
		_, mode := cutMode(f.stem())
		if areModes {
			mode = f.inFolder()
		}
		if mode != "" {
			names.add(f, mode)
		}
	}
	if !areModes {
		names.addAlike(files)
		names.shareBase()
	}
	rest := newPaths(withoutGroups(all, []*modeFiles{names}))
	isOneMode := !areModes && len(names.names()) == 1 && tokenfile.IsModeName(names.modes[0]) && !tokenfile.HasUsual(names.modes)
	if names.without = isOneMode; !isOneMode {
		names.onlyShared(newPaths(all))
	}
	folders.addFolders(parent, files, all, names, areModes)
	modes, brands := names, folders
	if areModes {
		modes, brands = folders, names
		names.onlyUsual(folders)
	}
	brands.name, modes.across = "brand", brands
	switch {
	case tokenfile.IsModeFolder(base):
		brands.name = base
	case areModes && slices.ContainsFunc(names.modes, tokenfile.IsModeName): // of both, as light/compact
		brands.name = "mode"
	}
	if !isGrid(folders, names, tokenfile.IsModeFolder(base), areModes) {
		return nil
	}
	if isOneMode && !slices.ContainsFunc(names.files, func(f *tokenFile) bool { return rest.shared(f, 1) }) {
		return []*modeFiles{brands}
	}
	return []*modeFiles{brands, modes.usualFirst()}
}

// addFolders adds files by their folders in one folder: those that hold a file with a mode in its name, or one that is
// called as another in such a folder; all of them if the folder around them says that they are modes. acme.json beside
// the folder acme is in it.
func (g *modeFiles) addFolders(parent string, files, all []*tokenFile, names *modeFiles, areModes bool) {
	wanted, base := map[string]bool{}, map[string]bool{}
	for _, f := range names.files {
		wanted[f.folderName()] = true
	}
	for _, f := range files {
		base[f.base()] = base[f.base()] || wanted[f.folderName()]
	}
	isSaid := tokenfile.IsModeFolder(folderBase(parent)) && len(wanted) > 0
	for _, f := range files {
		wanted[f.folderName()] = wanted[f.folderName()] || !areModes && (isSaid || base[f.base()])
	}
	for _, f := range all {
		_, mode := cutMode(f.stem())
		switch isDeep := slices.Contains(files, f); {
		case isDeep && wanted[f.folderName()]:
			g.add(f, f.folderName())
		case !isDeep && !areModes && f.mayBeNamed() && filepath.Dir(f.at()) == parent && (wanted[f.stem()] || isSaid && mode == ""):
			g.add(f, f.stem())
		}
	}
}

// gridNamed returns the two dimensions of files of one folder whose names say a brand and a mode, as acme-light.json, or
// a brand in the usual mode, as acme.json. Beside light.json of the same tokens such a file is a mode of its own.
func gridNamed(folder string, files []*tokenFile) []*modeFiles {
	brands, modes, base := &modeFiles{name: "brand"}, &modeFiles{}, folderBase(folder)
	isSaid, hasMode, alone := tokenfile.IsModeFolder(base), map[string]bool{}, modesAlone(files)[folder]
	if modes.across = brands; isSaid {
		brands.name = base
	}
	for _, f := range files {
		stem, _ := cutMode(f.stem())
		hasMode[stem] = true
	}
	for _, f := range files {
		stem, mode := cutMode(f.stem())
		if mode == "" {
			stem = f.stem()
		}
		if stem != "" && (isSaid || hasMode[stem]) && !alone.haveMost(f, 1) {
			brands.add(f, stem)
			modes.add(f, mode)
		}
	}
	modes.shareBase()
	if len(modes.names()) < 2 || !isGrid(brands, modes, isSaid, false) {
		return nil
	}
	return []*modeFiles{brands, modes.usualFirst()}
}

// usualFirst returns a group with the files of its default first.
func (g *modeFiles) usualFirst() *modeFiles {
	all, usual := *g, g.dimension().Modes[0]
	rest := g.keep(func(f *tokenFile) bool { return all.modes[slices.Index(all.files, f)] == usual })
	for _, f := range rest {
		g.add(f, all.modes[slices.Index(all.files, f)])
	}
	return g
}

// at is the name of a file, or the one that setPlaces gives it.
func (f *tokenFile) at() string { return cmp.Or(f.place, f.name) }

// above is the folder around that of a file.
func (f *tokenFile) above() string { return filepath.Join(filepath.Dir(f.at()), "..") }

func (f *tokenFile) folderName() string { return folderBase(filepath.Dir(f.at())) }

// folderBase is the last name of a folder, also of the working directory.
func folderBase(folder string) string {
	if whole, err := filepath.Abs(folder); err == nil {
		folder = whole
	}
	return filepath.Base(folder)
}

// addAlike adds files whose names tell no mode and that hold most of their tokens in others beside them: they are modes
// of names of their own if those are of the usual mode or such files too, else the usual mode, or of all modes if others
// are the usual one.
func (g *modeFiles) addAlike(files []*tokenFile) {
	beside, usual, alike := map[string]paths{}, map[string]paths{}, map[string]paths{} // in each folder

	others := map[string]bool{} // folders with another mode than a usual one
	for i, f := range g.files {
		addIn(beside, f.folderName(), f)
		if tokenfile.HasUsual(g.modes[i : i+1]) {
			addIn(usual, f.folderName(), f)
		} else {
			others[f.folderName()] = true
		}
	}
	hasUsual := slices.ContainsFunc(slices.Collect(maps.Keys(usual)), func(in string) bool { return others[in] })
	var found []*tokenFile
	for _, f := range files {
		if p := beside[f.folderName()]; !slices.Contains(g.files, f) && p.shared(f, 1) && p.haveMost(f, 1) {
			addIn(alike, f.folderName(), f)
			found = append(found, f)
		}
	}
	for _, f := range found {
		if in := f.folderName(); usual[in].haveMost(f, 1) || alike[in].haveMost(f, 2) {
			g.add(f, f.stem())
		} else if !hasUsual {
			g.add(f, "")
		}
	}
}

// onlyShared leaves out of a group the modes that have no token in common with another one, nor, if they have well-known
// names, with another file.
func (g *modeFiles) onlyShared(all paths) {
	inside, shared, modes := map[string]paths{}, map[string]bool{}, map[*tokenFile]string{}
	for i, f := range g.files {
		if modes[f] = g.modes[i]; inside[modes[f]] == nil {
			inside[modes[f]] = paths{}
		}
		inside[modes[f]].add(f)
	}
	for f, own := range modes {
		for mode, p := range inside {
			shared[own] = shared[own] || mode != own && p.shared(f, 1) || tokenfile.IsModeName(own) && all.shared(f, 2)
		}
	}
	g.keep(func(f *tokenFile) bool { return shared[modes[f]] })
}

// onlyUsual leaves out of a group of brands those that have no file in the folder of the usual mode.
func (g *modeFiles) onlyUsual(folders *modeFiles) {
	if len(folders.files) == 0 {
		return
	}
	usual, all, usualFolder := map[string]bool{}, *g, folders.dimension().Modes[0]
	for i, f := range g.files {
		usual[g.modes[i]] = usual[g.modes[i]] || f.folderName() == usualFolder
	}
	g.keep(func(f *tokenFile) bool { return usual[all.modes[slices.Index(all.files, f)]] })
}

// isGrid leaves in the groups of a grid only the rows with tokens in common with others: with one if the folder around
// them says that they are modes, else with half of all, of their own or of another. What counts of a row are its files of
// the default or of no mode; a brand that has none has its files in all modes. It reports whether several rows are left,
// in several modes.
func isGrid(rows, modes *modeFiles, isSaid, areModes bool) bool {
	if len(modes.files) == 0 {
		return false
	}
	usual, rowOf, files, rest := modes.dimension().Modes[0], map[*tokenFile]string{}, map[string][]*tokenFile{}, map[string][]*tokenFile{}
	for i, f := range rows.files {
		row, at := rows.modes[i], slices.Index(modes.files, f)
		if rowOf[f] = row; modes.without || at < 0 || modes.modes[at] == usual {
			files[row] = append(files[row], f)
		} else {
			rest[row] = append(rest[row], f)
		}
	}
	hasUsual := map[string]bool{}
	for _, row := range rows.names() {
		if hasUsual[row] = areModes || len(files[row]) > 0; len(files[row]) == 0 {
			files[row] = rest[row]
		}
	}
	isRow := map[string]bool{}
	for row, own := range files {
		var others []*tokenFile
		for other, list := range files {
			if other != row {
				others = append(others, list...)
			}
		}
		isRow[row] = !isAlone(own, others, isSaid)
	}
	rows.keep(func(f *tokenFile) bool { return isRow[rowOf[f]] })
	modes.keep(func(f *tokenFile) bool { return isRow[rowOf[f]] && hasUsual[rowOf[f]] })
	return len(rows.names()) > 1 && len(modes.files) > 0 && len(modes.dimension().Modes) > 1
}

// isAlone reports whether files have too few tokens in common with others.
func isAlone(files, others []*tokenFile, isSaid bool) bool {
	own, rest, shared := newPaths(files), newPaths(others), 0
	for path := range own {
		shared += min(rest[path], 1)
	}
	return shared == 0 || !isSaid && 2*shared < len(own) && !slices.ContainsFunc(others, func(f *tokenFile) bool { return own.haveMost(f, 1) })
}

// paths counts in how many files the token of each path stands.
type paths map[string]int

func newPaths(files []*tokenFile) paths {
	p := paths{}
	for _, f := range files {
		p.add(f)
	}
	return p
}

func (p paths) add(f *tokenFile) {
	for _, path := range pathsOf(f) {
		p[path]++
	}
}

// shared reports whether a token of a file stands in so many files.
func (p paths) shared(f *tokenFile, files int) bool {
	return slices.ContainsFunc(pathsOf(f), func(path string) bool { return p[path] >= files })
}

// haveMost reports whether at least half of the tokens of a file stand in so many files.
func (p paths) haveMost(f *tokenFile, files int) bool {
	shared := 0
	for _, path := range pathsOf(f) {
		shared += min(p[path]/files, 1)
	}
	return 2*shared >= len(pathsOf(f))
}

// pathsOf lists the paths of the tokens of a file.
func pathsOf(f *tokenFile) []string {
	if f.paths != nil {
		return f.paths
	}
	f.paths = []string{}
	for _, part := range f.parts {
		document := dtcg.Read(part.Tree)
		for i := range document.Tokens {
			f.paths = append(f.paths, document.Tokens[i].Path)
		}
	}
	return f.paths
}
