package intake

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"example.com/livery/intake/form"
	"example.com/livery/intake/model"
	"example.com/livery/intake/syntax"
	"example.com/livery/intake/system"
)

// Files opens token files by name. Names use slashes and are relative to the file that holds the mapping.
type Files interface {
	// Open returns the content of a file. The Reader returns the errors of Open unchanged.
	Open(name string) ([]byte, error)
	// List returns the names of the files in a folder and its subfolders. The names start with the name of the folder. List returns
	// an error if the name is not the name of a folder.
	List(folder string) ([]string, error)
}

// Reader reads the token files of mappings. It parses a file once, even if it reads several mappings.
type Reader struct {
	Progress func(done, total int) // if not nil, called after the Theme and each Variant have been read
	Parsed   int                   // the number of parsed files

	files Files
	known map[string]*model.File
	read  func([]*model.File, form.Options) ([]*model.Document, error)
}

// NewReader returns a Reader of files.
func NewReader(files Files) *Reader {
	return &Reader{files: files, known: map[string]*model.File{}, read: form.Read}
}

// file returns a parsed file from the cache, or opens and parses the file.
func (r *Reader) file(name string) (*model.File, error) {
	if f := r.known[name]; f != nil {
		return f, nil
	}
	text, err := r.files.Open(name)
	if err != nil {
		return nil, err
	}
	r.Parsed++
	parsed, err := syntax.Parse(name, string(text))
	if e, ok := err.(*syntax.Error); ok {
		line := 1 + strings.Count(string(text[:min(e.Offset, len(text))]), "\n")
		return nil, &model.Error{What: fmt.Sprintf("%s:%d: not %s: %s", name, line, e.Syntax, e.What), Next: "Fix that line and try again."}
	}
	if err != nil {
		return nil, err
	}
	r.known[name] = model.NewFile(name, parsed)
	return r.known[name], nil
}

// group is a single named file, or the unordered files of a folder or pattern.
type group struct {
	names   []string
	isNamed bool
	isWhole bool // a folder, not a pattern
}

// expand returns the files for a list of files, folders and patterns. If the list has a file several times, the last entry that names
// the file directly counts, or else the last folder or pattern that contains it.
func (r *Reader) expand(list []string) (groups []group, err error) {
	var excluded []string
	last := map[string]int{} // file name to the index of its group
	for _, text := range list {
		name, isExcluded := strings.CutPrefix(text, "!")
		if name = path.Clean(name); isExcluded {
			excluded = append(excluded, name)
			continue
		}
		g, err := r.group(name)
		if err != nil {
			return nil, err
		}
		for _, name := range g.names {
			if before, twice := last[name]; !twice || g.isNamed || !groups[before].isNamed {
				last[name] = len(groups)
			}
		}
		groups = append(groups, g)
	}
	for i := range groups {
		g := &groups[i]
		g.names = slices.DeleteFunc(g.names, func(name string) bool {
			isExcluded := slices.ContainsFunc(excluded, func(pattern string) bool { return matches(pattern, name) || strings.HasPrefix(name, pattern+"/") })
			return last[name] != i || !g.isNamed && (isExcluded || path.Base(name) == MappingName)
		})
	}
	return slices.DeleteFunc(groups, func(g group) bool { return len(g.names) == 0 }), nil
}

func (r *Reader) group(name string) (group, error) {
	if strings.Contains(name, "*") {
		folder, _, _ := strings.Cut(name, "*")
		folder = path.Dir(folder + "x")
		names, err := r.files.List(folder)
		names = slices.DeleteFunc(slices.Sorted(slices.Values(names)), func(file string) bool { return !matches(name, file) })
		if err != nil || len(names) == 0 {
			return group{}, &model.Error{What: name + " matches no file", Next: "Mend the pattern, or remove it: * stands for any part of a name, ** for any folders."}
		}
		return group{names: names}, nil
	}
	names, err := r.files.List(name)
	if err != nil {
		if path.Base(name) == MappingName {
			return group{}, &model.Error{What: name + " is the mapping and holds no tokens", Next: "Leave it out; livery push without files reads it."}
		}
		return group{names: []string{name}, isNamed: true}, nil
	}
	names = slices.DeleteFunc(slices.Sorted(slices.Values(names)), func(file string) bool {
		ext := strings.ToLower(path.Ext(file))
		return ext != ".css" && !slices.Contains(syntax.Extensions, ext)
	})
	if len(names) == 0 {
		return group{}, &model.Error{What: "the folder " + name + " holds no token files", Next: "Name a folder with files that end in .json, .yaml or .css."}
	}
	return group{names: names, isWhole: true}, nil
}

