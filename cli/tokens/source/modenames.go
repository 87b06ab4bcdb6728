package source

import (
	"path/filepath"
	"slices"
	"strings"

	"example.com/livery/cli/tokenfile"
)

// modeKey is what files of one group have in common: a folder that they or their folders stand in, and their names
// without the mode.
type modeKey struct{ folder, stem string }

// fileNames counts what the names of files have in common.
type fileNames struct {
	collections map[modeKey]int  // files of one folder whose names are the same before the last dot
	folders     map[string]int   // folders with files, by the folder around them
	inside      map[string]paths // of the files of a folder
	around      map[string]paths // of the files of the folders in a folder
	modes       map[string]paths // of files that are called by a mode alone, by their folder
	twins       map[string]int   // files of one name in folders that are called as modes, as if they stood around these folders
}

// besideFolder is the name that a file would have beside its folder, without the mode in its name.
func (f *tokenFile) besideFolder() string { return filepath.Join(f.above(), f.inFolder()) }

// inFolder is the name of a file without the mode that its folder is called by too, as acme of dark/acme-dark.json.
func (f *tokenFile) inFolder() string {
	stem, mode := cutMode(f.stem())
	if stem != "" && tokenfile.ModeKey(mode) == tokenfile.ModeKey(f.folderName()) {
		return stem
	}
	return f.stem()
}

// namedModeFiles groups files by the modes that their names say.
func namedModeFiles(files []*tokenFile) (groups []*modeFiles) {
	names := fileNames{map[modeKey]int{}, map[string]int{}, map[string]paths{}, map[string]paths{}, modesAlone(files), map[string]int{}}
	seen, by := map[string]bool{}, map[modeKey]*modeFiles{}
	for _, f := range files {
		addIn(names.inside, filepath.Dir(f.name), f)
		addIn(names.around, f.above(), f)
		if collection, mode := f.collectionMode(); mode != "" {
			names.collections[modeKey{filepath.Dir(f.name), collection}]++
		}
		if folder := filepath.Dir(f.name); !seen[folder] {
			seen[folder] = true
			names.folders[f.above()]++
		}
		if tokenfile.IsModeName(f.folderName()) {
			names.twins[f.besideFolder()]++
		}
	}
	for _, f := range files {
		if !f.mayBeNamed() {
			continue
		}
		at, mode := names.modeOf(f)
		isOwn := func(own string) bool { return tokenfile.ModeKey(own) == tokenfile.ModeKey(mode) }
		if mode == "" || slices.ContainsFunc(f.modeNames(), isOwn) { // its own selectors say what is of the mode
			continue
		}
		if by[at] == nil {
			by[at] = &modeFiles{name: at.stem}
			if at.stem == "" && len(files) > 1 && mode == f.stem() && tokenfile.IsModeFolder(f.folderName()) {
				by[at].name = f.folderName()
			}
			groups = append(groups, by[at])
		}
		by[at].add(f, mode)
	}
	for _, g := range groups {
		g.shareBase()
	}
	return groups
}

// isBase reports whether a mode is called as what all modes may share.
func isBase(mode string) bool {
	return slices.Contains([]string{"base", "default"}, tokenfile.ModeKey(mode))
}

// shareBase leaves files of base or default out of a group with another usual mode, such as light, that lacks some of
// their tokens, and files of other usual modes, such as desktop, that have none of its tokens: all modes share these files.
func (g *modeFiles) shareBase() {
	all, inUsual := *g, paths{}
	usual := tokenfile.UsualFirst(slices.DeleteFunc(g.names(), isBase))
	if !tokenfile.HasUsual(usual) || !tokenfile.IsModeName(usual[0]) {
		return
	}
	for i, f := range g.files {
		if g.modes[i] == usual[0] {
			inUsual.add(f)
		}
	}
	g.keep(func(f *tokenFile) bool {
		isLacking := func(path string) bool { return inUsual[path] == 0 }
		mode := all.modes[slices.Index(all.files, f)]
		if isBase(mode) {
			return !slices.ContainsFunc(pathsOf(f), isLacking)
		}
		return mode == usual[0] || !tokenfile.HasUsual([]string{mode}) || inUsual.shared(f, 1)
	})
}

// modeOf returns the mode that the name of a file says, in a folder of modes or by its last words, or that the name of
// its folder says. It may be any if several files have the same before a dot, and is empty if there is none.
func (n fileNames) modeOf(f *tokenFile) (at modeKey, mode string) {
	folder, above := filepath.Dir(f.name), f.above()
	stem, ofName := cutMode(f.stem())
	isOwn := stem != "" && len(n.modes[folder]) > 0 && n.modes[folder].haveMost(f, 1) // dark-dimmed beside dark
	if tokenfile.IsModeFolder(f.folderName()) {
		if mode = f.stem(); !isOwn {
			mode, _, _ = strings.Cut(filepath.Base(f.name), ".")
		}
		return modeKey{folder: folder}, mode
	}
	isBeside := n.folders[above] > 1
	isTwin := tokenfile.IsModeName(f.folderName()) && n.twins[f.besideFolder()] > 1
	isInModes := isBeside && tokenfile.IsModeFolder(folderBase(above))
	if isInModes && n.isOfFolder(f) { // color/light in modes
		return modeKey{folder: folder}, f.stem()
	}
	if isInModes || isTwin { // a folder is a mode
		return modeKey{folder: above}, f.folderName()
	}
	if isOwn {
		return modeKey{folder: folder}, f.stem()
	}
	if ofName != "" {
		return modeKey{folder, stem}, ofName
	}
	if collection, mode := f.collectionMode(); n.collections[modeKey{folder, collection}] > 1 {
		return modeKey{folder, collection}, mode
	}
	if isBeside && tokenfile.IsModeName(f.folderName()) {
		return modeKey{folder: above}, f.folderName()
	}
	if around := f.modeAround(); around != "" {
		return modeKey{folder: filepath.Dir(around)}, filepath.Base(around)
	}
	return modeKey{}, ""
}

