package designsystem

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"example.com/livery/cli/tokenfile"
	"example.com/livery/origin/modes"
	"example.com/livery/renderer/jsontree"
)

// ThemeMode is an entry of the list of a Theme's modes. Variants are named by their slugs.
type ThemeMode struct {
	Dimension string `json:"dimension"`
	Mode      string `json:"mode"`
	Variant   string `json:"variant,omitempty"` // empty: the mode overrides nothing
	When      string `json:"when,omitempty"`    // empty: only an attribute selects the mode
	For       string `json:"for,omitempty"`     // a brand's Variant
}

// LeftOut is a dimension, or some modes of one, that stay Variants alone, and why.
type LeftOut struct {
	Dimension string
	Modes     []string
	Why       string
}

// Modes returns the list of modes that the dimensions of a design system are to the Theme, with the Variants of its
// plan, and what cannot be a mode. A mode that has no Variant in the plan is not in the list, but for the defaults.
func Modes(all []tokenfile.Dimension, plan []Variant) (list []ThemeMode, left []LeftOut) {
	m := modeList{plan: plan, all: all, names: map[string]bool{}}
	m.addAll()
	for _, v := range plan {
		if len(v.Of) > 0 {
			m.addFor(v)
		}
	}
	return m.list, m.left
}

// Faults says what the API would refuse of a list, but for Variants that the Theme does not have.
func Faults(list []ThemeMode) []string {
	entries := &jsontree.Node{Kind: jsontree.Array}
	for _, m := range list {
		entry := jsontree.NewObject(
			jsontree.Member{Name: "dimension", Value: jsontree.NewString(m.Dimension)},
			jsontree.Member{Name: "mode", Value: jsontree.NewString(m.Mode)},
			jsontree.Member{Name: "variant", Value: &jsontree.Node{}},
		)
		if m.Variant != "" {
			entry.Members[2].Value = jsontree.NewString(m.Variant)
		}
		for name, text := range map[string]string{"when": m.When, "for": m.For} {
			if text != "" {
				entry.Members = append(entry.Members, jsontree.Member{Name: name, Value: jsontree.NewString(text)})
			}
		}
		entries.AddItem(entry)
	}
	_, faults := modes.Parse(jsontree.NewObject(jsontree.Member{Name: "modes", Value: entries}))
	return faults
}

// part is a dimension of a Theme: modes of one dimension of the files. Where files name no dimension, its modes may be
// of several.
type part struct {
	name   string // as people say it
	source string // as the files spell it
	base   string // the default mode as people say it
	modes  []string
	hints  map[string]tokenfile.Hint
	why    string // it is not a dimension of modes; empty if it is one
	isRule bool   // its modes are selectors or conditions of a stylesheet, or several modes together
}

// partsOf returns the dimensions of a Theme that one of files is.
func partsOf(d tokenfile.Dimension) (parts []part) {
	for _, mode := range d.Modes[1:] {
		name := d.Name
		if name == "" {
			if name = nameOf(mode, d.Hints[mode]); name == "" && d.Hints == nil {
				name = kindOf(d.Modes[0]) // as Ocean of Light, Dark and Ocean
			}
		}
		isRule := d.Name == "" && mayBeBrands(name) && isRule(mode, d.Hints)
		i := slices.IndexFunc(parts, func(p part) bool { return p.name == name && p.isRule == isRule })
		if i < 0 {
			i, parts = len(parts), append(parts, part{name: name, source: d.Name, base: d.Modes[0], hints: d.Hints, isRule: isRule})
		}
		parts[i].modes = append(parts[i].modes, mode)
	}
	for i := range parts {
		p := &parts[i]
		p.why = p.refusal()
		if p.base == "" || d.Name == "" && kindOf(p.base) != p.name {
			p.base = p.oppositeBase()
		}
	}
	return parts
}

