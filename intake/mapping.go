// Package intake reads token files into what a push sends: the document of a Theme and the overrides of its Variants. A Mapping,
// which livery.yaml holds, says which files these are and which declared mode becomes which Variant. The package reads no folder
// and prints nothing: callers give it the files.
package intake

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/livery/intake/model"
	"example.com/livery/internal/yamlfile"
	"example.com/livery/spelling"
)

// MappingName is the name of the file that holds the mapping of a folder. It is never read as tokens.
const MappingName = "livery.yaml"

// Mapping says which token files are a Theme and its Variants. Names of files are relative to the file of the mapping, with slashes.
type Mapping struct {
	Theme        string              `json:"theme"` // slug or id
	Environment  string              `json:"environment"`
	Name         string              `json:"name"`         // the display name of a new Theme
	Integrations []string            `json:"integrations"` // of a new Theme, each FRAMEWORK/LIBRARY
	Files        yamlfile.Texts      `json:"files"`        // files, folders, patterns with * and **, and with a ! in front what these leave out
	Select       Select              `json:"select"`       // modes of the Theme that are not the defaults of the files
	Values       map[string][]string `json:"values"`       // by dimension, the members of value objects that are modes
	Ignore       []Select            `json:"ignore"`       // declared modes that are not to be reported
	Variants     []Variant           `json:"variants"`     // in the order of the file

	Comments []string // of Files, for Encode

	choices  []string           // DIM=NAME of a command line
	document *yamlfile.Document // nil if the mapping was not read from a file
}

// Variant says of what a Variant is read, and which mode of the Theme it is.
type Variant struct {
	Slug   string         `yaml:"key"`
	Name   string         `json:"name"` // the display name of a new Variant; empty: the slug
	Files  yamlfile.Texts `json:"files"`
	Select Select         `json:"select"`
	Mode   string         `json:"mode"` // DIMENSION.MODE; empty if the Variant is no mode
	When   string         `json:"when"` // media condition of the mode
	For    string         `json:"for"`  // slug of the Variant that has this Variant as its own mode

	Comment string // for Encode
}

// Select names modes that files declare.
type Select struct {
	Figma    map[string]string `json:"figma"`    // collection: mode
	Studio   map[string]string `json:"studio"`   // group: theme
	Resolver map[string]string `json:"resolver"` // modifier: context
	CSS      yamlfile.Texts    `json:"css"`      // selectors, and media conditions with "@media" in front
	Value    map[string]string `json:"value"`    // dimension: member
}

// The bounds and names that the API has for modes.
const (
	maxDimensions = 4
	maxModes      = 16
)

var (
	modeName   = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)
	slugForm   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	conditions = []string{
		"(prefers-color-scheme: dark)", "(prefers-color-scheme: light)",
		"(prefers-contrast: more)", "(prefers-contrast: less)", "(prefers-contrast: custom)",
		"(prefers-reduced-motion: reduce)", "(forced-colors: active)", "print",
	}
	usualConditions = map[string]string{"scheme.dark": conditions[0], "contrast.more": conditions[2]}
)

// ParseMapping reads the text of a mapping. An error is a *yamlfile.Error with the line.
func ParseMapping(name string, text []byte) (*Mapping, error) {
	document, err := yamlfile.Parse(name, text)
	if err != nil {
		return nil, err
	}
	m := &Mapping{document: document}
	if err := document.Decode(m); err != nil {
		return nil, err
	}
	return m, m.check()
}

// FromArguments returns the mapping of files and choices on a command line, each choice DIMENSION=MODE.
func FromArguments(files, choices []string) *Mapping { return &Mapping{Files: files, choices: choices} }

// fail returns an error at a member of the file of the mapping.
func (m *Mapping) fail(at []string, next, format string, args ...any) error {
	if m.document == nil {
		return &model.Error{What: fmt.Sprintf(format, args...), Next: next}
	}
	return m.document.FailAt(at, next, format, args...)
}

