package tokenfile

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/cli/tokenfile/tree"
	"example.com/livery/renderer/jsontree"
)

// usualModes are the names of modes that count if none is asked for, the first of them first.
var usualModes = []string{"default", "base", "light", "day", "desktop", "comfortable"}

// usualNames are usualModes and names that only beside those of other modes say that theirs is the default: Figma calls
// the first mode of a collection Mode 1, or Value if it is the only one.
var usualNames = append(slices.Clone(usualModes), "standard", "normal", "regular", "cozy", "medium", "mode1", "value")

// knownModes are the names by which an object inside a value is one value for each mode.
var knownModes = append([]string{"dark", "dim", "night", "mobile", "tablet", "compact", "spacious", "disabled", "wireframe", "lightest", "darkest", "highcontrast", "hc", "lighthc", "darkhc", "lighthighcontrast", "darkhighcontrast"}, usualModes...)

// modeValues chooses one value of those that stand side by side in a value, as in {"light": "#fff", "dark": "#000"}.
type modeValues struct {
	Options
	names   []string       // of the modes, in the order of the file
	sets    map[string]int // tokens by the names of the modes in their values, if some of the names are not known
	concede func(kind string, path jsontree.Pointer, message string)
}

// learn collects the names of the modes in the values of the tokens of a tree.
func (v *modeValues) learn(n *jsontree.Node) {
	v.sets = map[string]int{}
	v.count(n, "")
	eachToken(n, isToken, func(token *jsontree.Node) { v.learnValue(either(token, "$value", "value")) })
}

// extensionModes are the values that a token of DTCG has in other modes as Terrazzo reads them; nil if it has none.
func extensionModes(token *jsontree.Node) []jsontree.Member {
	return membersOf(token.Find("$extensions").Find("mode"))
}

// usualExtension is the name of the first of these modes in a document that is a usual one and has the $value of its
// token.
func usualExtension(n *jsontree.Node) (name string) {
	for _, m := range n.Members {
		value := m.Value.Find(valueName(m.Value))
		switch {
		case name != "" || isMeta(m.Name) || !m.Value.IsObject():
		case !isToken(m.Value):
			name = usualExtension(m.Value)
		default:
			for _, mode := range extensionModes(m.Value) {
				if HasUsual([]string{mode.Name}) && jsontree.Equal(mode.Value, value) {
					name = mode.Name
				}
			}
		}
	}
	return name
}

// withExtensions returns a document in which the values of tokens in other modes, of $extensions.mode, stand in their
// value beside the default, which has a name of its own.
func (v *modeValues) withExtensions(n *jsontree.Node, usual string, path jsontree.Pointer) *jsontree.Node {
	return tree.MapMembers(n, func(m jsontree.Member) jsontree.Member {
		below := append(path[:len(path):len(path)], m.Name)
		valueName := valueName(m.Value)
		value, modes := m.Value.Find(valueName), extensionModes(m.Value)
		switch {
		case isMeta(m.Name) || !m.Value.IsObject():
			return m
		case !isToken(m.Value):
			m.Value = v.withExtensions(m.Value, usual, below)
			return m
		}
		all := []jsontree.Member{{Name: usual, Value: value}}
		for _, mode := range modes {
			if mode.Name != "" && mode.Name != usual && ModeKey(mode.Name) != "default" {
				all = append(all, mode)
			} else if !jsontree.Equal(mode.Value, value) {
				v.concede("modes that are left out", below, "the "+valueName+" is taken, not "+cmp.Or(mode.Name, "a mode without a name")+" of $extensions.mode: "+spelled(mode.Value))
			}
		}
		if len(all) > 1 {
			for _, mode := range all {
				v.groups = append(v.groups, mode.Name)
			}
			m.Value = tree.With(m.Value, valueName, jsontree.NewObject(all...))
		}
		return m
	})
}