// matches reports whether a pattern matches the name of a file. * matches any part of a file or folder name, and ** any number of folders.
func matches(pattern, name string) bool {
	return matchPath(strings.Split(pattern, "/"), strings.Split(name, "/"))
}

func matchPath(pattern, names []string) bool {
	switch {
	case len(pattern) == 0 || len(names) == 0:
		return len(pattern) == len(names)
	case pattern[0] != "**":
		return matchName(pattern[0], names[0]) && matchPath(pattern[1:], names[1:])
	}
	for i := range names {
		if matchPath(pattern[1:], names[i:]) {
			return true
		}
	}
	return len(pattern) == 1
}

func matchName(pattern, name string) bool {
	first, rest, hasStar := strings.Cut(pattern, "*")
	if !hasStar {
		return pattern == name
	}
	if !strings.HasPrefix(name, first) {
		return false
	}
	name = name[len(first):]
	for i := range len(name) + 1 {
		if matchName(rest, name[i:]) {
			return true
		}
	}
	return false
}

// source is the content of a list of files.
type source struct {
	layers    []system.Layer
	documents []*model.Document
	isNamed   map[*model.Document]bool // the list names the file directly
	skipped   []string                 // names of files without tokens in folders and patterns
}

// source reads the files of a list.
func (r *Reader) source(list []string, values map[string][]string) (*source, error) {
	groups, err := r.expand(list)
	if err != nil {
		return nil, err
	}
	var files []*model.File
	of := map[*model.File]int{} // index of the group
	for i, g := range groups {
		for _, name := range g.names {
			f, err := r.file(name)
			if err != nil {
				return nil, err
			}
			files, of[f] = append(files, f), i
		}
	}
	opened := map[*model.File]bool{}
	documents, err := r.read(files, form.Options{Values: values, Open: func(document *model.File, name string) (*model.File, error) {
		if !strings.HasPrefix(name, "/") {
			name = path.Join(path.Dir(document.Name), name)
		}
		f, err := r.file(path.Clean(name))
		opened[f] = true
		return f, err
	}})
	if err != nil {
		return nil, err
	}
	s := &source{layers: make([]system.Layer, len(groups)), isNamed: map[*model.Document]bool{}}
	hasOthers := map[int]bool{} // the group has tokens in a file that is not a stylesheet
	for _, d := range documents {
		hasOthers[of[d.Files[0]]] = hasOthers[of[d.Files[0]]] || holdsTokens(d) && d.Files[0].Syntax != syntax.CSS
	}
	for _, d := range documents {
		f := d.Files[0]
		i := of[f]
		g := groups[i]
		switch isSheet := f.Syntax == syntax.CSS; {
		case !g.isNamed && (!holdsTokens(d) || d.Form == form.Flat || g.isWhole && isSheet && hasOthers[i]):
			s.skipped = append(s.skipped, f.Name)
			continue
		case !g.isNamed && opened[f] && len(d.Files) == 1: // it is a part of a resolver document
			continue
		case !holdsTokens(d):
			return nil, &model.Error{What: f.Name + ": " + whyNoTokens(d), Next: "Name files that hold design tokens, or leave it out."}
		}
		s.documents, s.isNamed[d] = append(s.documents, d), g.isNamed
		s.layers[i] = append(s.layers[i], d)
	}
	if len(s.documents) == 0 {
		return nil, &model.Error{What: "no tokens in " + strings.Join(list, ", "), Next: "Name files that hold design tokens."}
	}
	s.layers = slices.DeleteFunc(s.layers, func(l system.Layer) bool { return len(l) == 0 })
	return s, nil
}

func holdsTokens(d *model.Document) bool { return len(d.Decls) > 0 || len(d.Problems) > 0 }

func whyNoTokens(d *model.Document) string {
	switch {
	case d.Form != "":
		return d.Form + " without tokens"
	case d.Files[0].Syntax == syntax.CSS:
		return "no custom properties"
	}
	return `not a token file (no "$value" or "value")`
}

// laidOver returns the layers of all sources in order, and the index of the source for each layer. If several sources contain the same
// file, only the last of them keeps it.
func laidOver(sources ...*source) (layers []system.Layer, of []int) {
	for i, s := range sources {
		isLater := func(d *model.Document) bool {
			return slices.ContainsFunc(sources[i+1:], func(later *source) bool {
				return slices.ContainsFunc(later.documents, func(other *model.Document) bool { return other.Files[0] == d.Files[0] })
			})
		}
		for _, layer := range s.layers {
			if layer = slices.DeleteFunc(slices.Clone(layer), isLater); len(layer) > 0 {
				layers, of = append(layers, layer), append(of, i)
			}
		}
	}
	return layers, of
}
