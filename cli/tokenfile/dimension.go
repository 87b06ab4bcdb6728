package tokenfile

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"example.com/livery/cli/tokenfile/tree"
	"example.com/livery/renderer/jsontree"
)

// Dimension is one way in which the values of files differ, such as the brand or the colour scheme: a group of themes of
// Tokens Studio, a collection of Figma, the names of the modes in values.
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
}

// join returns what two selectors of one mode say of it.
func (h Hint) join(other Hint) Hint {
	return Hint{cmp.Or(h.Attribute, other.Attribute), cmp.Or(h.When, other.When), h.OfRoot || other.OfRoot}
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

// IsModeName reports whether a name is one by which people call a mode.
func IsModeName(name string) bool { return slices.Contains(knownModes, ModeKey(name)) }

// ModeAtEnd returns where the last words of a name begin by which people call a mode, as many as there are; its length if they
// call none so.
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

// themesOf lists the themes of Tokens Studio; if there are none, those that the names of the token sets imply. meta holds the
// member $themes, if there is one.
func themesOf(meta *jsontree.Node, sets []string) []*jsontree.Node {
	if list := itemsOf(meta.Find("$themes")); len(list) > 0 {
		return list
	}
	return impliedThemes(sets)
}

// modeFolders are the names of folders each of whose token sets is a mode, unless it is called base or default.
var modeFolders = []string{"mode", "modes", "theme", "themes", "brand", "brands", "scheme", "schemes", "context", "contexts", "density", "densities"}

// impliedThemes makes a theme of each mode by which token sets are called: light and dark, theme/light and theme/dark, brand/a
// and brand/b. Each takes the sets that are called by none too, and one without a name these alone if the others are such as
// dark, beside which they are the usual mode.
func impliedThemes(sets []string) (themes []*jsontree.Node) {
	type set struct{ group, mode string }
	known, shared, modes := make([]set, len(sets)), jsontree.NewObject(), map[string][]string{}
	for i, name := range sets {
		folder, last := path.Split(name)
		at := ModeAtEnd(strings.ReplaceAll(last, " ", "-"))
		if at == len(last) && slices.Contains(modeFolders, strings.ToLower(path.Base(folder))) {
			at = 0
		}
		mode := last[at:]
		if key := ModeKey(mode); mode == "" || key == "base" || key == "default" {
			continue
		}
		group := strings.Trim(folder+last[:at], "/-_ ")
		known[i] = set{group, mode}
		if !slices.Contains(modes[group], mode) {
			modes[group] = append(modes[group], mode)
		}
	}
	selected := func(name, state string) jsontree.Member {
		return jsontree.Member{Name: name, Value: jsontree.NewString(state)}
	}
	for i, name := range sets {
		if list := modes[known[i].group]; len(list) == 1 && (HasUsual(list) || !IsModeName(list[0])) {
			known[i] = set{}
		}
		if known[i].mode == "" {
			shared.Members = append(shared.Members, selected(name, "shared"))
		}
	}
	done := map[string]bool{"": true}
	for i := range known {
		group := known[i].group
		if known[i].mode == "" || done["/"+group] {
			continue
		}
		done["/"+group] = true
		list := UsualFirst(modes[group])
		if !HasUsual(list) && IsModeName(list[0]) {
			list = append([]string{""}, list...)
		}
		for _, mode := range list {
			taken := slices.Clone(shared.Members)
			for j, name := range sets {
				if mode != "" && known[j] == (set{group, mode}) {
					taken = append(taken, selected(name, "enabled"))
				}
			}
			theme := jsontree.NewObject(jsontree.Member{Name: "group", Value: jsontree.NewString(group[strings.LastIndexByte(group, '/')+1:])},
				jsontree.Member{Name: "name", Value: jsontree.NewString(mode)}, jsontree.Member{Name: "selectedTokenSets", Value: jsontree.NewObject(taken...)})
			tree.Index(theme)
			themes = append(themes, theme)
		}
	}
	return themes
}

// studioGroups lists the groups of the themes of Tokens Studio as dimensions, in the order of the file.
func studioGroups(themes []*jsontree.Node) (all []Dimension) {
	for _, theme := range themes {
		group, name := textOf(theme.Find("group")), textOf(theme.Find("name"))
		i := slices.IndexFunc(all, func(d Dimension) bool { return d.Name == group })
		if i < 0 {
			i, all = len(all), append(all, Dimension{Name: group})
		}
		if !slices.Contains(all[i].Modes, name) {
			all[i].Modes = append(all[i].Modes, name)
		}
	}
	return all
}

// chosenSets returns the token sets that one theme of each group takes: all without themes. Those that are there for
// references alone, the sources, come before those that are enabled; both in the order of sets.
func chosenSets(themes []*jsontree.Node, sets []string, o Options) []string {
	groups := studioGroups(themes)
	if len(groups) == 0 {
		return sets
	}
	states := map[string]string{}
	for _, theme := range themes {
		group, name := textOf(theme.Find("group")), textOf(theme.Find("name"))
		i := slices.IndexFunc(groups, func(d Dimension) bool { return d.Name == group })
		wanted := o.modeOf(group)
		if wanted == "" {
			wanted = groups[i].Modes[0]
		}
		if name != wanted {
			continue
		}
		for _, m := range membersOf(theme.Find("selectedTokenSets")) {
			if state := textOf(m.Value); slices.Contains(takenStates, state) && states[m.Name] != "enabled" {
				states[m.Name] = state
			}
		}
	}
	return slices.Concat(withState(sets, states, "source"), withState(sets, states, "enabled", "shared"))
}

// takenStates are those of the token sets that a theme takes: for its own sake, for references alone, or, of a theme that names
// imply, as all themes do.
var takenStates = []string{"enabled", "source", "shared"}

// withState returns the token sets with one of some states, in their order.
func withState(sets []string, states map[string]string, some ...string) []string {
	return slices.DeleteFunc(slices.Clone(sets), func(name string) bool { return !slices.Contains(some, states[name]) })
}

// StudioDimensions returns the dimensions that the themes of Tokens Studio have, and the token sets that no theme takes.
// meta holds the member $themes, if there is one.
func StudioDimensions(meta *jsontree.Node, sets []string) (all []Dimension, unused []string) {
	themes := themesOf(meta, sets)
	all = studioGroups(themes)
	if len(all) == 0 {
		return nil, nil
	}
	for _, name := range sets {
		inTheme := func(theme *jsontree.Node) bool {
			return slices.Contains(takenStates, textOf(theme.Find("selectedTokenSets").Find(name)))
		}
		if !slices.ContainsFunc(themes, inTheme) {
			unused = append(unused, name)
		}
	}
	return all, unused
}
