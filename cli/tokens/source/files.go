package source

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.com/livery/cli/localfile"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/renderer/jsontree"
)

// tokenFile is one file of tokens that a person named, or that stands in a folder they named.
type tokenFile struct {
	name      string
	text      string
	family    string // files of one family are meant to be laid over each other
	kind      tokenfile.Kind
	mode      string // of Figma, if the file is of its own export
	parts     []tokenfile.Part
	flat      []jsontree.Member    // of a flat map, which has no parts
	positions *tokenfile.Positions // nil until asked for
}

// location is the file and line of what a pointer leads to.
func (f *tokenFile) location(pointer string) string {
	if f.positions == nil {
		f.positions = tokenfile.Locate(f.text)
	}
	return fmt.Sprintf("%s:%d", f.name, f.positions.Line(pointer))
}

// readFiles reads what a person named: files, folders of files, and "-" for the standard input.
func readFiles(a *term.App, names []string, o tokenfile.Options) ([]*tokenFile, error) {
	var all []*tokenFile
	for _, name := range names {
		info, err := os.Stat(name)
		if name != "-" && err == nil && info.IsDir() {
			folder, err := readFolder(a, name, o)
			if err != nil {
				return nil, err
			}
			all = append(all, folder...)
			continue
		}
		file, root, err := openFile(a, name)
		if err != nil {
			return nil, err
		}
		if err := file.convert(root, o); err != nil {
			return nil, err
		}
		all = append(all, file)
	}
	return all, nil
}

func openFile(a *term.App, name string) (*tokenFile, *jsontree.Node, error) {
	data, err := a.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	text := strings.TrimPrefix(string(data), "\ufeff") // editors put a byte order mark; JSON has none
	root, err := ParseFile(name, text)
	return &tokenFile{name: name, text: text, family: name}, root, err
}

func (f *tokenFile) convert(root *jsontree.Node, o tokenfile.Options) error {
	f.kind, f.mode = tokenfile.KindOf(root, o), tokenfile.ModeOf(root)
	if f.kind == tokenfile.Flat {
		f.flat = root.Members
		return nil
	}
	var err error
	f.parts, err = tokenfile.Convert(root, o)
	return inFile(f.name, err)
}

// inFile says of which file a complaint is.
func inFile(name string, err error) error {
	if err == nil {
		return nil
	}
	said := *term.Explain(err)
	said.Sentence = name + ": " + said.Sentence
	return &said
}

// readFolder reads a folder: that of Tokens Studio as its sets, another by the names of its files.
func readFolder(a *term.App, folder string, o tokenfile.Options) ([]*tokenFile, error) {
	names, err := jsonFiles(folder)
	if err != nil {
		return nil, err
	}
	if isStudioFolder(folder, names, o.Sets) {
		return readStudioFolder(a, folder, names, o)
	}
	if len(names) == 0 {
		return nil, term.Fail("Name token files, or a folder that holds some.", "the folder %s holds no file whose name ends in .json", folder)
	}
	return readFiles(a, names, o)
}

// jsonFiles lists the JSON files of a folder and of those in it, by name, without hidden ones.
func jsonFiles(folder string) ([]string, error) {
	var names []string
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return term.Fail("Name a folder that can be read.", "%s cannot be read: %s", path, localfile.Reason(err))
		case d.IsDir() && path != folder && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return filepath.SkipDir
		case d.Type().IsRegular() && strings.HasSuffix(d.Name(), ".json") && !strings.HasPrefix(d.Name(), "."):
			names = append(names, path)
		}
		return nil
	})
	return names, err
}
