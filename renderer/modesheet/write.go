package modesheet

import (
	"slices"
	"strings"
)

// writer writes a stylesheet.
type writer struct {
	*table
	out   []byte
	limit int      // of out
	used  [][]bool // by dimension and mode: whether a value depends on the switches of the mode
	// Copies of circular properties: those that the rule being written declares, and those that it needs beside them.
	copies  map[property]bool
	missing []property
}

// base writes the tokens.css of no mode, without the declarations that switches decide.
func (w *writer) base(sheet []byte) {
	for _, d := range w.dims {
		w.used = append(w.used, make([]bool, len(d.Modes)))
	}
	for line := range strings.Lines(string(sheet)) {
		name, _, ok := declaration(line)
		position := w.position[name]
		switch {
		case !ok || w.changed[position] == 0:
			w.out = append(w.out, line...)
		case w.switched(position) == 0:
			w.declare(position)
		}
	}
}

// switched is the set of the dimensions whose switches decide what a property is.
func (w *writer) switched(name int) subset {
	set := w.changed[name]
	for i, d := range w.dims {
		if set.has(i) && w.isLightDark(d, name) {
			set &^= 1 << i
		}
	}
	return set
}

// properties writes what switches decide: a rule for what the same dimensions change, on all elements that can change it.
func (w *writer) properties() {
	var sets []subset
	groups := make(map[subset][]int)
	for name := range w.names {
		if set := w.switched(name); set != 0 {
			if groups[set] == nil {
				sets = append(sets, set)
			}
			groups[set] = append(groups[set], name)
		}
	}
	slices.Sort(sets)
	for _, set := range sets {
		w.text(":root")
		for i, d := range w.dims {
			if set.has(i) {
				w.text(", [", attribute(d), "]")
			}
		}
		w.text(" {\n")
		for _, name := range groups[set] {
			w.declare(name)
		}
		w.text("}\n")
		clear(w.copies)
	}
}

// declare writes a property with all of its values.
func (w *writer) declare(name int) {
	w.text("  ", w.names[name], ": ")
	w.value(name, w.none(), len(w.dims)-1)
	w.text(";\n")
	w.declareCopies()
}

// value writes what a property is in the combinations of choice with modes of the first dimensions up to the one at
// last. The last dimension is outermost: what its modes override is mostly the same in all modes of the others.
func (w *writer) value(name int, choice []int, last int) {
	if len(w.out) > w.limit {
		return
	}
	if last < 0 {
		w.leaf(name, w.row(choice))
		return
	}
	d, others := w.dims[last], w.otherwise(name, choice, last)
	with := func(mode int) {
		choice[last] = mode
		w.value(name, choice, last-1)
		choice[last] = -1
	}
	if len(others) == 1 && w.isLightDark(d, name) {
		light, dark := -1, others[0]
		if d.Modes[others[0]].Name == lightScheme {
			light, dark = dark, light
		}
		w.text("light-dark(")
		with(light)
		w.text(", ")
		with(dark)
		w.text(")")
		return
	}
	for _, mode := range others {
		w.used[last][mode] = true
		w.text("var(", off(d, mode), ",")
	}
	with(-1)
	w.text(strings.Repeat(")", len(others)))
	for _, mode := range others {
		w.text("var(", on(d, mode), ",")
		with(mode)
		w.text(")")
	}
}

// otherwise returns the modes of the dimension at last in which a property has other values than without a mode of it.
func (w *writer) otherwise(name int, choice []int, last int) (modes []int) {
	if !w.changed[name].has(last) {
		return nil
	}
	for mode, m := range w.dims[last].Modes {
		if m.Variant != "" && !w.same(name, choice, last, mode, last-1) {
			modes = append(modes, mode)
		}
	}
	return modes
}

// same reports whether a property has the same values with and without a mode of a dimension, in the combinations with
// modes of the first dimensions up to the one at last.
func (w *writer) same(name int, choice []int, dimension, mode, last int) bool {
	if last < 0 {
		without := w.row(choice).of(name)
		choice[dimension] = mode
		with := w.row(choice).of(name)
		choice[dimension] = -1
		return with == without || !w.isCircular(name) && w.values[with].text == w.values[without].text
	}
	for other := -1; other < len(w.dims[last].Modes); other++ {
		if other >= 0 && w.dims[last].Modes[other].Variant == "" {
			continue
		}
		choice[last] = other
		same := w.same(name, choice, dimension, mode, last-1)
		choice[last] = -1
		if !same {
			return false
		}
	}
	return true
}

// leaf writes what a property is in one combination.
func (w *writer) leaf(name int, r row) {
	text := w.values[r.of(name)].text
	if w.isCircular(name) {
		for range references(text) {
			p := property{name, r.number}
			w.missing = append(w.missing, p)
			w.text("var(", w.copyName(p), ")")
			return
		}
	}
	w.text(text)
}

// declareCopies writes copies of circular properties, and what they refer to, those that the rule does not have yet.
func (w *writer) declareCopies() {
	for len(w.missing) > 0 && len(w.out) <= w.limit {
		p := w.missing[0]
		w.missing = w.missing[1:]
		if !w.copies[p] {
			w.copies[p] = true
			text, refers := w.copied(p)
			w.text("  ", w.copyName(p), ": ", text, ";\n")
			w.missing = append(w.missing, refers...)
		}
	}
}

func (w *writer) text(parts ...string) {
	for _, part := range parts {
		w.out = append(w.out, part...)
	}
}
