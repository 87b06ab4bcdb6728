package source

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
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

// chooseMode says how a mode of each group can be chosen: by its name if one name chooses in all, else by files.
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
		example = append(example, quoted(g.files[i].name))
	}
	return "One --token-mode does not choose from all of them; name one file of each collection: " + strings.Join(example, " ") + "."
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

// gridFiles finds files of which each holds a mode of two dimensions: its folder and its name say which, as
// acme/light.json or light/acme.json.
func gridFiles(files []*tokenFile) (groups []*modeFiles) {
	in := map[string][]*tokenFile{} // by the folder around their folders
	for _, f := range files {
		if f.mayBeNamed() {
			parent := filepath.Dir(filepath.Dir(f.name))
			in[parent] = append(in[parent], f)
		}
	}
	for _, parent := range slices.Sorted(maps.Keys(in)) {
		groups = append(groups, gridIn(parent, in[parent])...)
	}
	return groups
}

// gridIn returns the two dimensions of the files in the folders of one folder; none if they are not such a grid.
func gridIn(parent string, files []*tokenFile) []*modeFiles {
	folders, names := &modeFiles{}, &modeFiles{}
	areModes := !slices.ContainsFunc(files, func(f *tokenFile) bool { return !tokenfile.IsModeName(f.folderName()) })
	for _, f := range files {
		_, mode := cutMode(f.stem())
		if areModes {
			mode = f.stem()
		}
		if mode != "" {
			names.add(f, mode)
		}
	}
	if !areModes {
		names.addAlike(files)
	}
	names.onlyShared()
	for _, f := range files {
		if slices.ContainsFunc(names.files, func(other *tokenFile) bool { return other.folderName() == f.folderName() }) {
			folders.add(f, f.folderName())
		}
	}
	modes, brands := names, folders
	if areModes {
		modes, brands = folders, names
		names.onlyUsual(folders)
	}
	brands.name, modes.across = "brand", brands
	base := filepath.Base(parent)
	switch {
	case tokenfile.IsModeFolder(base):
		brands.name = base
	case areModes && slices.ContainsFunc(names.modes, tokenfile.IsModeName): // of both, as light/compact
		brands.name = "mode"
	}
	if !names.isGrid(tokenfile.IsModeFolder(base)) {
		return nil
	}
	return []*modeFiles{brands, modes}
}

func (f *tokenFile) folderName() string { return filepath.Base(filepath.Dir(f.name)) }

// addAlike adds files whose names tell no mode and that hold most of their tokens in one beside them: they are modes of
// names of their own.
func (g *modeFiles) addAlike(files []*tokenFile) {
	beside := map[string]paths{} // in each folder
	for _, f := range g.files {
		if beside[f.folderName()] == nil {
			beside[f.folderName()] = paths{}
		}
		beside[f.folderName()].add(f)
	}
	for _, f := range files {
		if p := beside[f.folderName()]; !slices.Contains(g.files, f) && p.shared(f, 1) && p.haveMost(f) {
			g.add(f, f.stem())
		}
	}
}

// onlyShared leaves out of a group the modes that have no token in common with another one.
func (g *modeFiles) onlyShared() {
	inside, shared, modes := map[string]paths{}, map[string]bool{}, map[*tokenFile]string{}
	for i, f := range g.files {
		if modes[f] = g.modes[i]; inside[modes[f]] == nil {
			inside[modes[f]] = paths{}
		}
		inside[modes[f]].add(f)
	}
	for f, own := range modes {
		for mode, p := range inside {
			shared[own] = shared[own] || mode != own && p.shared(f, 1)
		}
	}
	g.keep(func(f *tokenFile) bool { return shared[modes[f]] })
}

// onlyUsual leaves out of a group of brands those that have no file in the folder of the usual mode.
func (g *modeFiles) onlyUsual(folders *modeFiles) {
	if len(folders.files) == 0 {
		return
	}
	usual, usualFolder := map[string]bool{}, folders.dimension().Modes[0]
	for _, f := range g.files {
		usual[f.stem()] = usual[f.stem()] || f.folderName() == usualFolder
	}
	g.keep(func(f *tokenFile) bool { return usual[f.stem()] })
}

// isGrid reports whether every folder of the files has the default, with tokens in common with those of others: with
// one if the folder around them says that they are modes, else with half of all, of its own or of another.
func (g *modeFiles) isGrid(isSaid bool) bool {
	has, folders := map[[2]string]bool{}, map[string]bool{}
	for i, f := range g.files {
		has[[2]string{f.folderName(), g.modes[i]}], folders[f.folderName()] = true, true
	}
	if len(folders) < 2 || len(g.names()) < 2 {
		return false
	}
	modes := g.dimension().Modes
	var usual []*tokenFile
	for i, f := range g.files {
		if !has[[2]string{f.folderName(), modes[0]}] {
			return false
		}
		if g.modes[i] == modes[0] {
			usual = append(usual, f)
		}
	}
	isAlone := func(f *tokenFile) bool {
		others := slices.DeleteFunc(slices.Clone(usual), func(other *tokenFile) bool { return other.folderName() == f.folderName() })
		if isSaid {
			return !newPaths(others).shared(f, 1)
		}
		return !newPaths(others).haveMost(f) && !slices.ContainsFunc(others, newPaths([]*tokenFile{f}).haveMost)
	}
	return !slices.ContainsFunc(usual, isAlone)
}
