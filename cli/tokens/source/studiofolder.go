package source

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/renderer/jsontree"
)

// The files that Tokens Studio writes beside its token sets.
const (
	studioMetadata = "$metadata.json"
	studioThemes   = "$themes.json"
)

// isStudioFolder reports whether a folder that holds the JSON files of these names is an export of Tokens Studio: it
// has its metadata or its themes, or sets names one of the files.
func isStudioFolder(folder string, names, sets []string) bool {
	return slices.Contains(names, filepath.Join(folder, studioMetadata)) || slices.Contains(names, filepath.Join(folder, studioThemes)) ||
		slices.ContainsFunc(setsOf(folder, names), func(set string) bool { return slices.Contains(sets, set) })
}

// studioInside returns the one folder among those of some files that is an export of Tokens Studio, and which of the files lie in
// it and which do not; an empty name if none is, or several are.
func studioInside(names []string) (folder string, inside, rest []string) {
	for _, name := range names {
		if base := filepath.Base(name); base == studioMetadata || base == studioThemes {
			if folder != "" && folder != filepath.Dir(name) {
				return "", nil, nil
			}
			folder = filepath.Dir(name)
		}
	}
	for _, name := range names {
		if strings.HasPrefix(name, folder+string(filepath.Separator)) {
			inside = append(inside, name)
		} else {
			rest = append(rest, name)
		}
	}
	return folder, inside, rest
}

// setsOf returns the names of the token sets that are the JSON files of a folder.
func setsOf(folder string, names []string) (sets []string) {
	for _, name := range names {
		within := strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(name, folder)), "/")
		if !strings.HasPrefix(within, "$") {
			sets = append(sets, strings.TrimSuffix(within, ".json"))
		}
	}
	return sets
}

// studioOrder returns the token sets of a folder in the order of its metadata, those that it does not name last; without it by
// the names of their files. others are files that are not token sets.
func studioOrder(a *term.App, folder string, names []string, o tokenfile.Options) (sets []string, others []*tokenFile, kind tokenfile.Kind, err error) {
	metadata := filepath.Join(folder, studioMetadata)
	if !slices.Contains(names, metadata) {
		return setsOf(folder, names), nil, tokenfile.BareStudio, nil
	}
	meta, err := openFile(a, metadata)
	if err != nil {
		return nil, nil, tokenfile.Studio, err
	}
	if order := meta.parsed.Root.Find("tokenSetOrder"); order != nil {
		for _, n := range order.Items() {
			sets = append(sets, n.Text)
		}
	}
	more, others, err := besideOrder(a, folder, names, sets, o)
	return append(sets, more...), others, tokenfile.Studio, err
}

// besideOrder returns the token sets of a folder that its order does not name, and the other files beside them.
func besideOrder(a *term.App, folder string, names, order []string, o tokenfile.Options) (sets []string, others []*tokenFile, err error) {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		sets := setsOf(folder, []string{name})
		return len(sets) == 0 || slices.Contains(order, sets[0])
	})
	opened, err := openFiles(a, names, o)
	for _, f := range opened {
		isSet := f.unread == nil && (f.kind == tokenfile.DTCG || f.kind == tokenfile.StyleDictionary) && filepath.Ext(f.name) == ".json"
		switch {
		case isSet:
			sets = append(sets, setsOf(folder, []string{f.name})[0])
			continue
		case f.why != "":
			f.notes, f.why = append(f.notes, f.name+" is "+f.kind.String()+" and no token set, and is left out; push it beside the folder"), ""
		}
		others = append(others, f)
	}
	return sets, others, err
}

// readStudioFolder reads the token sets of Tokens Studio, each a file, in their order.
func readStudioFolder(a *term.App, folder string, names []string, o tokenfile.Options) ([]*tokenFile, error) {
	themes, err := readStudioThemes(a, folder)
	if err != nil {
		return nil, err
	}
	sets, others, kind, err := studioOrder(a, folder, names, o)
	if err != nil {
		return nil, err
	}
	at := func(set string) *jsontree.Node {
		f, err := readSet(a, folder, set, o)
		if err != nil { // it is told when the set is read
			return nil
		}
		return f.parsed.Root
	}
	wanted, err := tokenfile.StudioSets(themes, sets, at, o)
	if err != nil {
		return nil, inFile(folder, err)
	}
	standings := tokenfile.Standings(themes, sets, at, o)
	var files []*tokenFile
	for _, set := range wanted {
		file, err := readSet(a, folder, set, o)
		if err != nil {
			return nil, err
		}
		file.kind = kind
		file.parts[0].Standing = standings[set]
		files = append(files, file)
	}
	if len(files) == 0 { // no theme takes any
		files = []*tokenFile{{name: filepath.Join(folder, studioThemes), family: folder, kind: kind, why: "its folder is one of token sets", parts: []tokenfile.Part{{Tree: jsontree.NewObject()}}}}
	}
	files[0].parts[0].Dimensions, files[0].parts[0].Unused = tokenfile.StudioDimensions(themes, sets, at)
	noteSets(files[0], folder, themes, sets, tokenfile.LeftSets(sets, wanted, o))
	return append(files, others...), nil
}

// readSet reads a token set that is a file of its own.
func readSet(a *term.App, folder, set string, o tokenfile.Options) (*tokenFile, error) {
	if !filepath.IsLocal(set) {
		return nil, term.Fail("Export it again.", "%s names a token set outside its folder: %q", filepath.Join(folder, studioMetadata), set)
	}
	file, err := openFile(a, setFile(folder, set))
	if err != nil {
		return nil, err
	}
	file.family, file.why = folder, "its folder is one of token sets"
	file.parts = []tokenfile.Part{tokenfile.ConvertSet(set, file.parsed.Root, o)}
	return file, nil
}

// noteSets notes which token sets of a folder are left out, and which are missing.
func noteSets(f *tokenFile, folder string, themes *jsontree.Node, sets, left []string) {
	for _, set := range left {
		f.notes = append(f.notes, setFile(folder, set)+" is not read, and its token set is left out; --sets takes it too")
	}
	for _, c := range tokenfile.MissingSets(themes, sets) {
		f.notes = append(f.notes, filepath.Join(folder, studioThemes)+": "+c.Path+": "+c.Message)
	}
}

// setFile is the file of a token set.
func setFile(folder, set string) string {
	return filepath.Join(folder, filepath.FromSlash(set)+".json")
}

// studioThemes returns an object with the member $themes, if the folder has themes.
func readStudioThemes(a *term.App, folder string) (*jsontree.Node, error) {
	name := filepath.Join(folder, studioThemes)
	if _, err := os.Stat(name); err != nil {
		return jsontree.NewObject(), nil
	}
	data, err := a.ReadFile(name)
	if err != nil {
		return nil, err
	}
	list, err := jsontree.Parse(string(data))
	if err != nil {
		return nil, inFile(name, term.Fail("Export it again.", "the file is not valid JSON: %v", err))
	}
	return jsontree.NewObject(jsontree.Member{Name: "$themes", Value: list}), nil
}
