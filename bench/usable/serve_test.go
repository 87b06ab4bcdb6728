package usable

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"example.com/livery/renderer"
)

// document is a Theme, or a Theme with a Variant, that is served for the libraries.
type document struct {
	name      string // of its folder and in the table
	theme     string // DTCG text
	overrides string // flat overrides; empty for the Theme alone
	prefix    string // of its custom properties; may be empty
}

// documents collects the sample Theme, the golden design system, the golden case of text that CSS rewrites, the documents of this folder and,
// if it is present, the corpus: each alone and with each of its Variants.
func (b *bench) documents() ([]document, error) {
	golden := "renderer/testdata/acorn-design-system"
	all, err := read(nil, "acorn", golden+"/theme.json", golden+"/variant.json", golden+"/prefix.txt")
	if err != nil {
		return nil, err
	}
	golden = "renderer/testdata/resolved-text"
	if all, err = read(all, "resolved-text", golden+"/theme.json", golden+"/variant.json", ""); err != nil {
		return nil, err
	}
	if all, err = read(all, "tidewater", "cli/serve/sample/tidewater.tokens.json", "cli/serve/sample/*.variant.json", ""); err != nil {
		return nil, err
	}
	for _, pattern := range []string{
		filepath.Join(b.folder, "documents", "*.tokens.json"),
		filepath.Join(b.shared, "corpus", "*.tokens.json"),
	} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			fmt.Fprintf(os.Stderr, "usable: NOT CHECKED: nothing matches %s\n", pattern)
		}
		for _, file := range files {
			base := strings.TrimSuffix(file, ".tokens.json")
			if all, err = read(all, filepath.Base(base), file, base+".variant-*.json", ""); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// read appends a Theme and each of the Variants that the pattern finds. prefixFile may be empty.
func read(dst []document, name, themeFile, variants, prefixFile string) ([]document, error) {
	theme, err := os.ReadFile(themeFile)
	if err != nil {
		return nil, err
	}
	prefix := ""
	if prefixFile != "" {
		text, err := os.ReadFile(prefixFile)
		if err != nil {
			return nil, err
		}
		prefix = strings.TrimSpace(string(text))
	}
	dst = append(dst, document{name, string(theme), "", prefix})
	files, err := filepath.Glob(variants)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		overrides, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		dst = append(dst, document{name + "+" + variantName(file), string(theme), string(overrides), prefix})
	}
	return dst, nil
}

// variantName takes dark from x.variant-dark.json, lantern from lantern.variant.json.
func variantName(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), ".json")
	if _, after, found := strings.Cut(name, ".variant-"); found {
		return after
	}
	return strings.TrimSuffix(name, ".variant")
}

// serve writes the five files to a folder, and beside them what a check needs to judge them: the
// Theme as it was given, the prefix, and the diagnostics.
func (d document) serve(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	set, err := renderer.Load(d.theme, d.overrides, d.prefix)
	if err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	for f := range renderer.File(renderer.FileCount) {
		if err := os.WriteFile(filepath.Join(folder, f.Name()), set.Append(nil, f), 0o644); err != nil {
			return err
		}
	}
	about := struct {
		Prefix      string              `json:"prefix"`
		Diagnostics map[string][]string `json:"diagnostics"` // by path of the token: its kinds
	}{d.prefix, map[string][]string{}}
	for _, x := range set.Diagnostics() {
		about.Diagnostics[x.Path] = append(about.Diagnostics[x.Path], x.Kind)
	}
	text, err := json.Marshal(about)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "about.json"), text, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "source.json"), []byte(d.theme), 0o644)
}
