package modesheet

import "slices"

// The names of the dimension and the modes that a browser knows too.
const (
	schemeDimension = "scheme"
	lightScheme     = "light"
	darkScheme      = "dark"
)

// schemes returns the position of the dimension that color-scheme follows, -1 if none is: that with light-dark(), else
// the one called scheme.
func schemes(dims []Dimension) int {
	if i := slices.IndexFunc(dims, Dimension.isLightDark); i >= 0 {
		return i
	}
	return slices.IndexFunc(dims, func(d Dimension) bool { return d.Name == schemeDimension })
}

// isLightDark reports whether colours of a dimension are light-dark(): it must be asked for, and follow color-scheme.
func (d Dimension) isLightDark() bool {
	if !d.LightDark || len(d.Modes) != 2 || (d.Modes[0].Variant == "") == (d.Modes[1].Variant == "") {
		return false
	}
	names := [2]string{d.Modes[0].Name, d.Modes[1].Name}
	return names == [2]string{lightScheme, darkScheme} || names == [2]string{darkScheme, lightScheme}
}

func (t *table) isLightDark(d Dimension, name int) bool { return d.isLightDark() && t.colors[name] }

// on is the name of the switch that is on in a mode alone, off that of the one that is off in it alone.
func on(d Dimension, mode int) string  { return "--" + d.Name + `\.` + d.Modes[mode].Name }
func off(d Dimension, mode int) string { return "--" + d.Name + `\.not\.` + d.Modes[mode].Name }

func attribute(d Dimension) string { return "data-" + d.Name }

// switches writes what each mode does with the switches, for an element by its attribute, and for a page without the
// attribute by the media condition, which has the higher specificity.
func (w *writer) switches() {
	for i, d := range w.dims {
		base := slices.IndexFunc(d.Modes, func(m Mode) bool { return m.Variant == "" })
		w.rule(":root", w.state(i, base), "")
		for mode, m := range d.Modes {
			w.rule("["+attribute(d)+`="`+m.Name+`"]`, w.state(i, mode), "")
		}
		for mode, m := range d.Modes {
			if m.When != "" {
				w.rule(":root:not(["+attribute(d)+"])", w.state(i, mode), m.When)
			}
		}
	}
}

// state is the declarations that turn the switches of a dimension for a mode, -1 for none.
func (w *writer) state(dimension, mode int) (declarations string) {
	d := w.dims[dimension]
	if mode >= 0 && dimension == schemes(w.dims) {
		if name := d.Modes[mode].Name; name == lightScheme || name == darkScheme {
			declarations = "  color-scheme: " + name + ";\n"
		}
	}
	for other, used := range w.used[dimension] {
		if !used {
			continue
		}
		first, second := "", absent
		if other == mode {
			first, second = second, first
		}
		declarations += "  " + on(d, other) + ": " + first + ";\n  " + off(d, other) + ": " + second + ";\n"
	}
	return declarations
}

// rule writes a rule, under a media condition if there is one, unless it declares nothing.
func (w *writer) rule(selector, declarations, condition string) {
	if declarations == "" {
		return
	}
	if condition != "" {
		w.text("@media ", condition, " {\n")
		defer w.text("}\n")
	}
	w.text(selector, " {\n", declarations, "}\n")
}
