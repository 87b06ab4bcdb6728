package modes

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// The bounds of a list.
const (
	MaxDimensions = 4
	MaxModes      = 16   // of all dimensions together, however many brands have them
	MaxEntries    = 1000 // those for brands counted
)

// Conditions are the media conditions that a mode may have.
var Conditions = []string{
	"(prefers-color-scheme: dark)", "(prefers-color-scheme: light)",
	"(prefers-contrast: more)", "(prefers-contrast: less)", "(prefers-contrast: custom)",
	"(prefers-reduced-motion: reduce)", "(forced-colors: active)", "print",
}

// nameForm is the grammar of the names of dimensions and modes. None of its characters has a meaning in a query, in CSS or
// in HTML.
var nameForm = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// Body is a Theme's modes as the API shows them.
type Body struct {
	Modes []Entry `json:"modes"`
}

// Entry is one entry of the list as the API shows it.
type Entry struct {
	Dimension string  `json:"dimension"`
	Mode      string  `json:"mode"`
	Variant   *string `json:"variant"` // null: the mode overrides nothing
	When      string  `json:"when,omitzero"`
	For       string  `json:"for,omitzero"`
}

// NewBody returns a list as the API shows it.
func NewBody(list []record.Mode) Body {
	b := Body{Modes: []Entry{}}
	for _, m := range list {
		e := Entry{Dimension: m.Dimension, Mode: m.Mode, When: m.When, For: m.For}
		if m.Variant != "" {
			e.Variant = &m.Variant
		}
		b.Modes = append(b.Modes, e)
	}
	return b
}

// Parse reads the body of a request that replaces the list, and says everything that is wrong with it but for Variants
// that the Theme does not have. An empty list is nil.
func Parse(root *jsontree.Node) (list []record.Mode, faults []string) {
	n := root.Find("modes")
	switch {
	case n == nil || n.Kind != jsontree.Array:
		return nil, []string{"modes: must be a list of objects with dimension, mode and variant; [] removes all modes"}
	case len(n.Items()) > MaxEntries:
		return nil, []string{fmt.Sprintf("modes: may hold %d entries, not %d; leave out brands for which a mode is as for all others", MaxEntries, len(n.Items()))}
	}
	for i, item := range n.Items() {
		m, what := entry(item)
		for _, w := range what {
			faults = append(faults, fmt.Sprintf("modes[%d]: %s", i, w))
		}
		list = append(list, m)
	}
	if len(faults) == 0 {
		faults = check(list)
	}
	return list, faults
}

// entry reads one entry, and says what is wrong with it on its own.
func entry(n *jsontree.Node) (m record.Mode, faults []string) {
	if !n.IsObject() {
		return m, []string{"must be an object with dimension, mode and variant"}
	}
	fault := func(format string, values ...any) { faults = append(faults, fmt.Sprintf(format, values...)) }
	text := func(name string) (value string, isText bool) {
		member := n.Find(name)
		if !member.IsString() {
			return "", member == nil || member.Kind == jsontree.Null
		}
		return member.Text, true
	}
	name := func(member, example string) string {
		value, _ := text(member)
		if !nameForm.MatchString(value) {
			fault("%s: must be 1 to 32 of a-z, 0-9 and -, first a letter, for example %s", member, example)
		}
		return value
	}
	m.Dimension, m.Mode = name("dimension", "scheme"), name("mode", "dark")
	var ok bool
	if m.Variant, ok = text("variant"); !ok || n.Find("variant") == nil || n.Find("variant").IsString() && m.Variant == "" {
		fault("variant: must be the id of a Variant of this Theme, or null for a mode that overrides nothing")
	}
	if m.When, ok = text("when"); !ok || m.When != "" && !slices.Contains(Conditions, m.When) || n.Find("when").IsString() && m.When == "" {
		fault("when: must be one of %s; leave it out if only an attribute selects the mode", strings.Join(Conditions, ", "))
	}
	if m.For, ok = text("for"); !ok || n.Find("for").IsString() && m.For == "" {
		fault("for: must be the id of a Variant of this Theme; leave it out if the mode is for all of them")
	}
	return m, faults
}

// check says what is wrong with entries that are right on their own.
func check(list []record.Mode) (faults []string) {
	first := map[[2]string]int{} // entry of a dimension and a mode
	seen := map[[3]string]int{}
	dimensions := map[string]bool{}
	for i, m := range list {
		mode, key := [2]string{m.Dimension, m.Mode}, [3]string{m.Dimension, m.Mode, m.For}
		dimensions[m.Dimension] = true
		if k, twice := seen[key]; twice {
			faults = append(faults, fmt.Sprintf("modes[%d]: %s.%s stands at modes[%d] already%s; keep one of the two", i, m.Dimension, m.Mode, k, brandOf(m)))
			continue
		}
		seen[key] = i
		k, known := first[mode]
		switch {
		case !known:
			first[mode] = i
		case list[k].When != m.When:
			faults = append(faults, fmt.Sprintf("modes[%d]: when: differs from that of modes[%d]; all entries of %s.%s must have the same", i, k, m.Dimension, m.Mode))
		}
	}
	if len(dimensions) > MaxDimensions {
		faults = append(faults, fmt.Sprintf("modes: a Theme may have %d dimensions, not %d; make a Variant of one of them", MaxDimensions, len(dimensions)))
	}
	if len(first) > MaxModes {
		faults = append(faults, fmt.Sprintf("modes: a Theme may have %d modes, not %d; make Variants of some of them", MaxModes, len(first)))
	}
	return faults
}

func brandOf(m record.Mode) string {
	if m.For == "" {
		return ""
	}
	return " for " + m.For
}

// Describe returns a list in one line, for logs.
func Describe(list []record.Mode) string {
	if len(list) == 0 {
		return "none"
	}
	var all []string
	for _, m := range list {
		text := m.Dimension + "." + m.Mode
		if m.Variant != "" {
			text += "=" + m.Variant
		}
		if m.When != "" {
			text += " when " + m.When
		}
		all = append(all, text+brandOf(m))
	}
	return strings.Join(all, ", ")
}
