package tokenfile

import (
	"slices"
	"strings"

	"example.com/livery/renderer/jsontree"
)

// ModeOf returns the mode whose values a DTCG document of Figma's own export holds; empty if it names none.
func ModeOf(root *jsontree.Node) string {
	extensions := root.Find("$extensions")
	if name := textOf(extensions.Find("com.figma.modeName")); name != "" {
		return name
	}
	return textOf(extensions.Find("com.figma").Find("modeName"))
}

// collection is a collection of Figma that has several modes.
type collection struct {
	id, name, usual string // usual is its default mode
	modes           []string
}

// chooseModes notes which mode each collection gives. It returns an *Error if none was asked for and two collections
// have modes of different names: their values are a product, and a document holds one combination.
func (f *figma) chooseModes(ids []string) error {
	all := f.severalModes(ids)
	for _, c := range all {
		i := max(0, slices.Index(c.modes, c.usual))
		f.part.Dimensions = append(f.part.Dimensions, Dimension{Name: c.name, Modes: slices.Concat(c.modes[i:i+1], c.modes[:i], c.modes[i+1:])})
	}
	if f.Choice != nil {
		return nil
	}
	if f.Mode == "" && len(all) > 1 && differ(all) {
		return product(all)
	}
	f.nameLeft(all)
	if len(all) < 2 {
		return nil
	}
	for _, c := range all {
		mode := Mode{c.name, f.Mode, false}
		if !slices.Contains(c.modes, f.Mode) {
			mode = Mode{c.name, c.usual, true}
		}
		f.part.Modes = append(f.part.Modes, mode)
	}
	return nil
}

// nameLeft names the modes whose values a document does not have.
func (f *figma) nameLeft(all []collection) {
	for _, c := range all {
		taken := c.usual
		if slices.Contains(c.modes, f.Mode) {
			taken = f.Mode
		}
		for i, mode := range c.modes {
			if mode != taken && !f.Overrides {
				at := jsontree.Pointer{"meta", "variableCollections", c.id, "modes", itoa(i)}
				f.part.Concessions = append(f.part.Concessions, Concession{"modes that are left out", at.String(), c.name, taken + " is taken, not " + mode + " (--token-mode)"})
			}
		}
	}
}

// severalModes lists the collections of the variables that have more than one mode, in the order of the file.
func (f *figma) severalModes(ids []string) (all []collection) {
	used := map[string]bool{}
	for _, id := range ids {
		used[textOf(f.variables.Find(id).Find("variableCollectionId"))] = true
	}
	for _, m := range f.collections.Members {
		modes, extensions := itemsOf(m.Value.Find("modes")), f.extensionsOf(m.Name)
		if !used[m.Name] || len(modes) < 2 && len(extensions) == 0 {
			continue
		}
		c := collection{id: m.Name, name: textOf(m.Value.Find("name"))}
		if c.name == "" {
			c.name = m.Name
		}
		for _, mode := range modes {
			name := textOf(mode.Find("name"))
			c.modes = append(c.modes, name)
			if textOf(mode.Find("modeId")) == textOf(m.Value.Find("defaultModeId")) {
				c.usual = name
			}
		}
		for _, e := range extensions {
			for _, mode := range itemsOf(e.Find("modes")) {
				c.modes = append(c.modes, extensionMode(e, mode))
			}
		}
		all = append(all, c)
	}
	return all
}

// differ reports whether two of the collections have no mode of one name.
func differ(all []collection) bool {
	for i, a := range all {
		for _, b := range all[:i] {
			if !slices.ContainsFunc(a.modes, func(name string) bool { return slices.Contains(b.modes, name) }) {
				return true
			}
		}
	}
	return false
}

func product(all []collection) error {
	var names, choices, defaults []string
	for _, c := range all {
		names = append(names, c.name+" ("+strings.Join(c.modes, ", ")+")")
		defaults = append(defaults, c.usual+" of "+c.name)
		for _, mode := range c.modes {
			if !slices.Contains(choices, mode) {
				choices = append(choices, mode)
			}
		}
	}
	return &Error{
		"it holds collections of different modes, whose combinations do not fit in one document: " + strings.Join(names, ", "),
		"Choose one mode with --token-mode: " + strings.Join(choices, ", ") + ". Its collection gives that mode, each other its default: " +
			strings.Join(defaults, ", ") + ".",
	}
}
