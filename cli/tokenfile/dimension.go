package tokenfile

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"example.com/livery/renderer/jsontree"
)

// Dimension is one way in which the values of files differ, such as the brand or the colour scheme: a group of themes
// of Tokens Studio, a collection of Figma, the names of the modes in values.
type Dimension struct {
	Name  string   // as the file spells it; empty if it names none
	Modes []string // as the file spells them, the default first; a default without a name is empty

	Hints map[string]Hint // by mode; nil if the file says nothing more
}

// Hint is what a stylesheet says of one of its modes beside its name.
type Hint struct {
	Attribute string // that selects the mode, without data-; empty if none does
	When      string // the media query under which the mode holds; empty if it stands under none
	OfRoot    bool   // it is one of the root or the body of a page
	IsJoint   bool   // a selector of it asks for several things at once, such as two classes
}

// join returns what two selectors of one mode say of it.
func (h Hint) join(other Hint) Hint {
	return Hint{cmp.Or(h.Attribute, other.Attribute), cmp.Or(h.When, other.When), h.OfRoot || other.OfRoot, h.IsJoint || other.IsJoint}
}

// UsualFirst returns names of modes with the one first that counts if none is asked for.
func UsualFirst(names []string) []string {
	for _, usual := range usualNames {
		i := slices.IndexFunc(names, func(name string) bool { return ModeKey(name) == usual })
		if i >= 0 {
			return slices.Concat(names[i:i+1], names[:i], names[i+1:])
		}
	}
	return names
}

// HasUsual reports whether one of the names is that of a mode that counts if none is asked for.
func HasUsual(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(usualNames, ModeKey(name)) })
}

// isUsual reports whether a name alone says that a mode counts if none is asked for.
func isUsual(name string) bool { return slices.Contains(usualModes, ModeKey(name)) }

// IsModeName reports whether a name is a well-known one of a mode.
func IsModeName(name string) bool { return slices.Contains(knownModes, ModeKey(name)) }

// ModeAtEnd returns the place at which the last words of a name begin that are a well-known name of a mode, as many of
// them as there are; its length if there are none.
func ModeAtEnd(name string) int {
	for at := range len(name) {
		if (at == 0 || strings.IndexByte("-_", name[at-1]) >= 0) && IsModeName(name[at:]) {
			return at
		}
	}
	return len(name)
}

// modeOf returns the mode that is wanted of a dimension; empty means its default.
func (o Options) modeOf(dimension string) string {
	if o.Choice != nil {
		return o.Choice[dimension]
	}
	return o.Mode
}

// ofValues returns o for the modes of values, which are of one dimension without a name.
func (o Options) ofValues() Options {
	o.Mode = o.modeOf("")
	return o
}

// theme is a theme of Tokens Studio.
type theme struct {
	group, name string
	states      map[string]string // of the token sets that it selects
}

// themesOf lists the themes of Tokens Studio; if there are none, those that the names of the token sets imply. meta
// holds the member $themes, if there is one.
func themesOf(meta *jsontree.Node, sets []string) (themes []theme) {
	for _, n := range itemsOf(meta.Find("$themes")) {
		t := theme{textOf(n.Find("group")), textOf(n.Find("name")), map[string]string{}}
		for _, m := range membersOf(n.Find("selectedTokenSets")) {
			t.states[m.Name] = textOf(m.Value)
		}
		themes = append(themes, t)
	}
	if len(themes) == 0 {
		return impliedThemes(sets)
	}
	return themes
}

// modeFolders are the names of folders in which each file or token set is a mode.
var modeFolders = []string{"mode", "modes", "theme", "themes", "brand", "brands", "scheme", "schemes", "context", "contexts", "density", "densities"}

// IsModeFolder reports whether a folder is called so that each file, folder or token set in it is a mode.
func IsModeFolder(name string) bool { return slices.Contains(modeFolders, strings.ToLower(name)) }