// mayBeBrands reports whether the name of a dimension does not tell whether it is one of modes.
func mayBeBrands(name string) bool {
	return name == "" || strings.EqualFold(name, "theme") || strings.EqualFold(name, "themes")
}

// isRule reports whether a mode is called as a selector or a condition is written, or is several modes together.
func isRule(mode string, hints map[string]tokenfile.Hint) bool {
	h, isSelected := hints[mode]
	isUnknown := func(word string) bool { return kindOf(word) == "" }
	words := strings.Split(slugOf(mode), "-")
	return h.IsJoint || isSelected && strings.ContainsAny(mode, "(@#:.[ ") || len(words) > 1 && !slices.ContainsFunc(words, isUnknown)
}

// IsBrand reports whether a dimension is one of brands, or may be: its Variants have files of their own.
func IsBrand(d tokenfile.Dimension) bool {
	return d.Name != "" && !slices.ContainsFunc(partsOf(d), func(p part) bool { return p.why == "" })
}

// kinds are the well-known names of modes, with the dimension that they are of and the condition under which they
// hold on their own.
var kinds = []struct{ mode, dimension, when string }{
	{"dark", "scheme", "(prefers-color-scheme: dark)"},
	{"light", "scheme", "(prefers-color-scheme: light)"},
	{"dim", "scheme", ""},
	{"highcontrast", "contrast", "(prefers-contrast: more)"},
	{"hc", "contrast", "(prefers-contrast: more)"},
	{"morecontrast", "contrast", "(prefers-contrast: more)"},
	{"contrastmore", "contrast", "(prefers-contrast: more)"},
	{"increasedcontrast", "contrast", "(prefers-contrast: more)"},
	{"lowcontrast", "contrast", "(prefers-contrast: less)"},
	{"lesscontrast", "contrast", "(prefers-contrast: less)"},
	{"contrastless", "contrast", "(prefers-contrast: less)"},
	{"reducedmotion", "motion", "(prefers-reduced-motion: reduce)"},
	{"reducemotion", "motion", "(prefers-reduced-motion: reduce)"},
	{"forcedcolors", "forced-colors", "(forced-colors: active)"},
	{"print", "media", "print"},
	{"compact", "density", ""},
	{"comfortable", "density", ""},
	{"spacious", "density", ""},
	{"mobile", "viewport", ""},
	{"tablet", "viewport", ""},
	{"desktop", "viewport", ""},
	{"lighthighcontrast", "scheme", ""},
	{"darkhighcontrast", "scheme", ""},
}

// kindOf is the dimension that the name of a mode tells; empty if it tells none.
func kindOf(mode string) string {
	for _, k := range kinds {
		if k.mode == tokenfile.ModeKey(mode) {
			return k.dimension
		}
	}
	return ""
}

// nameOf is the dimension of a mode whose dimension the files do not name; empty if nothing tells it.
func nameOf(mode string, h tokenfile.Hint) string {
	for _, k := range kinds {
		if h.When != "" && k.when == h.When {
			return k.dimension
		}
	}
	if kind := kindOf(mode); kind != "" {
		return kind
	}
	return attributeOf(h)
}

// elementAttribute is an attribute that elements have and no page.
var elementAttribute = regexp.MustCompile(`(?i)^(type|role|slot|aria-.+)$`)

// attributeOf is the attribute of a page that selects a mode; empty if none does.
func attributeOf(h tokenfile.Hint) string { return elementAttribute.ReplaceAllString(h.Attribute, "") }

// conditionOf is the media condition of a mode: the stylesheet's own, or that of a well-known name, unless it is the
// stylesheet's for another mode. It is empty if only an attribute selects the mode.
func (p part) conditionOf(mode string) string {
	if when := p.hints[mode].When; slices.Contains(modes.Conditions, when) {
		return when
	}
	key := cmp.Or(p.schemeOf(mode), tokenfile.ModeKey(mode))
	for _, k := range kinds { // high is highcontrast in a dimension with contrast in its name
		isAnother := func(mode string) bool { return k.when != "" && p.hints[mode].When == k.when }
		isIt := k.mode == key || k.mode == key+k.dimension && strings.Contains(slugOf(p.name), k.dimension)
		if isIt && !slices.ContainsFunc(p.modes, isAnother) {
			return k.when
		}
	}
	return ""
}

