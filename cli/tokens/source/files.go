package source

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/livery/cli/localfile"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/renderer/jsontree"
)

// tokenFile is one file of tokens that a person named, or that stands in a folder they named.
type tokenFile struct {
	name     string
	text     string
	family   string // files of one family are meant to be laid over each other
	parsed   *syntax.File
	kind     tokenfile.Kind
	why      string // the file is of that kind; empty if nothing in it is known
	mode     string // of Figma, if the file is of its own export
	parts    []tokenfile.Part
	flat     []jsontree.Member // of a flat map for a Variant, which has no parts
	paths    []string          // of its tokens; nil until asked for
	unread   error             // why the file cannot be read, though others are
	resolver *tokenFile        // the resolver document that names the file; nil if none does
	context  string            // the pointer in it to the context that names the file; empty if a set does
	place    string            // the name of a file of a brand in a mode as if it were acme/light.json; empty if it is
	notes    []string          // lines for a person
	folder   string            // that was named, in which the file stands; empty for a file that was named itself
	known    *known            // shared by all that an opener returns for the file
}

// known is what was found of a file before.
type known struct {
	positions *syntax.Positions // nil until asked for
	kind      tokenfile.Kind    // of parts
	parts     []tokenfile.Part  // if no choice of modes has others; nil if one may

	unread map[[2]string]*tokenFile // of a resolver document, by modifier and context; nil until asked for
}

// opener opens the files of a command.
type opener struct {
	*term.App
	opened map[string]*tokenFile // by name, so that each is read once; nil if none is asked for twice
}

// location is the file and line of what a pointer leads to.
func (f *tokenFile) location(pointer string) string {
	if f.known.positions == nil {
		f.known.positions = f.parsed.Positions()
	}
	return fmt.Sprintf("%s:%d", f.name, f.known.positions.Line(pointer))
}

