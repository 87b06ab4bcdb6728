// Package form recognises the form of token files and reads their declarations. Each form has a file of its own.
package form

import (
	"path"
	"slices"
	"strings"

	"example.com/livery/intake/model"
)

// Options say what a form cannot find in its files.
type Options struct {
	// Values has the dimensions whose modes are members of value objects, beside {"light": …, "dark": …} and base with _dark.
	Values map[string][]string
	// Open returns a file that a resolver document names, relative to the folder of that document.
	Open func(document *model.File, name string) (*model.File, error)

	figmaPaths map[string][]string // of the variables of all files of Figma, by id
}

// reader makes documents of the files of one form.
type reader struct {
	name       string // with its article
	recognizes func(f *model.File) bool
	read       func(f *model.File, o Options) (*model.Document, error)
}

// readers returns the forms in the order in which they are tried: what says more of a file comes first.
func readers() []reader {
	return []reader{
		{stylesheetName, recognizesStylesheet, readStylesheet},
		{"a registry of shadcn", recognizesRegistry, readRegistry},
		{resolverName, isResolver, readResolver},
		{figmaName, isFigma, readFigma},
		{theoName, isTheo, readTheo},
		{conditionsName, isConditions, readConditions},
		{studioName, isStudio, readStudio},
		{spectrumName, isSpectrum, readSpectrum},
		{dtcgName, isDTCG, readDTCG},
		{dictionaryName, isDictionary, readDictionary},
		{listName, isList, readList},
		{Flat, isFlat, readFlat},
	}
}

// readerOf returns the first form that recognises a file; ok is false if none does.
func readerOf(f *model.File) (r reader, ok bool) {
	all := readers()
	i := slices.IndexFunc(all, func(r reader) bool { return r.recognizes(f) })
	if i < 0 {
		return reader{}, false
	}
	return all[i], true
}

// Read returns the documents of files, in the order of the files. The files of a folder that Tokens Studio wrote, with its $metadata.json
// or $themes.json, are one document at the place of the first. A file that no form recognises is a document without a form. An error is
// a *model.Error.
func Read(files []*model.File, o Options) ([]*model.Document, error) {
	var documents []*model.Document
	folders := studioFolders(files)
	o.figmaPaths = figmaPaths(files)
	for _, f := range files {
		d := &model.Document{Files: []*model.File{f}}
		var err error
		isInside := func(folder string) bool { return folder == "." || strings.HasPrefix(f.Name, folder+"/") }
		if at := slices.IndexFunc(folders, isInside); at >= 0 {
			if slices.ContainsFunc(documents, func(d *model.Document) bool { return slices.Contains(d.Files, f) }) {
				continue
			}
			d, err = readStudioFolder(folders[at], files, o)
		} else if r, ok := readerOf(f); ok {
			if d, err = r.read(f, o); err == nil {
				d.Form = r.name
			}
		}
		if err != nil {
			return nil, err
		}
		documents = append(documents, d)
	}
	joinFigmaExports(documents)
	nameElements(documents)
	return documents, nil
}

// studioFolders lists the folders of files that Tokens Studio wrote, the innermost first.
func studioFolders(files []*model.File) (folders []string) {
	for _, f := range files {
		if base := path.Base(f.Name); (base == "$metadata.json" || base == "$themes.json") && !slices.Contains(folders, path.Dir(f.Name)) {
			folders = append(folders, path.Dir(f.Name))
		}
	}
	slices.SortFunc(folders, func(a, b string) int { return len(b) - len(a) })
	return folders
}
