package js

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/livery/renderer"
	"example.com/livery/renderer/jsontree"
)

// source is one Theme with one Variant.
type source struct {
	Name      string `json:"name"`
	Theme     string `json:"theme"`
	Overrides string `json:"overrides"`
	Prefix    string `json:"prefix"`
}

// blobs is what comes of one file of a source.
type blobs struct {
	plan, overlay []byte
	alone         []byte // the file of the Theme
	variant       []byte // the file with the overrides
}

// native returns what this machine makes of s, by file.
func (s source) native(t testing.TB) (all [renderer.FileCount]blobs) {
	t.Helper()
	theme := parse(t, s.Theme)
	var overrides *jsontree.Node
	if s.Overrides != "" {
		overrides = parse(t, s.Overrides)
	}
	compiled := renderer.Compile(theme, s.Prefix)
	laid := compiled.Load(overrides)
	alone, variant := renderer.LoadTree(theme, nil, s.Prefix), renderer.LoadTree(theme, overrides, s.Prefix)
	for f := range renderer.File(renderer.FileCount) {
		all[f] = blobs{compiled.Plan(f), compiled.Overlay(laid, f), alone.Append(nil, f), variant.Append(nil, f)}
	}
	return all
}

func parse(t testing.TB, text string) *jsontree.Node {
	t.Helper()
	node, err := jsontree.Parse(text)
	if err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	return node
}

// corpus returns every document of the shared corpus, alone and with each of its Variants.
func corpus(t testing.TB) (sources []source) {
	dir := filepath.Join(root, "..", "shared", "corpus")
	paths, _ := filepath.Glob(filepath.Join(dir, "*.tokens.json"))
	if len(paths) == 0 {
		t.Skipf("NOT PROVEN: the shared corpus %s is not there, so that no document of the wild is compared", dir)
	}
	for _, path := range paths {
		s := source{Name: filepath.Base(path), Theme: string(readFile(t, path)), Prefix: "lv"}
		sources = append(sources, s)
		variants, _ := filepath.Glob(strings.TrimSuffix(path, ".tokens.json") + ".variant-*.json")
		for _, variant := range variants {
			sources = append(sources, source{filepath.Base(variant), s.Theme, string(readFile(t, variant)), ""})
		}
	}
	return sources
}

// golden returns the renderer's golden cases.
func golden(t testing.TB) (sources []source) {
	paths, _ := filepath.Glob(filepath.Join(root, "renderer", "testdata", "*", "theme.json"))
	if len(paths) == 0 {
		t.Fatal("the renderer has no golden cases")
	}
	for _, path := range paths {
		folder := filepath.Dir(path)
		sources = append(sources, source{
			Name:      filepath.Base(folder),
			Theme:     string(readFile(t, path)),
			Overrides: optional(t, filepath.Join(folder, "variant.json")),
			Prefix:    strings.TrimSpace(optional(t, filepath.Join(folder, "prefix.txt"))),
		})
	}
	return sources
}

// optional reads a file that need not be there.
func optional(t testing.TB, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(content)
}