// count counts the tokens of a group by the names of the modes that are the author's own. above is the $type of the
// groups around it.
func (v *modeValues) count(n *jsontree.Node, above string) {
	above = cmp.Or(textOf(n.Find("$type")), above)
	for _, m := range n.Members {
		switch {
		case isMeta(m.Name) || !m.Value.IsObject():
		case !isToken(m.Value):
			v.count(m.Value, above)
		default:
			value := either(m.Value, "$value", "value")
			if isOwnModes(cmp.Or(textOf(either(m.Value, "$type", "type")), above), value) {
				v.sets[setOf(value)]++
			}
		}
	}
}

// mostModes is the most names that an object of modes has.
const mostModes = 16

// isOwnModes reports whether the value of a token of a type is an object of modes of which some have names of the
// author's own: it is not of the type, each value in it is or is an alias, and the names hold a usual mode and another
// known one.
func isOwnModes(kind string, n *jsontree.Node) bool {
	if kind == "" || !n.IsObject() || len(n.Members) > mostModes || Fits(kind, n) {
		return false
	}
	usual, known := false, false
	for _, m := range n.Members {
		if !strings.HasPrefix(textOf(m.Value), "{") && !Fits(kind, m.Value) {
			return false
		}
		switch {
		case isUsual(m.Name):
			usual = true
		case ModeKey(m.Name) != "disabled" && IsModeName(m.Name): // which may be a state beside others
			known = true
		}
	}
	return usual && known
}

