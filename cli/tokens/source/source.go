// Package source reads the token files of a command, those that the command line names or those of livery.yaml, and says what is wrong with
// them.
package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/intake"
	"example.com/livery/intake/model"
	"example.com/livery/renderer/jsontree"
)

// Flags say how files are read.
type Flags struct {
	Modes []string // DIMENSION=NAME
}

// Add gives a command the flags.
func (f *Flags) Add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.Modes, "mode", nil, "`DIMENSION=NAME` of a mode to read in place of the default; may be repeated")
}

// Source is what token files say.
type Source struct {
	*intake.Plan
	Mapping *intake.Mapping
	Mapped  bool // by livery.yaml

	read *folder
	seen string // fingerprint of the files when they were read
}

// Read reads files, or without any those of livery.yaml in the working directory.
func Read(a *term.App, files []string, f Flags) (*Source, error) {
	mapping, mapped, err := readMapping(files, f)
	if err != nil {
		return nil, err
	}
	read := newFolder(a, mapping.EveryFile())
	reader := intake.NewReader(read)
	bar := a.ProgressBar("reading", 1+len(mapping.Variants))
	reader.Progress = func(_, _ int) { bar.Step() }
	plan, err := reader.Read(mapping)
	bar.Done()
	if conflict, ok := errors.AsType[*intake.Conflict](err); ok {
		return nil, explainConflict(a, reader, mapping, conflict)
	}
	s := &Source{Plan: plan, Mapping: mapping, Mapped: mapped, read: read}
	s.seen = s.fingerprint()
	return s, err
}

// Part is what the files give the Theme or one Variant.
type Part struct {
	*intake.Variant                // nil for the Theme
	Tree            *jsontree.Node // a document, or a flat map of overrides
	Lost            []Dropped      // declarations that no part has; of the first part only

	Locate func(at string) string // file and line of a dotted path or JSON Pointer; empty if no file has it
}

// Parts returns what the files give the Theme and its Variants, the Theme first; or if a Variant is named, what they give it. Files that the
// command line names give the Theme or the Variant all they hold.
func (s *Source) Parts(variant string) (parts []Part, err error) {
	if variant == "" {
		parts = append(parts, Part{Tree: s.Theme.Tree, Locate: s.ThemeLocation})
	} else if !s.Mapped {
		parts = append(parts, Part{Variant: &intake.Variant{Slug: variant}, Tree: changeset.Flat(s.Theme.Tree), Locate: s.ThemeLocation})
	}
	for i := range s.Variants {
		if v := &s.Variants[i]; variant == "" || variant == v.Slug {
			parts = append(parts, Part{Variant: &v.Variant, Tree: v.Values, Locate: func(path string) string { return v.Places[path].String() }})
		}
	}
	if len(parts) == 0 {
		return nil, target.NotFound("Variant", variant, " in "+intake.MappingName, s.Slugs())
	}
	parts[0].Lost = s.Lost()
	return parts, nil
}

// Slugs lists the Variants of livery.yaml.
func (s *Source) Slugs() (slugs []string) {
	for _, v := range s.Variants {
		slugs = append(slugs, v.Slug)
	}
	return slugs
}

// Propose returns the mapping of files that livery init writes.
func Propose(a *term.App, files []string) (*intake.Mapping, error) {
	for i, name := range files {
		files[i] = filepath.ToSlash(name)
	}
	return intake.NewReader(newFolder(a, files)).Propose(files)
}

// readMapping returns the mapping of files and choices on a command line, or that of livery.yaml.
func readMapping(files []string, f Flags) (m *intake.Mapping, mapped bool, err error) {
	if len(files) > 0 {
		for i, name := range files {
			files[i] = filepath.ToSlash(name)
		}
		return intake.FromArguments(files, f.Modes), false, nil
	}
	if len(f.Modes) > 0 {
		return nil, false, term.UsageError("Write select in "+intake.MappingName+".", "--mode chooses among modes of files that the command line names")
	}
	text, err := os.ReadFile(intake.MappingName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, term.UsageError("Name token files, or write livery.yaml with livery init FILES.", "no files are named, and this folder has no %s", intake.MappingName)
	}
	if err != nil {
		return nil, false, err
	}
	m, err = intake.ParseMapping(intake.MappingName, text)
	return m, true, err
}

