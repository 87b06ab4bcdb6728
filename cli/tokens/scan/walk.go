package scan

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// pattern is a line of a .gitignore.
type pattern struct {
	glob       string
	negated    bool
	onlyFolder bool
}

// ignore is what a .gitignore says of the folder that it stands in.
type ignore struct {
	folder   string // "." is the root
	patterns []pattern
}

// ignored reports whether the last pattern that matches a path leaves it out.
func ignored(files []ignore, name string, isFolder bool) bool {
	for _, file := range slices.Backward(files) {
		inside := name
		if file.folder != "." {
			inside = strings.TrimPrefix(name, file.folder+"/")
		}
		for _, p := range slices.Backward(file.patterns) {
			if (isFolder || !p.onlyFolder) && doublestar.MatchUnvalidated(p.glob, inside) {
				return !p.negated
			}
		}
	}
	return false
}

// parseIgnore reads the lines of a .gitignore.
func parseIgnore(folder string, text []byte) ignore {
	file := ignore{folder: folder}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		line := strings.TrimRight(lines.Text(), " \t\r")
		if line == "" || line[0] == '#' {
			continue
		}
		var p pattern
		line, p.negated = strings.CutPrefix(line, "!")
		line, p.onlyFolder = strings.CutSuffix(line, "/")
		if rest, anchored := strings.CutPrefix(line, "/"); anchored || strings.Contains(line, "/") {
			p.glob = rest
		} else {
			p.glob = "**/" + line
		}
		p.glob = strings.NewReplacer("{", `\{`, "}", `\}`).Replace(p.glob) // braces are letters to git
		if doublestar.ValidatePattern(p.glob) {
			file.patterns = append(file.patterns, p)
		}
	}
	return file
}

// walker finds the files that are read.
type walker struct {
	fsys    fs.FS
	exclude []ignore
	each    func(path string)
	failed  func(path string, err error)
}

// walk calls each with the files below start that have a form, in order, and failed with folders that cannot be read.
func walk(fsys fs.FS, start string, exclude []string, each func(string), failed func(string, error)) error {
	w := walker{fsys, []ignore{parseIgnore(".", []byte(strings.Join(exclude, "\n")))}, each, failed}
	info, err := fs.Stat(fsys, start)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		each(start)
		return nil
	}
	var files []ignore
	if start != "." {
		files = w.withIgnore(files, ".")
	}
	for i, b := range start {
		if b == '/' {
			files = w.withIgnore(files, start[:i])
		}
	}
	w.folder(start, files)
	return nil
}

// withIgnore returns files with the .gitignore of a folder, if it has one.
func (w *walker) withIgnore(files []ignore, folder string) []ignore {
	text, err := fs.ReadFile(w.fsys, path.Join(folder, ".gitignore"))
	if err != nil {
		return files
	}
	return append(slices.Clip(files), parseIgnore(folder, text))
}

func (w *walker) folder(folder string, files []ignore) {
	entries, err := fs.ReadDir(w.fsys, folder)
	if err != nil {
		w.failed(folder, err)
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ".gitignore" }) {
		files = w.withIgnore(files, folder)
	}
	for _, e := range entries {
		name := path.Join(folder, e.Name())
		_, isRead := formOf(name)
		switch {
		case !e.IsDir() && !(isRead && e.Type().IsRegular()) || e.Name() == ".git" || e.Name() == "node_modules":
		case ignored(w.exclude, name, e.IsDir()) || ignored(files, name, e.IsDir()):
		case !fs.ValidPath(name):
			w.failed(name, errors.New("its name is not UTF-8"))
		case e.IsDir():
			w.folder(name, files)
		default:
			w.each(name)
		}
	}
}