// schemeOf is dark for the one mode with this word in its name, such as Acme Dark, if the default has the other word,
// and light the other way round; else empty.
func (p part) schemeOf(mode string) string {
	for _, pair := range [][2]string{{"dark", "light"}, {"light", "dark"}} {
		has := func(word string) func(mode string) bool {
			return func(mode string) bool { return slices.Contains(strings.Split(slugOf(mode), "-"), word) }
		}
		others := slices.DeleteFunc(slices.Clone(p.modes), func(other string) bool { return other == mode })
		if has(pair[0])(mode) && has(pair[1])(p.base) && !slices.ContainsFunc(others, has(pair[0])) {
			return pair[0]
		}
	}
	return ""
}

// oppositeBase names a default mode that the files do not name.
func (p part) oppositeBase() string {
	isScheme := func(mode string) func(string) bool {
		return func(s string) bool { return tokenfile.ModeKey(s) == mode }
	}
	switch {
	case slices.ContainsFunc(p.modes, isScheme("dark")) && !slices.ContainsFunc(p.modes, isScheme("light")):
		return "light"
	case slices.ContainsFunc(p.modes, isScheme("light")) && !slices.ContainsFunc(p.modes, isScheme("dark")):
		return "dark"
	}
	return "default"
}

// brandWords are words in the names of dimensions whose Variants are chosen by their own address, and not laid over
// others.
var brandWords = []string{"brand", "brands", "tenant", "tenants", "client", "clients", "customer", "customers", "company", "companies", "whitelabel"}

// refusal says why a part is not a dimension of modes; empty if it is one.
func (p part) refusal() string {
	words := strings.Split(slugOf(p.name), "-")
	switch {
	case slices.ContainsFunc(words, func(word string) bool { return slices.Contains(brandWords, word) }):
		return "a brand has files of its own"
	case !mayBeBrands(p.name):
		return ""
	case slices.ContainsFunc(append(slices.Clone(p.modes), p.base), func(mode string) bool { return kindOf(mode) != "" || p.schemeOf(mode) != "" }):
		return ""
	case p.isRule:
		return "they are selectors, conditions or several modes together, which a list of modes cannot have"
	case p.hints != nil:
		return "they may be brands or elements of a page: none is called as modes are, such as dark or compact"
	}
	return "they may be brands: none is called as modes are, such as dark or compact"
}

// modeList collects the list of a Theme's modes.
type modeList struct {
	plan  []Variant
	all   []tokenfile.Dimension
	names map[string]bool // of the dimensions
	list  []ThemeMode
	left  []LeftOut
	modes int
}

// addAll adds all dimensions.
func (m *modeList) addAll() {
	for _, d := range m.all {
		for _, part := range partsOf(d) {
			m.add(part)
		}
	}
}

// isLeft reports whether a Variant is not of the list.
func (m *modeList) isLeft(v Variant) bool {
	return slices.ContainsFunc(m.left, func(l LeftOut) bool { return l.Dimension == v.Dimension && slices.Contains(l.Modes, v.Name) })
}

