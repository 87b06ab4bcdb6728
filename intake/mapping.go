// Package intake reads token files. It returns the document of a Theme and the overrides of its Variants. A Mapping describes which files
// and which declared modes are part of the Theme and of each Variant; the file livery.yaml holds it. The package does not access the file
// system: the caller implements Files.
package intake

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/livery/intake/model"
	"example.com/livery/internal/spelling"
	"example.com/livery/internal/yamlfile"
)

// MappingName is the name of the file that holds a mapping. A Reader never reads it as a token file.
const MappingName = "livery.yaml"

// Mapping describes the Theme and the Variants in a set of token files. File names use slashes and are relative to the file that holds
// the mapping.
type Mapping struct {
	Theme        string              `json:"theme"` // slug or id
	Environment  string              `json:"environment"`
	Name         string              `json:"name"`         // display name for a new Theme
	Integrations []string            `json:"integrations"` // for a new Theme, in the form FRAMEWORK/LIBRARY
	Files        yamlfile.Texts      `json:"files"`        // files, folders and patterns with * and **; with a ! in front, exclusions from folders and patterns
	Select       Select              `json:"select"`       // modes of the Theme, if they differ from the defaults in the files
	Values       map[string][]string `json:"values"`       // dimension to the members of value objects that are its modes
	Ignore       []Select            `json:"ignore"`       // declared modes that the plan does not report as unsent
	Variants     []Variant           `json:"variants"`     // in the order of the file

	Comments []string // written above files by Encode

	choices  []string           // DIMENSION=MODE, from the command line
	document *yamlfile.Document // nil if the mapping is not from a file
}

// Variant describes the files and modes of a Variant, and the mode of the Theme that uses it.
type Variant struct {
	Slug   string         `yaml:"key"`
	Name   string         `json:"name"` // display name for a new Variant; the default is the slug
	Files  yamlfile.Texts `json:"files"`
	Select Select         `json:"select"`
	Mode   string         `json:"mode"` // DIMENSION.MODE; empty if the Variant is not a mode
	When   string         `json:"when"` // media condition of the mode; see Condition for the default
	For    string         `json:"for"`  // slug of the Variant of a brand, if the mode is only for this brand

	Comment string // written after the Variant by Encode
}

// Select is a set of declared modes.
type Select struct {
	Figma    map[string]string `json:"figma"`    // collection: mode
	Studio   map[string]string `json:"studio"`   // group: theme
	Resolver map[string]string `json:"resolver"` // modifier: context
	CSS      yamlfile.Texts    `json:"css"`      // selectors, and media conditions that start with @media
	Value    map[string]string `json:"value"`    // dimension: member
}

// Limits of the API for modes. A test compares them with package origin/modes.
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

// ParseMapping parses and checks a mapping. It returns a *yamlfile.Error with the position in the file.
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

// FromArguments returns a mapping without Variants for the files and the modes on a command line. A mode has the form DIMENSION=MODE.
func FromArguments(files, choices []string) *Mapping { return &Mapping{Files: files, choices: choices} }

// fail returns an error for a member of the mapping, with the position in its file.
func (m *Mapping) fail(at []string, next, format string, args ...any) error {
	if m.document == nil {
		return &model.Error{What: fmt.Sprintf(format, args...), Next: next}
	}
	return m.document.FailAt(at, next, format, args...)
}

// check returns an error for the first invalid member that it finds without reading the token files.
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

// Condition returns the media condition of the mode. It is empty if only an attribute selects the mode.
func (v *Variant) Condition() string { return cmp.Or(v.When, usualConditions[v.Mode]) }

// DimensionMode splits Mode into the dimension and the mode.
func (v *Variant) DimensionMode() (dimension, mode string) {
	dimension, mode, _ = strings.Cut(v.Mode, ".")
	return dimension, mode
}

// variant returns the Variant with a slug, or nil.
func (m *Mapping) variant(slug string) *Variant {
	i := slices.IndexFunc(m.Variants, func(v Variant) bool { return v.Slug == slug })
	if i < 0 {
		return nil
	}
	return &m.Variants[i]
}

// general returns the Variant with the same mode for all brands if v is the mode of one brand. Otherwise it returns nil.
func (m *Mapping) general(v *Variant) *Variant {
	i := slices.IndexFunc(m.Variants, func(other Variant) bool { return other.Mode == v.Mode && other.For == "" })
	if v.For == "" || i < 0 {
		return nil
	}
	return &m.Variants[i]
}

// EveryFile returns the entries of all lists of files, of the Theme and of the Variants.
func (m *Mapping) EveryFile() []string {
	all := slices.Clone(m.Files)
	for _, v := range m.Variants {
		all = append(all, v.Files...)
	}
	return all
}

func (m *Mapping) slugs() (slugs []string) {
	for _, v := range m.Variants {
		slugs = append(slugs, v.Slug)
	}
	return slugs
}

// didYouMean returns a hint with the known name that is most similar to name, or with all known names.
func didYouMean(name string, known []string) string {
	if near := spelling.Nearest(name, known); near != "" {
		return "Did you mean " + near + "?"
	}
	if len(known) == 0 {
		return "Remove it."
	}
	return "There are " + strings.Join(known, ", ") + "."
}