// setOf spells the names of an object, whatever their order.
func setOf(n *jsontree.Node) string {
	var names []string
	for _, m := range n.Members {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	return strings.Join(names, "\x00")
}

// isModes reports whether an object holds one value for each mode: by names that are known, that two tokens have, or
// that are those of groups.
func (v *modeValues) isModes(n *jsontree.Node) bool {
	isOther := func(m jsontree.Member) bool { return !slices.Contains(v.groups, m.Name) }
	return isModes(n) || len(v.sets) > 0 && n.IsObject() && v.sets[setOf(n)] > 1 || n.IsObject() && len(n.Members) > 1 && !slices.ContainsFunc(n.Members, isOther)
}

// learnValue collects the names of the modes in a value.
func (v *modeValues) learnValue(n *jsontree.Node) {
	if n = joinModes(n); v.isModes(n) {
		for _, m := range n.Members {
			if !slices.ContainsFunc(v.names, isMode(m.Name)) {
				v.names = append(v.names, m.Name)
			}
		}
	}
	for _, inside := range below(n) {
		v.learnValue(inside)
	}
}

// isModes reports whether an object holds one value for each mode and nothing else. Beside a condition such as _dark
// any name is that of a mode.
func isModes(n *jsontree.Node) bool {
	if !n.IsObject() || len(n.Members) < 2 {
		return false
	}
	usual, hasCondition := false, slices.ContainsFunc(n.Members, func(m jsontree.Member) bool { return strings.HasPrefix(m.Name, "_") })
	for _, m := range n.Members {
		if !hasCondition && !isKnownMode(m.Name) || m.Value.IsObject() && (m.Value.Find("$value") != nil || m.Value.Find("value") != nil && m.Value.Find("unit") == nil) {
			return false
		}
		usual = usual || isUsual(m.Name)
	}
	return usual
}

// WhyNotModes says why an object does not have a value for each mode, though it has names of modes; empty if it has none.
func WhyNotModes(n *jsontree.Node) string {
	known, usual, other := "", "", ""
	for _, m := range n.Members {
		switch {
		case isUsual(m.Name):
			usual = m.Name
		case isKnownMode(m.Name):
			known = m.Name
		default:
			other = cmp.Or(other, m.Name)
		}
	}
	switch name := cmp.Or(usual, known); {
	case name == "":
		return ""
	case len(n.Members) == 1:
		return strconv.Quote(name) + ` alone is not read as a mode; write {"light": …, "dark": …}, or the value itself`
	case other != "":
		return strconv.Quote(other) + " is not known as a mode; write a token for each name, or the same names, light and dark among them, in two tokens with a $type"
	case usual == "":
		return "no value is that of a usual mode; give it one as light or default"
	}
	return ""
}

// isKnownMode reports whether a name is that of a mode that is known, or of several with spaces between.
func isKnownMode(name string) bool {
	isOther := func(word string) bool { return !IsModeName(word) }
	return IsModeName(name) || strings.Contains(name, " ") && !slices.ContainsFunc(strings.Fields(name), isOther)
}

// joinModes returns a value in which modes that stand in others are modes beside them: of {"dark": {"default": 1, "hc":
// 2}} the modes dark and dark hc.
func joinModes(n *jsontree.Node) *jsontree.Node {
	n = tree.MapChildren(n, func(_ string, value *jsontree.Node) *jsontree.Node { return joinModes(value) })
	if isModes(n) { // of an inner object of one mode, the usual one, its value
		n = tree.MapChildren(n, func(_ string, value *jsontree.Node) *jsontree.Node {
			if value.IsObject() && len(value.Members) == 1 && isUsual(value.Members[0].Name) {
				return value.Members[0].Value
			}
			return value
		})
	}
	if !isModes(n) || !slices.ContainsFunc(n.Members, func(m jsontree.Member) bool { return isModes(m.Value) }) {
		return n
	}
	joined := jsontree.NewObject()
	for _, outer := range n.Members {
		if !isModes(outer.Value) {
			joined.Members = append(joined.Members, outer)
			continue
		}
		usual := modeIndex(outer.Value, "")
		for i, inner := range outer.Value.Members {
			name := outer.Name
			switch {
			case i == usual:
			case isUsual(outer.Name):
				name = inner.Name
			default:
				name += " " + inner.Name
			}
			joined.Members = append(joined.Members, jsontree.Member{Name: name, Value: inner.Value})
		}
	}
	joined.Index()
	return joined
}

// isMode reports of a name whether it is that of a mode.
func isMode(mode string) func(name string) bool {
	return func(name string) bool { return ModeKey(name) == ModeKey(mode) }
}

// ModeKey spells the name of a mode for comparisons: in lower case, without spaces, hyphens and underscores. "Dark Mode" is
// dark.
func ModeKey(name string) string {
	key := strings.ToLower(withoutHyphens.Replace(name))
	for _, word := range []string{"value", "mode", "theme", "scheme"} {
		key = cmp.Or(strings.TrimSuffix(key, word), key)
	}
	return key
}

var withoutHyphens = strings.NewReplacer("-", "", "_", "", " ", "")

// choose returns a value with those of one mode in it, and whether the token counts: of overrides only those of the
// mode that is asked for do, if they differ from the usual one.
func (v *modeValues) choose(value *jsontree.Node, path jsontree.Pointer) (chosen *jsontree.Node, counts bool) {
	if len(v.names) == 0 {
		return value, true
	}
	isOverride := v.Overrides && v.Mode != ""
	value = joinModes(value)
	if !v.holdsModes(value) {
		return value, !isOverride
	}
	v.nameTwice(value, path)
	chosen = v.pick(value, v.Mode)
	if isOverride {
		return chosen, !jsontree.Equal(chosen, v.pick(value, ""))
	}
	if v.Choice != nil { // the others are not left out
		return chosen, true
	}
	taken, left := v.listed(value)
	v.concede("values of several modes", path, spelled(value)+": "+taken+" is taken, not "+strings.Join(left, ", ")+" (--token-mode)")
	return chosen, true
}

// nameTwice names the second of two values for one mode, whose names are spelled otherwise.
func (v *modeValues) nameTwice(value *jsontree.Node, path jsontree.Pointer) {
	for i, m := range value.Members {
		first := slices.IndexFunc(value.Members, func(other jsontree.Member) bool { return isMode(m.Name)(other.Name) })
		if first < i && v.isModes(value) && !jsontree.Equal(value.Members[first].Value, m.Value) {
			v.concede("values of one mode", path, strconv.Quote(m.Name)+" is "+strconv.Quote(value.Members[first].Name)+", which counts; left out is "+spelled(m.Value))
		}
	}
}

// listed says which mode of the first object of modes in a value is taken, and which are not.
func (v *modeValues) listed(value *jsontree.Node) (taken string, left []string) {
	if !v.isModes(value) {
		for _, inside := range below(value) {
			if v.holdsModes(inside) {
				return v.listed(inside)
			}
		}
	}
	i := modeIndex(value, v.Mode)
	for at, m := range value.Members {
		if at != i {
			left = append(left, m.Name)
		}
	}
	return value.Members[i].Name, left
}

// below lists the values inside a value.
func below(n *jsontree.Node) (list []*jsontree.Node) {
	for _, m := range n.Members {
		list = append(list, m.Value)
	}
	return append(list, n.Items()...)
}

func (v *modeValues) holdsModes(n *jsontree.Node) bool {
	return v.isModes(n) || slices.ContainsFunc(below(n), v.holdsModes)
}

// modeIndex is the place of a mode among the members of an object of modes; of one of the modes that it is joined of,
// or of a usual one, if it is not among them.
func modeIndex(n *jsontree.Node, mode string) int {
	for _, wanted := range slices.Concat([]string{mode}, strings.Fields(mode), usualNames) {
		i := slices.IndexFunc(n.Members, func(m jsontree.Member) bool { return wanted != "" && ModeKey(m.Name) == ModeKey(wanted) })
		if i >= 0 {
			return i
		}
	}
	return 0
}

// pick returns a value with one mode of each object of modes inside it.
func (v *modeValues) pick(n *jsontree.Node, mode string) *jsontree.Node {
	switch {
	case !v.holdsModes(n):
		return n
	case v.isModes(n):
		return v.pick(n.Members[modeIndex(n, mode)].Value, mode)
	}
	return tree.MapChildren(n, func(_ string, value *jsontree.Node) *jsontree.Node { return v.pick(value, mode) })
}

// modeGroups are the names of groups in which each group is a mode, as MUI, theme-ui, Vuetify and Material's theme
// builder have them.
var modeGroups = []string{"colorschemes", "modes", "schemes", "themes"}

// besideModes is the mode of what stands beside a group of modes: their default.
const besideModes = "default"

// inMode returns the group of modes in which a value stands, its mode, and its path without both; the group is empty if
// it stands in none.
func (l leaf) inMode() (group, mode string, path jsontree.Pointer) {
	i := slices.IndexFunc(l.path, func(name string) bool { return slices.Contains(modeGroups, ModeKey(name)) })
	if i < 0 || i+2 >= len(l.path) {
		return "", besideModes, l.path
	}
	return l.path[:i+1].String(), l.path[i+1], slices.Concat(l.path[:i], l.path[i+2:])
}

// modeTokens are the values of the tokens of a mode by their paths.
type modeTokens map[string]*jsontree.Node

// isLike reports whether at least half of the tokens of a mode are those of another.
func (m modeTokens) isLike(other modeTokens) bool {
	shared := 0
	for path := range m {
		if other[path] != nil {
			shared++
		}
	}
	return 2*shared >= len(m)
}

// isSame reports whether a mode says nothing else than another.
func (m modeTokens) isSame(other modeTokens) bool {
	for path, value := range m {
		if !jsontree.Equal(value, other[path]) {
			return false
		}
	}
	return true
}

// modeJoiner makes the values of groups of modes in plain JSON values of one token each.
type modeJoiner struct {
	list  []leaf
	modes []string
	said  []Concession

	tokens map[string]map[string]modeTokens // by group and mode
	usual  map[string]string                // the default mode of each group whose groups are modes
	at     map[string]int                   // path -> place in list
}

// joinGroups makes of colorSchemes.light.a and colorSchemes.dark.a the value {"light": …, "dark": …} of a, and of
// modes.dark.a beside a the value {"default": …, "dark": …}.
func joinGroups(list []leaf) *modeJoiner {
	j := &modeJoiner{tokens: map[string]map[string]modeTokens{}, usual: map[string]string{}, at: map[string]int{}}
	names, places := map[string][]string{}, map[string]leaf{} // the modes of each group, and the values by their dotted paths
	for _, l := range list {
		group, mode, path := l.inMode()
		if j.tokens[group] == nil {
			j.tokens[group] = map[string]modeTokens{}
		}
		if j.tokens[group][mode] == nil {
			j.tokens[group][mode], names[group] = modeTokens{}, append(names[group], mode)
		}
		j.tokens[group][mode][path.String()], places[strings.Join(l.path, ".")] = l.value, l
	}
	for group, modes := range names {
		if group != "" {
			j.decide(group, modes)
		}
	}
	if len(j.usual) == 0 {
		j.list = list
		return j
	}
	for _, l := range list {
		j.add(l, places)
	}
	j.unwrap()
	return j
}

// decide finds out which groups in a group are modes: those that are like what stands beside the group, or else like
// the one with a usual name, if another has a known one. It forgets the others, and those that say nothing else than
// what stands beside.
func (j *modeJoiner) decide(group string, modes []string) {
	tokens, beside := j.tokens[group], j.tokens[""][besideModes]
	keep := func(usual string, like modeTokens) (known bool) {
		for _, mode := range modes {
			switch {
			case mode == usual:
				continue
			case !tokens[mode].isLike(like):
				delete(tokens, mode)
				continue
			case usual == "" && tokens[mode].isSame(beside):
				tokens[mode] = modeTokens{}
			}
			known = known || isKnownMode(mode)
		}
		return known
	}
	first := UsualFirst(modes)[0]
	switch {
	case tokens[besideModes] == nil && slices.ContainsFunc(modes, func(mode string) bool { return tokens[mode].isLike(beside) }):
		keep("", beside)
		j.usual[group] = besideModes
	case HasUsual(modes) && keep(first, tokens[first]):
		j.usual[group] = first
	}
}

// add adds a value: that of a mode to those of its token.
func (j *modeJoiner) add(l leaf, places map[string]leaf) {
	group, mode, path := l.inMode()
	switch tokens, isJoined := j.tokens[group][mode], j.usual[group] != ""; {
	case group != "" && (!isJoined || tokens == nil):
		path, mode = l.path, besideModes
	case group != "" && len(tokens) == 0: // it says what stands beside
		return
	}
	member := jsontree.Member{Name: mode, Value: j.value(l, mode, places)}
	i, known := j.at[path.String()]
	if !known {
		j.at[path.String()] = len(j.list)
	}
	if !known || j.list[i].value.Find(mode) != nil { // the latter is a fault of its token
		i, j.list = len(j.list), append(j.list, leaf{path: path, value: jsontree.NewObject(), origin: l.path})
	}
	j.list[i].value.Members = append(j.list[i].value.Members, member)
	j.list[i].value.Index()
	if mode == besideModes {
		j.list[i].origin = l.path
	}
	j.modes = AppendNew(j.modes, mode)
}

// value is the value of l in its mode. An alias of a value in a mode is one of the joined token, if both are of one
// mode, and else what stands there.
func (j *modeJoiner) value(l leaf, mode string, places map[string]leaf) *jsontree.Node {
	value := l.value
	for range mostModes { // aliases may lead in a circle
		name, isAlias := strings.CutPrefix(textOf(value), "{")
		target, known := places[strings.TrimSuffix(name, "}")]
		group, own, path := target.inMode()
		switch usual := j.usual[group]; {
		case !isAlias || !known || usual == "" || j.tokens[group][own] == nil:
			return value
		case own == mode || mode == besideModes && own == usual:
			return jsontree.NewString("{" + strings.Join(path, ".") + "}")
		}
		value = target.value
	}
	return value
}

// oneModeAlone is the kind of the concessions of values that one mode has, and not the default.
const oneModeAlone = "values of one mode alone"

// unwrap makes the value of a token of an object whose members are equal.
func (j *modeJoiner) unwrap() {
	for i, l := range j.list {
		first := l.value.Members[0]
		if slices.ContainsFunc(l.value.Members, func(m jsontree.Member) bool { return !jsontree.Equal(m.Value, first.Value) }) {
			continue
		}
		j.list[i].value = first.Value
		if len(l.value.Members) == 1 && !HasUsual([]string{first.Name}) {
			j.said = append(j.said, Concession{oneModeAlone, l.origin.String(), strings.Join(l.path, "."), first.Name + " alone says it, and it counts in all modes"})
		}
	}
}
