package source

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokenfile/syntax"
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

// studioInside returns the one folder among those of some files that is an export of Tokens Studio, and which of the
// files lie in it and which do not; an empty name if none is, or several are.
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

// setsOf returns the names of the token sets that are the files of a folder.
func setsOf(folder string, names []string) (sets []string) {
	for _, name := range names {
		within := strings.TrimPrefix(filepath.ToSlash(strings.TrimPrefix(name, folder)), "/")
		if strings.HasPrefix(within, "$") {
			continue
		}
		if set := strings.TrimSuffix(within, filepath.Ext(within)); setFile(folder, set) == name {
			within = set // else it has the name of another file, but for its end
		}
		sets = append(sets, within)
	}
	return sets
}

// studioOrder returns the token sets of a folder in the order of its metadata, those that it does not name last;
// without it by the names of their files. others are files that are not token sets.
func studioOrder(a opener, folder string, names []string, meta *jsontree.Node, o tokenfile.Options) (sets []string, others []*tokenFile, kind tokenfile.Kind, err error) {
	if meta.Find("$metadata") == nil {
		names, others = withoutTools(a, names, o)
		return setsOf(folder, names), others, tokenfile.BareStudio, nil
	}
	all := setsOf(folder, names)
	if order := meta.Find("$metadata").Find("tokenSetOrder"); order != nil {
		for _, n := range order.Items() {
			if slices.Contains(all, n.Text) {
				sets = tokenfile.AppendNew(sets, n.Text)
			}
		}
	}
	more, others, err := besideOrder(a, folder, names, sets, o)
	return append(sets, more...), others, tokenfile.Studio, err
}

// withoutTools returns the files among others that may be token sets, and those without tokens that say what they are,
// as package.json.
func withoutTools(a opener, names []string, o tokenfile.Options) (rest []string, tools []*tokenFile) {
	for _, name := range names {
		f, err := openFile(a, name)
		if err == nil && f.purpose() != "" {
			f.kind, f.why = tokenfile.Recognise(f.parsed, o)
		}
		if err != nil || f.purpose() == "" || f.why != "" {
			rest = append(rest, name)
		} else {
			tools = append(tools, f)
		}
	}
	return rest, tools
}

// besideOrder returns the token sets of a folder that its order does not name, and the other files beside them.
func besideOrder(a opener, folder string, names, order []string, o tokenfile.Options) (sets []string, others []*tokenFile, err error) {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		sets := setsOf(folder, []string{name})
		return len(sets) == 0 || slices.Contains(order, sets[0])
	})
	opened, err := openFiles(a, names, o)
	for _, f := range opened {
		switch {
		case f.unread == nil && (f.kind == tokenfile.DTCG || f.kind == tokenfile.StyleDictionary):
			sets = append(sets, setsOf(folder, []string{f.name})[0])
			continue
		case f.why != "":
			f.unread = term.Fail("Push it beside the folder.", "it is %s and not a token set; push it beside the folder", f.kind)
		}
		others = append(others, f)
	}
	return sets, others, err
}

// readStudioFolder reads the token sets of Tokens Studio, each a file, in their order.
func readStudioFolder(a opener, folder string, names []string, o tokenfile.Options) ([]*tokenFile, error) {
	meta, err := readStudioMeta(a, folder)
	if err != nil {
		return nil, err
	}
	sets, others, kind, err := studioOrder(a, folder, names, meta, o)
	if err != nil {
		return nil, err
	}
	opened, unread := map[string]*tokenFile{}, map[string]error{}
	var trees []*jsontree.Node
	for _, set := range sets {
		file, err := openFile(a, setFile(folder, set))
		if unread[set] = err; err == nil {
			opened[set], trees = file, append(trees, file.parsed.Root)
		}
	}
	o = o.WithTokens(trees...)
	at := func(set string) *jsontree.Node {
		if opened[set] == nil {
			return nil
		}
		return opened[set].parsed.Root
	}
	wanted, err := tokenfile.StudioSets(meta, sets, at, o)
	if err != nil {
		return nil, term.In(folder, err)
	}
	standings := tokenfile.Standings(meta, sets, at)
	var files []*tokenFile
	for _, set := range wanted {
		if unread[set] != nil {
			return nil, unread[set]
		}
		file := opened[set]
		file.kind, file.family, file.why = kind, folder, "its folder is one of token sets"
		_ = file.convertBy(func() ([]tokenfile.Part, error) {
			return []tokenfile.Part{tokenfile.ConvertSet(set, file.parsed.Root, o)}, nil
		})
		file.parts[0].Standing = standings[set]
		files = append(files, file)
	}
	if len(files) == 0 { // no theme takes any
		files = []*tokenFile{{name: filepath.Join(folder, studioThemes), family: folder, kind: kind, why: "its folder is one of token sets", parts: []tokenfile.Part{{Tree: jsontree.NewObject()}}}}
	}
	files[0].parts[0].AddThemes(meta, sets, at)
	noteSets(files[0], folder, meta, sets, tokenfile.LeftSets(sets, wanted, o))
	return append(files, others...), nil
}

// noteSets notes which token sets of a folder are left out, and which are missing.
func noteSets(f *tokenFile, folder string, meta *jsontree.Node, sets, left []string) {
	for _, set := range left {
		f.notes = append(f.notes, setFile(folder, set)+" is not read, and its token set is left out; --sets takes it too")
	}
	for _, c := range tokenfile.MissingSets(meta, sets) {
		f.notes = append(f.notes, filepath.Join(folder, strings.Split(c.Pointer, "/")[1]+".json")+": "+c.Path+": "+c.Message)
	}
}

// setFile is the file of a token set.
func setFile(folder, set string) string {
	name := filepath.Join(folder, filepath.FromSlash(set))
	for _, extension := range append(syntax.Extensions, "") {
		if _, err := os.Stat(name + extension); err == nil {
			return name + extension
		}
	}
	return name + ".json"
}

// readStudioMeta returns an object with the members $metadata and $themes, as far as the folder has their files.
func readStudioMeta(a opener, folder string) (*jsontree.Node, error) {
	meta := jsontree.NewObject()
	for _, base := range []string{studioMetadata, studioThemes} {
		name := filepath.Join(folder, base)
		if _, err := os.Stat(name); err != nil || !IsInside(folder, name) {
			continue
		}
		data, err := a.ReadFile(name)
		if err != nil {
			return nil, err
		}
		text := strings.TrimPrefix(string(data), "\ufeff")
		file, err := syntax.Parse(name, text)
		if err != nil {
			return nil, unreadable(name, text, err)
		}
		meta.Members = append(meta.Members, jsontree.Member{Name: strings.TrimSuffix(base, ".json"), Value: file.Root})
	}
	return meta, nil
}
