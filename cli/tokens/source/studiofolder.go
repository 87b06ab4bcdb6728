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

// studioOrder returns the token sets of a folder in the order of its metadata; without it by the names of their files.
func studioOrder(a *term.App, folder string, names []string) (sets []string, kind tokenfile.Kind, err error) {
	metadata := filepath.Join(folder, studioMetadata)
	if !slices.Contains(names, metadata) {
		return setsOf(folder, names), tokenfile.BareStudio, nil
	}
	meta, err := openFile(a, metadata)
	if err != nil {
		return nil, tokenfile.Studio, err
	}
	if order := meta.parsed.Root.Find("tokenSetOrder"); order != nil {
		for _, n := range order.Items {
			sets = append(sets, n.Text)
		}
	}
	return sets, tokenfile.Studio, nil
}

// readStudioFolder reads the token sets of Tokens Studio, each a file, in their order.
func readStudioFolder(a *term.App, folder string, names []string, o tokenfile.Options) ([]*tokenFile, error) {
	themes, err := readStudioThemes(a, folder)
	if err != nil {
		return nil, err
	}
	sets, kind, err := studioOrder(a, folder, names)
	if err != nil {
		return nil, err
	}
	wanted, err := tokenfile.StudioSets(themes, sets, o)
	if err != nil {
		return nil, inFile(folder, err)
	}
	var files []*tokenFile
	for _, set := range wanted {
		if !filepath.IsLocal(set) {
			return nil, term.Fail("Export it again.", "%s names a token set outside its folder: %q", filepath.Join(folder, studioMetadata), set)
		}
		file, err := openFile(a, setFile(folder, set))
		if err != nil {
			return nil, err
		}
		file.family, file.kind, file.why = folder, kind, "its folder is one of token sets"
		file.parts = []tokenfile.Part{tokenfile.ConvertSet(set, file.parsed.Root, o)}
		files = append(files, file)
	}
	if len(files) > 0 {
		part := &files[0].parts[0]
		part.Dimensions, part.Unused = tokenfile.StudioDimensions(themes, sets)
		for _, set := range tokenfile.LeftSets(sets, wanted, o) {
			files[0].notes = append(files[0].notes, setFile(folder, set)+" is not read, and its token set is left out; --sets takes it too")
		}
	}
	return files, nil
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