// modeAround is the innermost folder that is called as a mode other than a default, such as dark, of those around a file
// and below the folder that was named; empty if there is none.
func (f *tokenFile) modeAround() string {
	if f.folder == "" {
		return ""
	}
	for folder := filepath.Dir(f.name); folder != filepath.Clean(f.folder) && len(folder) > len(f.folder); folder = filepath.Dir(folder) {
		if name := filepath.Base(folder); tokenfile.IsModeName(name) && !tokenfile.HasUsual([]string{name}) {
			return folder
		}
	}
	return ""
}

// isOfFolder reports whether a file has a token that another in its folder has, and none of the folders beside: each file
// in the folder is a mode.
func (n fileNames) isOfFolder(f *tokenFile) bool {
	inside, around := n.inside[filepath.Dir(f.name)], n.around[f.above()]
	return inside.shared(f, 2) && !slices.ContainsFunc(pathsOf(f), func(path string) bool { return around[path] > inside[path] })
}

// modesAlone returns the tokens of the files that are called by a mode alone, other than base, by their folder.
func modesAlone(files []*tokenFile) map[string]paths {
	in := map[string]paths{}
	for _, f := range files {
		if stem, mode := cutMode(f.stem()); mode != "" && stem == "" && !isBase(mode) && f.mayBeNamed() {
			addIn(in, filepath.Dir(f.name), f)
		}
	}
	return in
}

func addIn(in map[string]paths, folder string, f *tokenFile) {
	if in[folder] == nil {
		in[folder] = paths{}
	}
	in[folder].add(f)
}

// cutMode cuts the name of a mode off the name of a file: what follows "mode", else all of it or as many of its last
// words as a mode is called by, else the first. It is empty if there is none.
func cutMode(base string) (stem, mode string) {
	if at := strings.LastIndex(strings.ReplaceAll(base, "_", "-"), "-mode-"); at >= 0 {
		return base[:at], base[at+len("-mode-"):]
	}
	if cut := tokenfile.ModeAtEnd(base); cut < len(base) {
		return strings.TrimRight(base[:cut], "-_ "), base[cut:]
	}
	if cut := strings.IndexAny(base, "-_"); cut > 0 && tokenfile.IsModeName(base[:cut]) {
		return strings.TrimLeft(base[cut:], "-_"), base[:cut]
	}
	return "", ""
}

// onlyModes leaves out of the groups what holds no mode, whatever its name: a file that has no token in common with
// another of its group, with the files that are in no group or, if its name is one of a mode or a file of its mode has
// one in common, with any; if no two of a group have, one that has none with the files that are in no group.
func onlyModes(files []*tokenFile, groups []*modeFiles) []*modeFiles {
	base := newPaths(slices.DeleteFunc(withoutGroups(files, groups), func(f *tokenFile) bool { return f.kind.HasSets() }))
	var alone []*modeFiles
	for _, g := range groups {
		inside := newPaths(g.files)
		if !slices.ContainsFunc(g.files, func(f *tokenFile) bool { return inside.shared(f, 2) }) {
			if alone = append(alone, g); isBase(g.modes[0]) { // which another may be over
				alone = slices.Insert(alone[:len(alone)-1], 0, g)
			}
			continue
		}
		rest := newPaths(withoutGroups(files, []*modeFiles{g}))
		all, hasOther := *g, map[string]bool{} // of modes: a file with tokens of others
		for i, f := range g.files {
			hasOther[g.modes[i]] = hasOther[g.modes[i]] || inside.shared(f, 2)
		}
		isMode := func(f *tokenFile) bool {
			_, mode := cutMode(f.stem())
			isNamed := mode != "" || hasOther[all.modes[slices.Index(all.files, f)]]
			return inside.shared(f, 2) || base.shared(f, 1) || isNamed && rest.shared(f, 1)
		}
		for _, f := range g.keep(isMode) {
			base.add(f)
			if _, mode := cutMode(f.stem()); !tokenfile.HasUsual([]string{mode}) {
				f.notes = append(f.notes, f.name+" is called as a mode and has no token in common with the others: its tokens are of all modes")
			}
		}
	}
	for _, g := range alone {
		for _, f := range g.keep(func(f *tokenFile) bool { return base.shared(f, 1) }) {
			base.add(f)
		}
	}
	for _, g := range groups {
		isOver := slices.ContainsFunc(g.files, func(f *tokenFile) bool { return base.shared(f, 1) })
		g.without = isOver && !tokenfile.HasUsual(g.modes)
	}
	return slices.DeleteFunc(groups, func(g *modeFiles) bool { return len(g.files) == 0 })
}

// keep leaves in a group only the files that are wanted, and returns the others.
func (g *modeFiles) keep(wanted func(*tokenFile) bool) (others []*tokenFile) {
	all := *g
	g.files, g.modes = nil, nil
	for i, f := range all.files {
		if wanted(f) {
			g.add(f, all.modes[i])
		} else {
			others = append(others, f)
		}
	}
	return others
}