// impliedThemes makes a theme of each mode by which token sets are called: light and dark, theme/light and theme/dark,
// brand/a and brand/b. Each takes the sets that are called by none too, and one without a name these alone if the
// others are such as dark, beside which they are the usual mode.
func impliedThemes(sets []string) (themes []theme) {
	type set struct{ group, mode string }
	known, modes := make([]set, len(sets)), map[string][]string{}
	for i, name := range sets {
		folder, last := path.Split(name)
		at := ModeAtEnd(strings.ReplaceAll(last, " ", "-"))
		if at == len(last) && IsModeFolder(path.Base(folder)) {
			at = 0
		}
		mode := last[at:]
		if key := ModeKey(mode); mode == "" || key == "base" || key == "default" {
			continue
		}
		group := strings.Trim(folder+last[:at], "/-_ ")
		known[i], modes[group] = set{group, mode}, AppendNew(modes[group], mode)
	}
	for i := range known {
		if list := modes[known[i].group]; len(list) == 1 && (HasUsual(list) || !IsModeName(list[0])) {
			known[i] = set{}
		}
	}
	done := map[string]bool{}
	for _, one := range known {
		group := one.group
		if one.mode == "" || done[group] {
			continue
		}
		done[group] = true
		list := UsualFirst(modes[group])
		if !HasUsual(list) && IsModeName(list[0]) {
			list = append([]string{""}, list...)
		}
		for _, mode := range list {
			t := theme{group[strings.LastIndexByte(group, '/')+1:], mode, map[string]string{}}
			for i, name := range sets {
				switch known[i] {
				case set{}:
					t.states[name] = "shared"
				case set{group, mode}:
					t.states[name] = "enabled"
				}
			}
			themes = append(themes, t)
		}
	}
	return themes
}

// studioGroups lists the groups of the themes of Tokens Studio as dimensions, in the order of the file.
func studioGroups(themes []theme) (all []Dimension) {
	for _, t := range themes {
		i := slices.IndexFunc(all, func(d Dimension) bool { return d.Name == t.group })
		if i < 0 {
			i, all = len(all), append(all, Dimension{Name: t.group})
		}
		all[i].Modes = AppendNew(all[i].Modes, t.name)
	}
	return all
}

// chosenSets returns the token sets that one theme of each group takes: all without themes.
func chosenSets(themes []theme, sets []string, o Options) []string {
	if len(themes) == 0 {
		return sets
	}
	groups, states := studioGroups(themes), map[string]string{}
	for _, t := range themes {
		i := slices.IndexFunc(groups, func(d Dimension) bool { return d.Name == t.group })
		if t.name != cmp.Or(o.modeOf(t.group), groups[i].Modes[0]) {
			continue
		}
		for name, state := range t.states {
			if slices.Contains(takenStates, state) && states[name] != "enabled" {
				states[name] = state
			}
		}
	}
	return takenSets(sets, states)
}

// takenStates are those of the token sets that a theme takes: for its own sake, for references alone, or, of a theme
// that names imply, as all themes do.
var takenStates = []string{"enabled", "source", "shared"}

// takenSets returns the token sets that are taken: those that are there for references alone, the sources, before those
// that are enabled; both in their order.
func takenSets(sets []string, states map[string]string) []string {
	return append(withState(sets, states, "source"), withState(sets, states, "enabled", "shared")...)
}

// withState returns the token sets with one of some states, in their order.
func withState(sets []string, states map[string]string, some ...string) []string {
	return slices.DeleteFunc(slices.Clone(sets), func(name string) bool { return !slices.Contains(some, states[name]) })
}

// AddThemes adds the dimensions of the themes of Tokens Studio to those of the values of a part, and notes the token sets that no
// theme takes. meta holds the member $themes, if there is one.
func (p *Part) AddThemes(meta *jsontree.Node, sets []string) {
	themes := themesOf(meta, sets)
	for _, name := range sets {
		inTheme := func(t theme) bool { return slices.Contains(takenStates, t.states[name]) }
		if len(themes) > 0 && !slices.ContainsFunc(themes, inTheme) {
			p.Unused = append(p.Unused, name)
		}
	}
	p.Dimensions = append(studioGroups(themes), p.Dimensions...)
}

// AppendNew returns a list of names with one more, if it does not have it yet.
func AppendNew(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}