// readFiles reads what a person named: files, folders of files, and "-" for the standard input.
func readFiles(a opener, names []string, o tokenfile.Options) ([]*tokenFile, error) {
	named := map[string][]*tokenFile{} // one for each name of a file
	var all []*tokenFile
	for _, name := range names {
		if info, err := os.Stat(name); name != "-" && err == nil && info.IsDir() {
			continue
		}
		opened, err := openFiles(a, []string{name}, o)
		if err != nil {
			return nil, err
		}
		if f := opened[0]; len(names) > 1 && f.unread != nil && f.parsed != nil {
			f.unread = nil // a stylesheet without tokens, among others
		}
		named[name], all = opened, append(all, opened...)
	}
	notSets(all, o)
	o = declared(o, all)
	all = nil
	for _, name := range names {
		var err error
		if opened, isFile := named[name]; isFile {
			all, err = convertFiles(a, all, opened, filepath.Dir(name), o)
		} else {
			var folder []*tokenFile
			folder, err = readFolder(a, name, o)
			all = append(all, folder...)
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// declared returns o with what files that are read together say of each other: the stylesheets among them, those in
// which tokens stand inside tokens, and those of Figma's variables.
func declared(o tokenfile.Options, files []*tokenFile) tokenfile.Options {
	roots := map[tokenfile.Kind][]*jsontree.Node{}
	for _, f := range files {
		if f.why != "" {
			roots[f.kind] = append(roots[f.kind], f.parsed.Root)
		}
	}
	if len(roots[tokenfile.Figma]) > 1 {
		o = o.WithVariables(roots[tokenfile.Figma]...)
	}
	return tokenfile.Declare(o, roots[tokenfile.Stylesheet]...).WithTokens(roots[tokenfile.StyleDictionary]...)
}

// notSets recognises those of several files anew that have the shape of token sets and aliases of tokens of another
// file: there they lead to a whole path, so that the members of both are groups.
func notSets(files []*tokenFile, o tokenfile.Options) {
	o.NotSets = true
	for _, f := range files {
		isReached := func(other *tokenFile) bool {
			return other != f && other.unread == nil && other.parsed != nil && tokenfile.ReachesInto(f.parsed.Root, other.parsed.Root)
		}
		if f.unread == nil && f.kind == tokenfile.BareStudio && slices.ContainsFunc(files, isReached) {
			f.kind, f.why = tokenfile.Recognise(f.parsed, o)
		}
	}
}

// openFiles opens files and recognises their forms. A file that cannot be parsed is noted as unread.
func openFiles(a opener, names []string, o tokenfile.Options) (opened []*tokenFile, err error) {
	for _, name := range names {
		file, err := openFile(a, name)
		switch {
		case file == nil:
			return nil, err
		case err != nil && len(names) > 1 && file.parsed != nil: // a stylesheet without tokens, among others of a folder
		case err != nil:
			file.unread = err
		case file.why == "":
			file.kind, file.why = tokenfile.Recognise(file.parsed, o)
			if a.opened != nil {
				a.opened[name].kind, a.opened[name].why = file.kind, file.why
			}
		}
		opened = append(opened, file)
	}
	if o.Among = slices.ContainsFunc(opened, func(f *tokenFile) bool { return f.why != "" && f.kind != tokenfile.Stylesheet }); o.Among {
		for _, file := range opened {
			if file.unread == nil && file.why == "" {
				file.kind, file.why = tokenfile.Recognise(file.parsed, o)
			}
		}
	}
	return opened, nil
}

// convertFiles appends opened files with their parts. Behind a resolver document come the files in folder that it
// names.
func convertFiles(a opener, all, opened []*tokenFile, folder string, o tokenfile.Options) ([]*tokenFile, error) {
	for _, file := range opened {
		switch {
		case file.unread != nil:
		case file.kind == tokenfile.Resolver:
			read, err := resolverReader{a: a, document: file, folder: folder, options: o}.read()
			if err != nil {
				return nil, err
			}
			all = append(all, read...)
			continue
		default:
			if err := file.convert(o); err != nil {
				return nil, err
			}
		}
		all = append(all, file)
	}
	return all, nil
}

// openFile reads and parses a file. It returns no file if it cannot be read at all.
func openFile(a opener, name string) (*tokenFile, error) {
	if first := a.opened[name]; first != nil {
		again := *first
		return &again, nil
	}
	data, err := a.ReadFile(name)
	if _, missing := os.Lstat(name); err != nil && name != "-" && missing == nil {
		return &tokenFile{name: name, family: name}, err // it is there, and not for us to read
	}
	if err != nil {
		return nil, err
	}
	text := strings.TrimPrefix(string(data), "\ufeff") // editors put a byte order mark; JSON has none
	file := &tokenFile{name: name, text: text, family: name, known: &known{}}
	file.parsed, err = ParseFile(name, text)
	if err == nil && a.opened != nil {
		first := *file
		a.opened[name] = &first
	}
	return file, err
}

// convert makes the parts of a file whose form was recognised.
func (f *tokenFile) convert(o tokenfile.Options) error {
	root := f.parsed.Root
	f.mode = tokenfile.ModeOf(root)
	switch {
	case f.kind == tokenfile.Flat && o.Overrides && !tokenfile.IsSchema(root):
		f.flat = root.Members
		return nil
	case f.why == "":
		return nil
	}
	return term.In(f.name, f.convertBy(func() ([]tokenfile.Part, error) { return tokenfile.Convert(f.kind, root, o) }))
}

// convertBy makes the parts of a file, or takes those that were made before if they have no modes to choose from.
func (f *tokenFile) convertBy(convert func() ([]tokenfile.Part, error)) (err error) {
	if f.known.parts != nil && f.known.kind == f.kind {
		f.parts = slices.Clone(f.known.parts)
		return nil
	}
	f.parts, err = convert()
	hasModes := func(p tokenfile.Part) bool { return len(p.Dimensions) > 0 }
	if err == nil && f.kind != tokenfile.Stylesheet && !slices.ContainsFunc(f.parts, hasModes) {
		f.known.kind, f.known.parts = f.kind, slices.Clone(f.parts)
	}
	return err
}

// readFolder reads a folder: that of Tokens Studio as its sets, one with a resolver document as what that names,
// another by the names of its files. What else in it may hold tokens is named.
func readFolder(a opener, folder string, o tokenfile.Options) ([]*tokenFile, error) {
	folder = filepath.Clean(folder) // as the names of its files are
	names, sheets, programs, outside, err := tokenFiles(folder)
	if err != nil {
		return nil, err
	}
	var all []*tokenFile
	isKnown := func(f *tokenFile) bool { return f.why != "" || f.unread != nil }
	if len(names) > 0 {
		all, err = readFilesOf(a, folder, names, o)
	}
	if err == nil && len(sheets) > 0 && !slices.ContainsFunc(all, isKnown) { // but package.json, or the like
		all, err = readFilesOf(a, folder, sheets, o)
		sheets = nil
	}
	if err == nil && len(programs) > 0 && !slices.ContainsFunc(all, isKnown) {
		return nil, term.Fail(program(programs[0]).next, "the folder %s holds no file of tokens, but %s, which %s", folder, programs[0], program(programs[0]).what)
	}
	if err == nil && all == nil {
		next := "Name token files, or a folder that holds some."
		if entries, _ := os.ReadDir(folder); slices.ContainsFunc(entries, isPassedOver) {
			next += " Hidden files and folders and node_modules are read only if they are named themselves."
		}
		if len(outside) > 0 {
			next += " Links that lead out of the folder are not followed: " + term.ShortList(outside) + "."
		}
		return nil, term.Fail(next, "the folder %s holds no file whose name ends in %s or .css", folder, strings.Join(syntax.Extensions, ", "))
	}
	for _, f := range all {
		f.folder = folder
	}
	if err == nil && len(outside) > 0 {
		all[0].notes = append(all[0].notes, folder+" holds links that lead out of it, and these are not followed: "+term.ShortList(outside)+"; name what they lead to as well to read it too")
	}
	if others := append(sheets, programs...); err == nil && len(others) > 0 {
		note := folder + " holds more files that may hold tokens, and are not read: " + term.ShortList(others) + "; name a stylesheet to read it too, and write what a program exports as JSON"
		for _, name := range programs {
			if _, run, ok := strings.Cut(program(name).next, ": "); ok {
				note += " (" + run + ")"
				break
			}
		}
		all[0].notes = append(all[0].notes, note)
	}
	return all, err
}

func readFilesOf(a opener, folder string, names []string, o tokenfile.Options) ([]*tokenFile, error) {
	if isStudioFolder(folder, names, o.Sets) {
		return readStudioFolder(a, folder, names, o)
	}
	if inside, own, rest := studioInside(names); inside != "" {
		all, err := readStudioFolder(a, inside, own, o)
		if len(all) > 0 && len(rest) > 0 {
			all[0].notes = append(all[0].notes, inside+" is an export of Tokens Studio, and what stands beside it is not read: "+term.ShortList(rest))
		}
		return all, err
	}
	opened, err := openFiles(a, names, o)
	if err != nil {
		return nil, err
	}
	if all, ok, err := resolvedFolder(a, folder, opened, o); ok {
		return all, err
	}
	notSets(opened, o)
	o = declared(o, opened)
	return convertFiles(a, nil, opened, folder, o)
}

// PlanName is the file in which a push of all modes keeps what it decided. It holds no tokens.
const PlanName = "livery.yaml"

// tokenFiles lists the files of a folder and of the folders in it that may hold tokens, by name, without hidden ones.
// Stylesheets and programs are apart: beside token files they are usually built from them. outside lists the links that
// lead out of the folder: a checkout could link to any file of this user, and a push would publish it.
func tokenFiles(folder string) (names, sheets, programs, outside []string, err error) {
	err = walk(folder, func(path string) {
		switch {
		case filepath.Base(path) == PlanName:
		case mayExport(path):
			programs = append(programs, path)
		case slices.Contains(syntax.Extensions, strings.ToLower(filepath.Ext(path))):
			names = append(names, path)
		case strings.EqualFold(filepath.Ext(path), ".css"):
			sheets = append(sheets, path)
		}
	}, func(link string) { outside = append(outside, link) })
	return names, sheets, programs, outside, err
}

// walk calls visit for each file below root, in the order of their names, without hidden ones. A link counts as what it
// leads to if that lies below root; left is called for the others.
func walk(root string, visit, left func(path string)) error {
	seen := map[string]bool{} // real names of folders, for a link may lead back
	var in func(folder string) error
	in = func(folder string) error {
		real, err := filepath.EvalSymlinks(folder)
		if err != nil || seen[real] {
			return err
		}
		seen[real] = true
		entries, err := os.ReadDir(folder)
		if err != nil {
			return term.Fail("Name a folder that can be read.", "%s cannot be read: %s", folder, localfile.Reason(err))
		}
		for _, entry := range entries {
			path := filepath.Join(folder, entry.Name())
			info, err := os.Stat(path)
			switch {
			case isPassedOver(entry):
			case entry.Type()&os.ModeSymlink != 0 && !IsInside(root, path):
				left(path)
			case err != nil || !info.IsDir(): // a link that leads nowhere is a file that cannot be read
				visit(path)
			default:
				if err := in(path); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return in(root)
}

// isPassedOver reports whether an entry of a folder is not read, unless it is named itself.
func isPassedOver(entry os.DirEntry) bool {
	return strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"
}

// mayExport reports whether a file is a program or the source of a stylesheet, and neither says types nor sets up a
// tool, or is not a regular file.
func mayExport(path string) bool {
	base := filepath.Base(path)
	return program(path).what != "" && !strings.Contains(base, ".d.") && !strings.Contains(base, "config")
}

// withNotes returns some of the files, of which the first says what those that are left out had to say.
func withNotes(all, kept []*tokenFile) []*tokenFile {
	for _, f := range all {
		if len(kept) > 0 && !slices.Contains(kept, f) {
			kept[0].notes = append(kept[0].notes, f.notes...)
		}
	}
	return kept
}
