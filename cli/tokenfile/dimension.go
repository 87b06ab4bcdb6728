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

	Across string // the dimension of brands of which its files or token sets are too; empty if they are of none

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
			return First(names, i)
		}
	}
	return names
}

// First returns names with the one at a place first.
func First(names []string, at int) []string {
	return slices.Concat(names[at:at+1], names[:at], names[at+1:])
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
	isBetween := func(c, first, last byte) bool { return first <= c && c <= last }
	isWord := func(at int) bool { // the first, or one behind a hyphen or the like, or with a capital letter
		return at == 0 || strings.IndexByte("-_ ", name[at-1]) >= 0 ||
			isBetween(name[at-1], 'a', 'z') && isBetween(name[at], 'A', 'Z')
	}
	for at := range len(name) {
		if isWord(at) && IsModeName(name[at:]) {
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

// ModeAmong is the mode that is wanted of a dimension, as it is spelled among modes: those of another file may differ in
// letter case.
func (o Options) ModeAmong(dimension string, modes []string) string {
	mode := o.modeOf(dimension)
	i := slices.IndexFunc(modes, func(name string) bool { return strings.EqualFold(name, mode) })
	if o.Choice == nil || i < 0 || slices.Contains(modes, mode) {
		return mode
	}
	return modes[i]
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
	across      string            // Dimension.Across
}

// themesOf lists the themes of Tokens Studio; if there are none, those that the names of the token sets imply. meta
// holds the member $themes, if there is one.
func themesOf(meta *jsontree.Node, sets []string, at func(set string) *jsontree.Node) (themes []theme) {
	for _, n := range itemsOf(meta.Find("$themes")) {
		t := theme{textOf(n.Find("group")), textOf(n.Find("name")), map[string]string{}, ""}
		isOfGroup := func(other theme) bool { return IsOneName(other.group, t.group) }
		if i := slices.IndexFunc(themes, isOfGroup); i >= 0 {
			t.group = themes[i].group
		}
		for _, m := range membersOf(n.Find("selectedTokenSets")) {
			t.states[m.Name] = textOf(m.Value)
		}
		isTaken := func(other theme) bool { return other.group == t.group && other.name == t.name }
		for number, name := 2, t.name; slices.ContainsFunc(themes, isTaken); number++ { // two themes of one name are two
			t.name = name + " " + itoa(number)
		}
		themes = append(themes, t)
	}
	if len(themes) == 0 {
		return impliedThemes(sets, at)
	}
	return themes
}

// IsOneName reports whether two names of a group of themes differ at most in letter case and in blanks around them.
func IsOneName(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// modeFolders are the names of folders in which each file or token set is a mode.
var modeFolders = []string{"mode", "modes", "theme", "themes", "brand", "brands", "scheme", "schemes", "context", "contexts", "density", "densities"}

// IsModeFolder reports whether a folder is called so that each file, folder or token set in it is a mode.
func IsModeFolder(name string) bool { return slices.Contains(modeFolders, strings.ToLower(name)) }

// setMode is a mode of which a token set is.
type setMode struct{ group, mode string }

// impliedThemes makes a theme of each mode by which token sets are called: light and dark, theme/light and theme/dark,
// brand/a and brand/b, light/colors and dark/colors. Each takes the sets that are called by none too, and one without a
// name these alone if the others are such as dark, beside which they are the usual mode. A set below another is of its
// mode, as brands/a/fonts below brands/a. Of a grid, such as acme/light, acme/dark, globex/light and globex/dark, a set
// is of a brand and of a mode.
func impliedThemes(sets []string, at func(set string) *jsontree.Node) (themes []theme) {
	known, modes := make([]setMode, len(sets)), map[string][]string{}
	for i, name := range sets {
		folder, last := path.Split(name)
		at := ModeAtEnd(last)
		switch isIn := IsModeFolder(path.Base(folder)); {
		case at == len(last) && isIn:
			at = 0
		case at == len(last): // light/colors, color-scheme-dark/button/colors
			folder, last, at = modeAround(name)
		}
		mode := last[at:]
		if key := ModeKey(mode); mode == "" || key == "base" || key == "default" {
			continue
		}
		group := strings.Trim(folder+last[:at], "/-_ ")
		known[i], modes[group] = setMode{group, mode}, AppendNew(modes[group], mode)
	}
	brands := gridOfSets(sets, known, at)
	for i := range known {
		list := modes[known[i].group]
		if _, isBrand := brands[known[i].group]; !isBrand && len(list) == 1 && (HasUsual(list) || !IsModeName(list[0])) {
			known[i] = setMode{}
		}
	}
	of := make([][]setMode, len(sets)) // the modes of each set: none if it is of all
	for i, name := range sets {
		folder, own := "", known[i] // the innermost of a brand
		for group := range brands {
			if (strings.HasPrefix(name+"/", group+"/") || own.group == group) && len(group) > len(folder) {
				folder, of[i] = group, []setMode{brands[group]}
			}
		}
		for j, above := range sets {
			if own.mode == "" && strings.HasPrefix(name, above+"/") {
				own = known[j]
			}
		}
		if _, isBrand := brands[own.group]; isBrand {
			own.group = ""
		}
		if own.mode != "" {
			of[i] = append(of[i], own)
		}
	}
	for _, d := range dimensionsOf(of) {
		for _, mode := range d.Modes {
			t := theme{d.Name[strings.LastIndexByte(d.Name, '/')+1:], mode, map[string]string{}, ""}
			for i, name := range sets {
				switch {
				case len(of[i]) == 0:
					t.states[name] = "shared"
				case slices.Contains(of[i], setMode{d.Name, mode}):
					if t.states[name] = "enabled"; len(of[i]) > 1 {
						t.states[name] = "together"
					}
					if of[i][0].group != d.Name {
						t.across = of[i][0].group
					}
				case len(of[i]) > 1 && of[i][0].group != d.Name && slices.Contains(of[i], setMode{d.Name, d.Modes[0]}):
					t.states[name] = "under"
				}
			}
			themes = append(themes, t)
		}
	}
	return themes
}

// modeAround returns the innermost folder around a token set that is called as a mode, or ends in one other than a
// default, what is around it, and the place of the mode in its name: the end if there is none.
func modeAround(set string) (around, name string, at int) {
	for folder := path.Dir(set); folder != "." && folder != "/"; folder = path.Dir(folder) {
		around, name = path.Split(folder)
		if at = ModeAtEnd(name); at == 0 || at < len(name) && !HasUsual([]string{name[at:]}) {
			return around, name, at
		}
	}
	return "", "", 0
}

// dimensionsOf lists the dimensions of the modes of which token sets are, with the default of each first.
func dimensionsOf(of [][]setMode) (all []Dimension) {
	for _, one := range slices.Concat(of...) {
		i := slices.IndexFunc(all, func(d Dimension) bool { return d.Name == one.group })
		if i < 0 {
			i, all = len(all), append(all, Dimension{Name: one.group})
		}
		all[i].Modes = AppendNew(all[i].Modes, one.mode)
	}
	for i := range all {
		list := UsualFirst(all[i].Modes)
		if !HasUsual(list) && IsModeName(list[0]) {
			list = append([]string{""}, list...)
		}
		all[i].Modes = list
	}
	return all
}

// gridOfSets returns the brands among the groups of token sets: folders beside each other of which each has the same
// usual mode, in a set with tokens that another of them has too.
func gridOfSets(sets []string, known []setMode, at func(set string) *jsontree.Node) map[string]setMode {
	folders := map[string][]setMode{} // by the folder around them
	for _, one := range known {
		if parent, name := path.Split(one.group); name != "" && !IsModeFolder(name) {
			folders[parent] = append(folders[parent], one)
		}
	}
	brands := map[string]setMode{}
	for parent, inside := range folders {
		var modes []string
		for _, one := range inside {
			modes = AppendNew(modes, one.mode)
		}
		usual := map[string]*jsontree.Node{} // the usual mode of each folder
		for i, one := range known {
			if len(modes) > 1 && slices.Contains(inside, one) && one.mode == UsualFirst(modes)[0] {
				usual[one.group] = at(sets[i])
			}
		}
		name := path.Base(parent)
		if !IsModeFolder(name) {
			name = "brand"
		}
		for group, set := range usual {
			for other := range usual {
				if other != group && haveOneToken(set, usual[other]) {
					brands[group] = setMode{name, path.Base(group)}
				}
			}
		}
	}
	return brands
}

// haveOneToken reports whether two token sets have a token of one path.
func haveOneToken(a, b *jsontree.Node) bool {
	return slices.ContainsFunc(membersOf(a), func(m jsontree.Member) bool {
		other := b.Find(m.Name)
		return !isMeta(m.Name) && other.IsObject() && (isToken(m.Value) && isToken(other) || haveOneToken(m.Value, other))
	})
}

// Standings returns what it means of each token set that a later one gives a token another value. If themes of the file
// say which sets are laid over each other, it means nothing.
func Standings(meta *jsontree.Node, sets []string, at func(set string) *jsontree.Node) map[string]Standing {
	standings := map[string]Standing{}
	if len(itemsOf(meta.Find("$themes"))) > 0 {
		return standings
	}
	for _, t := range impliedThemes(sets, at) {
		for set, state := range t.states {
			if standings[set] = Own; state == "shared" {
				standings[set] = Shared
			}
		}
	}
	return standings
}

// studioGroups lists the groups of the themes of Tokens Studio as dimensions, in the order of the file.
func studioGroups(themes []theme) (all []Dimension) {
	for _, t := range themes {
		i := slices.IndexFunc(all, func(d Dimension) bool { return d.Name == t.group })
		if i < 0 {
			i, all = len(all), append(all, Dimension{Name: t.group})
		}
		all[i].Modes = AppendNew(all[i].Modes, t.name)
		all[i].Across = t.across
	}
	return all
}

// chosenSets returns the token sets that one theme of each group takes: all without themes.
func chosenSets(themes []theme, sets []string, o Options) []string {
	if len(themes) == 0 {
		return sets
	}
	return takenSets(sets, chosenStates(themes, o))
}

// chosenStates has the states of the token sets that one theme of each group takes.
func chosenStates(themes []theme, o Options) map[string]string {
	groups, states := studioGroups(themes), map[string]string{}
	for _, t := range themes {
		i := slices.IndexFunc(groups, func(d Dimension) bool { return d.Name == t.group })
		if t.name != cmp.Or(o.ModeAmong(t.group, groups[i].Modes), groups[i].Modes[0]) {
			continue
		}
		for name, state := range t.states {
			switch before := states[name]; {
			case state == "together" && before == state:
				state = "enabled"
			case state == "together" && before == "under", state == "under" && before == "together":
				state = "below"
			}
			if slices.Contains(takenStates, state) && states[name] != "enabled" {
				states[name] = state
			}
		}
	}
	return states
}

// takenStates are those of the token sets that a theme takes: for its own sake, for references alone, or, of a theme
// that names imply, as all themes do, or only together with a theme of another group, for what it has and the sets of a
// mode lack.
var takenStates = []string{"enabled", "source", "shared", "together", "under", "below"}

// takenSets returns the token sets that are taken: those that are there for references alone, the sources, before those
// that are enabled; both in their order. Those below the sets of a mode come just before these.
func takenSets(sets []string, states map[string]string) []string {
	list := withState(sets, states, "enabled", "shared")
	first := slices.IndexFunc(list, func(name string) bool { return states[name] == "enabled" })
	list = slices.Insert(list, max(0, first), withState(sets, states, "below")...)
	return append(withState(sets, states, "source"), list...)
}

// withState returns the token sets with one of some states, in their order.
func withState(sets []string, states map[string]string, some ...string) []string {
	return slices.DeleteFunc(slices.Clone(sets), func(name string) bool { return !slices.Contains(some, states[name]) })
}

// AddThemes adds the dimensions of the themes of Tokens Studio to those of the values of a part, and notes the token
// sets that no theme takes. meta holds the member $themes, if there is one, and at returns a token set.
func (p *Part) AddThemes(meta *jsontree.Node, sets []string, at func(set string) *jsontree.Node) {
	themes := themesOf(meta, sets, at)
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