// check returns the first fault of a mapping that is known without its files.
func (m *Mapping) check() error {
	if len(m.Files) == 0 {
		return m.fail([]string{"files"}, "Name the token files of the Theme: files: [tokens.json].", "no files are named")
	}
	dimensions, entries, whens := map[string]bool{}, map[[2]string]string{}, map[string]string{}
	for _, v := range m.Variants {
		at := []string{"variants", v.Slug}
		if !slugForm.MatchString(v.Slug) {
			return m.fail(at, "Use letters, digits, -, _ and ., first a letter or digit, at most 64.", "%q is no slug of a Variant", v.Slug)
		}
		if v.Mode == "" {
			if v.When != "" || v.For != "" {
				return m.fail(at, "Add mode: DIMENSION.MODE.", "when and for belong to a mode, and %s names none", v.Slug)
			}
			continue
		}
		dimension, mode := v.DimensionMode()
		if !modeName.MatchString(dimension) || !modeName.MatchString(mode) {
			return m.fail(append(at, "mode"), "Write DIMENSION.MODE, each 1 to 32 of a-z, 0-9 and -, first a letter, as scheme.dark.", "%q is no mode", v.Mode)
		}
		if v.When != "" && !slices.Contains(conditions, v.When) {
			return m.fail(append(at, "when"), didYouMean(v.When, conditions), "%q is no media condition of a mode", v.When)
		}
		switch brand := m.variant(v.For); {
		case v.For == "":
		case brand == nil:
			return m.fail(append(at, "for"), didYouMean(v.For, m.slugs()), "there is no Variant %s", v.For)
		case brand.For != "":
			return m.fail(append(at, "for"), "Name the Variant of a brand.", "%s is itself a mode for %s", v.For, brand.For)
		}
		if other, twice := entries[[2]string{v.Mode, v.For}]; twice {
			return m.fail(append(at, "mode"), "Keep one of the two, or give one of them for: VARIANT.", "%s is %s too", other, v.Mode)
		}
		if when, known := whens[v.Mode]; known && when != v.Condition() {
			return m.fail(append(at, "when"), "Give all of them the same.", "the Variants of %s have several conditions", v.Mode)
		}
		dimensions[dimension], entries[[2]string{v.Mode, v.For}], whens[v.Mode] = true, v.Slug, v.Condition()
	}
	switch {
	case len(dimensions) > maxDimensions:
		return m.fail([]string{"variants"}, "Leave mode out of the Variants of one of them.", "a Theme has at most %d dimensions, and these are %d", maxDimensions, len(dimensions))
	case len(whens) > maxModes:
		return m.fail([]string{"variants"}, "Leave mode out of some Variants.", "a Theme has at most %d modes, and these are %d", maxModes, len(whens))
	}
	return nil
}

// Condition returns the media condition of a mode, empty if only an attribute selects the mode.
func (v *Variant) Condition() string { return cmp.Or(v.When, usualConditions[v.Mode]) }

// DimensionMode returns the parts of Mode.
func (v *Variant) DimensionMode() (dimension, mode string) {
	dimension, mode, _ = strings.Cut(v.Mode, ".")
	return dimension, mode
}

// variant returns the Variant of a slug, or nil.
func (m *Mapping) variant(slug string) *Variant {
	i := slices.IndexFunc(m.Variants, func(v Variant) bool { return v.Slug == slug })
	if i < 0 {
		return nil
	}
	return &m.Variants[i]
}

// general returns the Variant that has the same mode as v for all, if v has it for one; else nil.
func (m *Mapping) general(v *Variant) *Variant {
	i := slices.IndexFunc(m.Variants, func(other Variant) bool { return other.Mode == v.Mode && other.For == "" })
	if v.For == "" || i < 0 {
		return nil
	}
	return &m.Variants[i]
}

func (m *Mapping) slugs() (slugs []string) {
	for _, v := range m.Variants {
		slugs = append(slugs, v.Slug)
	}
	return slugs
}

// didYouMean is a hint with the nearest of some names, or with all of them.
func didYouMean(name string, known []string) string {
	if near := spelling.Nearest(name, known); near != "" {
		return "Did you mean " + near + "?"
	}
	if len(known) == 0 {
		return "Remove it."
	}
	return "There are " + strings.Join(known, ", ") + "."
}
