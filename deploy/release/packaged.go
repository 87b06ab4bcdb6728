package main

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

// unreleased is the version that sources say which a release fills in.
const unreleased = "0.0.0-unreleased"

// substituted returns the files below dir with each old text replaced by the new one after it.
func substituted(dir, prefix string, oldNew ...string) ([]file, error) {
	files, err := tree(dir, prefix)
	replacer := strings.NewReplacer(oldNew...)
	for i := range files {
		files[i].content = []byte(replacer.Replace(string(files[i].content)))
	}
	return files, err
}

// writeChart writes the chart for Kubernetes, of which deploy/chart is the source.
func (r *release) writeChart(context.Context) error {
	files, err := substituted(filepath.Join(r.root, "deploy", "chart"), "livery/", unreleased, r.version)
	if err != nil {
		return err
	}
	return writeTarGz(filepath.Join(r.out, "livery-"+r.version+".tgz"), r.at, files)
}

// module is a package for npm: its name, and where its files are in the sources.
type module struct {
	name  string
	files map[string]string // name in the package -> path in the sources
	more  string            // matches files of the sources that keep their names; "": none
}

var modules = []module{
	{"livery-renderer", map[string]string{
		"package.json": "deploy/package/renderer/package.json", "README.md": "deploy/package/renderer/README.md", "LICENSE": "LICENSE",
		"livery.mjs": "wasm/livery.mjs", "livery.d.mts": "wasm/livery.d.mts", "renderer.wasm": "wasm/renderer.wasm",
	}, ""},
	{"livery-theme", map[string]string{"LICENSE": "LICENSE"}, "client/js/*"},
}

// writeModules writes the packages for npm, in the form of npm pack.
func (r *release) writeModules(context.Context) error {
	for _, m := range modules {
		paths := maps.Clone(m.files)
		more, err := fs.Glob(os.DirFS(r.root), m.more)
		if err != nil {
			return err
		}
		for _, path := range more {
			paths[filepath.Base(path)] = path
		}
		var files []file
		for name, path := range paths {
			content, err := os.ReadFile(filepath.Join(r.root, path))
			if err != nil {
				return err
			}
			if name == "package.json" {
				content = bytes.Replace(content, []byte(unreleased), []byte(r.version), 1)
			}
			files = append(files, file{name: "package/" + name, mode: 0o644, content: content})
		}
		if err := writeTarGz(filepath.Join(r.out, m.name+"-"+r.version+".tgz"), r.at, files); err != nil {
			return err
		}
	}
	return nil
}

// writeFormula writes the formula for Homebrew, which names the archives by the addresses that they will stand under.
func (r *release) writeFormula(context.Context) error {
	type archive struct{ Processor, URL, SHA256 string }
	type system struct {
		Name     string
		Archives []archive
	}
	values := struct {
		Version string
		Systems []system
	}{r.version, []system{{Name: "macos"}, {Name: "linux"}}}
	for i, name := range []string{"darwin", "linux"} {
		for processor, arch := range map[string]string{"intel": "amd64", "arm": "arm64"} {
			file := r.stem(target{name, arch}) + ".tar.gz"
			digest, err := digestOf(filepath.Join(r.out, file))
			if err != nil {
				return err
			}
			values.Systems[i].Archives = append(values.Systems[i].Archives, archive{processor, strings.TrimSuffix(r.baseURL, "/") + "/" + file, digest})
		}
		slices.SortFunc(values.Systems[i].Archives, func(a, b archive) int { return strings.Compare(a.Processor, b.Processor) })
	}
	formula, err := template.ParseFiles(filepath.Join(r.root, "deploy", "package", "livery.rb"))
	if err != nil {
		return err
	}
	return create(filepath.Join(r.out, "livery.rb"), func(w io.Writer) error { return formula.Execute(w, values) })
}