// Target fills in the Theme and the Environment that the flags of a command leave out, from livery.yaml.
func Target(command string, p *target.Target) error {
	if p.Theme == "" || p.Env == "" {
		text, err := os.ReadFile(intake.MappingName)
		m := &intake.Mapping{}
		if err == nil {
			m, err = intake.ParseMapping(intake.MappingName, text)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		p.Theme, p.Env = cmp.Or(p.Theme, m.Theme), cmp.Or(p.Env, m.Environment)
	}
	if p.Theme == "" {
		return term.UsageError("See livery "+command+" --help.", "livery %s needs --theme, or a %s that names the Theme", command, intake.MappingName)
	}
	return nil
}

// explainConflict prints which files give tokens different values, and the mapping that livery init would write.
func explainConflict(a *term.App, r *intake.Reader, m *intake.Mapping, conflict *intake.Conflict) error {
	f := term.Fail(conflict.Hint(), "nothing is sent: files without an order give tokens different values")
	for _, pair := range conflict.Pairs {
		f.Faults = append(f.Faults, pair.String())
	}
	f.Sentence += ":"
	proposal, err := r.Propose(m.Files)
	if err != nil {
		return f
	}
	a.Warn("livery init %s would write:", strings.Join(m.Files, " "))
	for line := range strings.Lines(string(proposal.Encode())) {
		a.Warn("  %s", strings.TrimRight(line, "\n"))
	}
	return f
}

// folder implements intake.Files with the files of this machine. Names are relative to the working directory.
type folder struct {
	app    *term.App
	roots  []string // folders without links in their paths; only files in them are opened
	opened map[string]bool
	listed []string
}

// newFolder returns a folder that opens files in the working directory, in the named folders, and beside the named files.
func newFolder(a *term.App, named []string) *folder {
	f := &folder{app: a, opened: map[string]bool{}}
	for _, name := range append([]string{"."}, named...) {
		before, _, isPattern := strings.Cut(strings.TrimPrefix(name, "!"), "*")
		path := filepath.FromSlash(before)
		if info, err := os.Stat(path); isPattern || err != nil || !info.IsDir() {
			f.addRoot(filepath.Dir(path))
		}
		f.addRoot(path)
	}
	return f
}

func (f *folder) addRoot(path string) {
	if real, err := realPath(path); err == nil {
		f.roots = append(f.roots, real)
	}
}

// realPath returns the absolute path of a file without links.
func realPath(path string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// isInside reports whether a file lies in one of the roots. A file that does not exist does.
func (f *folder) isInside(name string) bool {
	real, err := realPath(filepath.FromSlash(name))
	return err != nil || slices.ContainsFunc(f.roots, func(root string) bool {
		return real == root || strings.HasPrefix(real, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator))
	})
}

// Open returns the text of a file, without a byte order mark.
func (f *folder) Open(name string) ([]byte, error) {
	f.opened[name] = true
	if !term.IsStream(name) && !f.isInside(name) {
		return nil, &model.Error{What: name + " leads out of the folders that are read", Next: "Name it, or its folder, to read it."}
	}
	if err := refuseFile(name); err != nil {
		return nil, err
	}
	data, err := f.app.ReadFile(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if err := refuseText(name, text); err != nil {
		return nil, err
	}
	if !utf8.ValidString(text) {
		at := strings.IndexRune(strings.ToValidUTF8(text, "\ufffd"), '\ufffd')
		line := 1 + strings.Count(text[:max(at, 0)], "\n")
		return nil, term.Fail("Save it as UTF-8: it is likely in Latin-1 or Windows-1252.", "%s:%d: the file is not text in UTF-8", name, line)
	}
	return []byte(text), nil
}

// List lists the files of a folder and of the folders in it, without hidden ones and node_modules.
func (f *folder) List(name string) (names []string, err error) {
	info, err := os.Stat(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "list", Path: name, Err: errors.New("not a folder")}
	}
	if !slices.Contains(f.listed, name) {
		f.listed = append(f.listed, name)
	}
	err = fs.WalkDir(os.DirFS(filepath.FromSlash(name)), ".", func(inside string, entry fs.DirEntry, err error) error {
		isHidden := inside != "." && strings.HasPrefix(entry.Name(), ".") || entry.Name() == "node_modules"
		switch {
		case err != nil:
			return err
		case isHidden && entry.IsDir():
			return fs.SkipDir
		case !isHidden && !entry.IsDir():
			names = append(names, path.Join(name, inside))
		}
		return nil
	})
	return names, err
}

// watchPause is how often Changed looks at the files.
const watchPause = 200 * time.Millisecond

// Changed waits until a file that was read has changed, or the list of files of a folder. It returns false if ctx ends before.
func (s *Source) Changed(ctx context.Context) bool {
	tick := time.NewTicker(watchPause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		if now := s.fingerprint(); now != s.seen {
			s.seen = now
			return true
		}
	}
}

// fingerprint changes whenever a file that was read does, or the list of files of a folder.
func (s *Source) fingerprint() string {
	names := term.Keys(s.read.opened)
	if s.Mapped {
		names = append(names, intake.MappingName)
	}
	for _, folder := range slices.Clone(s.read.listed) {
		files, _ := s.read.List(folder)
		names = append(names, files...)
	}
	var b strings.Builder
	for _, name := range names {
		if info, err := os.Stat(filepath.FromSlash(name)); err == nil {
			fmt.Fprintln(&b, name, info.ModTime(), info.Size())
		}
	}
	return b.String()
}

// ThemeLocation returns the file and line of what a dotted path or JSON Pointer leads to in the document of the Theme; "" if no file has it.
func (s *Source) ThemeLocation(at string) string {
	if strings.HasPrefix(at, "/") {
		return s.Theme.Place(at).String()
	}
	return s.Theme.PlaceOf(at).String()
}
