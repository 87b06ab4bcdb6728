package tokenfile

import (
	"slices"
	"strings"

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

// studioGroups lists the groups of the themes of Tokens Studio as dimensions, in the order of the file.
func studioGroups(meta *jsontree.Node) (all []Dimension) {
	for _, theme := range itemsOf(meta.Find("$themes")) {
		group, name := textOf(theme.Find("group")), textOf(theme.Find("name"))
		i := slices.IndexFunc(all, func(d Dimension) bool { return d.Name == group })
		if i < 0 {
			i, all = len(all), append(all, Dimension{Name: group})
		}
		all[i].Modes = append(all[i].Modes, name)
	}
	return all
}

// chosenSets returns the token sets that one theme of each group takes, in the order of sets: all without themes.
func chosenSets(meta *jsontree.Node, sets []string, o Options) []string {
	groups := studioGroups(meta)
	if len(groups) == 0 {
		return sets
	}
	taken := map[string]bool{}
	for _, theme := range itemsOf(meta.Find("$themes")) {
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
			state := textOf(m.Value)
			taken[m.Name] = taken[m.Name] || state == "enabled" || state == "source"
		}
	}
	return slices.DeleteFunc(slices.Clone(sets), func(name string) bool { return !taken[name] })
}

// StudioDimensions returns the dimensions that the themes of Tokens Studio have, and the token sets that no theme takes.
// meta holds the member $themes, if there is one.
func StudioDimensions(meta *jsontree.Node, sets []string) (all []Dimension, unused []string) {
	all = studioGroups(meta)
	if len(all) == 0 {
		return nil, nil
	}
	for _, name := range sets {
		inTheme := func(theme *jsontree.Node) bool {
			state := textOf(theme.Find("selectedTokenSets").Find(name))
			return state == "enabled" || state == "source"
		}
		if !slices.ContainsFunc(itemsOf(meta.Find("$themes")), inTheme) {
			unused = append(unused, name)
		}
	}
	return all, unused
}
