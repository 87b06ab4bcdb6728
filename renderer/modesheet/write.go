package modesheet

import (
	"slices"
	"strings"
)

// writer writes the blocks of a stylesheet.
type writer struct {
	*table
	out   []byte
	limit int // of out
}

// The names of the dimension and the modes that a browser knows too.
const (
	schemeDimension = "scheme"
	lightScheme     = "light"
	darkScheme      = "dark"
)

// scheme returns the value of color-scheme under a choice, empty if it says nothing of it.
func (w *writer) scheme(choice []int) string {
	for i, mode := range choice {
		if mode < 0 || w.dims[i].Name != schemeDimension {
			continue
		}
		if name := w.dims[i].Modes[mode].Name; name == lightScheme || name == darkScheme {
			return name
		}
	}
	return ""
}

// baseScheme tells the browser the scheme of a page without attributes if no media condition holds: that of the first
// mode that overrides nothing.
func (w *writer) baseScheme() {
	for i, d := range w.dims {
		base := slices.IndexFunc(d.Modes, func(m Mode) bool { return m.Base })
		if base < 0 {
			continue
		}
		choice := w.none()
		choice[i] = base
		if scheme := w.scheme(choice); scheme != "" {
			w.text(":root {\n  color-scheme: ", scheme, ";\n}\n")
		}
	}
}

// block writes what a choice of modes declares, for each way in which an element can come to it: each dimension by the
// page's media conditions or by the nearest attribute.
func (w *writer) block(set subset, choice []int, properties []int32) {
	body := w.body(set, choice, properties)
	if body == "" {
		return
	}
	for byMedia := range subset(1) << len(w.dims) {
		if byMedia&^set == 0 && w.isConditional(byMedia, choice) {
			w.forms(set, byMedia, choice, body)
		}
	}
}

// isConditional reports whether the modes of a choice in the dimensions of set have media conditions.
func (w *writer) isConditional(set subset, choice []int) bool {
	for _, i := range set.list() {
		if w.dims[i].Modes[choice[i]].When == "" {
			return false
		}
	}
	return true
}

// body is the declarations of a block.
func (w *writer) body(set subset, choice []int, properties []int32) string {
	var b strings.Builder
	if scheme := w.scheme(choice); scheme != "" && set.size() == 1 {
		b.WriteString("  color-scheme: " + scheme + ";\n")
	}
	row := w.row(choice)
	for _, property := range properties {
		name := w.differ[property]
		b.WriteString("  " + w.names[name] + ": " + w.texts[at(row, int(name))] + ";\n")
	}
	return b.String()
}

// forms writes the rules by which an element has the modes of a choice: those of the dimensions in byMedia by the media
// conditions, if neither the element nor one around it has the attribute, and the others by attributes. The element has
// one of these attributes; of each other one the nearest element around it that has the attribute counts, which only
// @scope can say, once for each order in which these elements can stand.
func (w *writer) forms(set, byMedia subset, choice []int, body string) {
	open, shut := "", ""
	if byMedia != 0 {
		condition := w.media(byMedia, choice)
		if condition == "" {
			return
		}
		open, shut = "@media "+condition+" {\n", "}\n"
	}
	byAttribute := (set &^ byMedia).list()
	if len(byAttribute) == 0 {
		w.text(open, ":root"+w.unless(byMedia, ""), " {\n", body, "}\n", shut)
		return
	}
	for _, order := range permutations(byAttribute) {
		own := order[len(order)-1]
		scopes, within := "", ""
		for i, dimension := range order[:len(order)-1] {
			ends := make([]string, 0, len(order))
			for _, outer := range order[:i+1] {
				ends = append(ends, ":scope ["+w.attribute(outer)+"]")
			}
			scopes += "@scope (" + within + w.selector(dimension, choice) + ") to (" + strings.Join(ends, ", ") + ") {\n"
			within = ":where(:scope, :scope *)"
		}
		// As many attributes as dimensions: of two rules that hold, that of more dimensions wins.
		element := within + strings.Repeat(w.selector(own, choice), len(order)) + w.unless(byMedia, " *")
		w.text(open, scopes, element, " {\n", body, "}\n", strings.Repeat("}\n", len(order)-1), shut)
	}
}

func (w *writer) attribute(dimension int) string { return "data-" + w.dims[dimension].Name }

// selector is of an element that has the attribute of the mode.
func (w *writer) selector(dimension int, choice []int) string {
	return "[" + w.attribute(dimension) + `="` + w.dims[dimension].Modes[choice[dimension]].Name + `"]`
}

// unless excludes elements that have the attribute of one of the dimensions, and with inside " *" those inside of them.
// Each :not() counts as one attribute.
func (w *writer) unless(dimensions subset, inside string) string {
	text := ""
	for _, i := range dimensions.list() {
		attribute := "[" + w.attribute(i) + "]"
		if inside == "" {
			text += ":not(" + attribute + ")"
		} else {
			text += ":not(" + attribute + ", " + attribute + inside + ")"
		}
	}
	return text
}

// media is the condition under which a page has the modes of a choice in the dimensions of set: theirs, and none of a
// later mode of the same dimension. It is empty if no page has them: none is printed and shown.
func (w *writer) media(set subset, choice []int) string {
	var kinds, features []string
	for _, i := range set.list() {
		modes := w.dims[i].Modes
		when := modes[choice[i]].When
		add := func(condition, kind, feature string) {
			if condition == printed {
				kinds = append(kinds, kind)
			} else {
				features = append(features, feature)
			}
		}
		add(when, printed, when)
		for _, later := range modes[choice[i]+1:] {
			if later.When == when {
				return ""
			}
			if later.When != "" && !areExclusive(when, later.When) {
				add(later.When, shown, "(not "+later.When+")")
			}
		}
	}
	slices.Sort(kinds)
	slices.Sort(features)
	if kinds = slices.Compact(kinds); len(kinds) > 1 {
		return ""
	}
	return strings.Join(append(kinds, slices.Compact(features)...), " and ")
}

// The media type of paper, and that of everything else.
const (
	printed = "print"
	shown   = "screen"
)

// areExclusive reports whether two conditions name one feature, which has one value.
func areExclusive(a, b string) bool {
	feature, _, ok := strings.Cut(a, ":")
	other, _, also := strings.Cut(b, ":")
	return ok && also && feature == other
}

// permutations returns every order of what is in list.
func permutations(list []int) [][]int {
	if len(list) < 2 {
		return [][]int{list}
	}
	var all [][]int
	for i, first := range list {
		for _, rest := range permutations(slices.Concat(list[:i], list[i+1:])) {
			all = append(all, append([]int{first}, rest...))
		}
	}
	return all
}

func (w *writer) text(parts ...string) {
	for _, part := range parts {
		w.out = append(w.out, part...)
	}
}