// together returns the Variants of which a Variant of the same dimension of the files is, as its name and its selectors
// say: those of several dimensions of the list, in its order, or of one or more and before them one that is left, such
// as a brand's.
func (m *modeList) together(v Variant) (of []Variant) {
	i := slices.IndexFunc(m.all, func(d tokenfile.Dimension) bool { return d.Name == v.Dimension })
	h, isSelected := m.all[i].Hints[v.Name]
	if isSelected && !h.IsJoint {
		return nil
	}
	rest, last := "-"+slugOf(v.Name)+"-", ""
	for _, e := range m.list {
		i := slices.IndexFunc(m.plan, func(p Variant) bool { return p.Slug == e.Variant && p.Dimension == v.Dimension && p.Name != v.Name })
		if i < 0 || e.Dimension == last {
			continue
		}
		if before, after, isPart := strings.Cut(rest, "-"+slugOf(m.plan[i].Name)+"-"); isPart {
			of, last, rest = append(of, m.plan[i]), e.Dimension, before+"-"+after
		}
	}
	if rest == "-" && len(of) > 1 {
		return of
	}
	mayHaveBrand := isSelected || strings.Contains(v.Name, " _") // conditions in one another, as _globex and _dark of Panda
	for _, p := range m.plan {
		if mayHaveBrand && len(of) > 0 && p.Dimension == v.Dimension && m.isLeft(p) && "-"+slugOf(p.Name)+"-" == rest {
			return append([]Variant{p}, of...)
		}
	}
	return nil
}

// add adds a dimension, if it is one of modes and has room.
func (m *modeList) add(p part) {
	var entries []ThemeMode
	taken, conditions := map[string]bool{}, map[string]bool{"": true}
	entry := func(mode string) *ThemeMode {
		name := numbered(nameForm(mode, "mode"), maxName, taken)
		taken[name] = true
		entries = append(entries, ThemeMode{Mode: name})
		return &entries[len(entries)-1]
	}
	entry(p.base)
	var planned []string
	for _, mode := range p.modes {
		i := slices.IndexFunc(m.plan, func(v Variant) bool {
			return v.Dimension == p.source && v.Name == mode && len(v.Of) == 0
		})
		if i < 0 {
			continue
		}
		planned = append(planned, mode)
		e := entry(mode)
		e.Variant = m.plan[i].Slug
		if when := p.conditionOf(mode); !conditions[when] {
			e.When, conditions[when] = when, true
		}
	}
	switch {
	case len(entries) == 1:
		return
	case p.why == "" && len(m.names) == modes.MaxDimensions:
		p.why = "a Theme has no more than 4 dimensions of modes"
	case p.why == "" && m.modes+len(entries) > modes.MaxModes:
		p.why = "a Theme has no more than 16 modes"
	}
	if p.why != "" {
		m.left = append(m.left, LeftOut{p.source, planned, p.why})
		return
	}
	name := numbered(nameForm(strings.TrimLeft(p.name, "0123456789. -_"), "mode"), maxName, m.names)
	m.names[name] = true
	m.modes += len(entries)
	for i := range entries {
		entries[i].Dimension = name
	}
	m.list = append(m.list, entries...)
}

// addFor adds the Variant of a brand and a mode, in the brand's files in place of the mode's own, if the brand has any.
func (m *modeList) addFor(v Variant) {
	variantOf := func(of Variant) string {
		i := slices.IndexFunc(m.plan, func(p Variant) bool { return p.Dimension == of.Dimension && p.Name == of.Name })
		return m.plan[i].Slug
	}
	brand, mode := v.Of[0], variantOf(v.Of[1])
	i := slices.IndexFunc(m.list, func(e ThemeMode) bool { return e.Variant == mode })
	if i >= 0 && m.isLeft(brand) && len(brand.Overrides.Members) > 0 {
		e := m.list[i]
		e.Variant, e.For = v.Slug, variantOf(brand)
		m.list = append(m.list, e)
	}
}

// maxName is the length of the longest name of a dimension or a mode.
const maxName = 32

// nameForm spells a name by the grammar of dimensions and modes. first stands before a name that does not begin with a
// letter.
func nameForm(name, first string) string {
	slug := slugOf(name)
	if slug == "" || slug[0] < 'a' {
		slug = strings.TrimSuffix(first+"-"+slug, "-")
	}
	return strings.TrimRight(slug[:min(len(slug), maxName)], "-")
}
