package tokenfile

import (
	"cmp"
	"slices"
	"strings"

	"example.com/livery/cli/tokenfile/tree"
	"example.com/livery/renderer/jsontree"
)

// usualModes are the names of modes that count if none is asked for, the first of them first.
var usualModes = []string{"default", "base", "light", "day", "desktop", "comfortable"}

// knownModes are the names by which an object inside a value is one value for each mode.
var knownModes = append([]string{"dark", "dim", "night", "mobile", "tablet", "compact", "disabled", "wireframe", "lightest", "darkest", "highcontrast", "hc", "lighthc", "darkhc", "lighthighcontrast", "darkhighcontrast"}, usualModes...)

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
	v.learnNames(n)
}

// count counts the tokens of a group by the names of the modes that are the author's own. above is the $type of the groups
// around it.
func (v *modeValues) count(n *jsontree.Node, above string) {
	above = cmp.Or(textOf(n.Find("$type")), above)
	for _, m := range n.Members {
		switch {
		case isMeta(m.Name) || !m.Value.IsObject():
		case m.Value.Find("$value") == nil && !isLegacyToken(m.Value):
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

// isOwnModes reports whether the value of a token of a type is an object of modes of which some have names of the author's
// own: it is not of the type, each value in it is or is an alias, and the names hold a usual mode and another known one.
func isOwnModes(kind string, n *jsontree.Node) bool {
	if kind == "" || !n.IsObject() || len(n.Members) > mostModes || Fits(kind, n) {
		return false
	}
	usual, known := false, false
	for _, m := range n.Members {
		if !strings.HasPrefix(textOf(m.Value), "{") && !Fits(kind, m.Value) {
			return false
		}
		switch name := ModeKey(m.Name); {
		case slices.Contains(usualModes, name):
			usual = true
		case name != "disabled" && slices.Contains(knownModes, name): // which may be a state beside others
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

// isModes reports whether an object holds one value for each mode: by names that are known, or that two tokens have.
func (v *modeValues) isModes(n *jsontree.Node) bool {
	return isModes(n) || len(v.sets) > 0 && n.IsObject() && v.sets[setOf(n)] > 1
}

func (v *modeValues) learnNames(n *jsontree.Node) {
	for _, m := range n.Members {
		switch {
		case isMeta(m.Name) || !m.Value.IsObject():
		case m.Value.Find("$value") != nil || isLegacyToken(m.Value):
			v.learnValue(either(m.Value, "$value", "value"))
		default:
			v.learnNames(m.Value)
		}
	}
}

func (v *modeValues) learnValue(n *jsontree.Node) {
	if n = joinModes(n); v.isModes(n) {
		for _, m := range n.Members {
			if !slices.Contains(v.names, m.Name) {
				v.names = append(v.names, m.Name)
			}
		}
	}
	for _, inside := range below(n) {
		v.learnValue(inside)
	}
}

// isModes reports whether an object holds one value for each mode and nothing else.
func isModes(n *jsontree.Node) bool {
	if !n.IsObject() || len(n.Members) < 2 {
		return false
	}
	usual := false
	for _, m := range n.Members {
		name := ModeKey(m.Name)
		if !isKnownMode(m.Name) || m.Value.IsObject() && (m.Value.Find("$value") != nil || m.Value.Find("value") != nil && m.Value.Find("unit") == nil) {
			return false
		}
		usual = usual || slices.Contains(usualModes, name)
	}
	return usual
}

// isKnownMode reports whether a name is that of a mode that is known, or of several with spaces between.
func isKnownMode(name string) bool {
	isKnown := func(word string) bool { return slices.Contains(knownModes, ModeKey(word)) }
	return isKnown(name) || strings.Contains(name, " ") && !slices.ContainsFunc(strings.Fields(name), func(word string) bool { return !isKnown(word) })
}

// joinModes returns a value in which modes that stand in others are modes beside them: of {"dark": {"default": 1, "hc": 2}} the
// modes dark and dark hc.
func joinModes(n *jsontree.Node) *jsontree.Node {
	n = tree.MapChildren(n, func(_ string, value *jsontree.Node) *jsontree.Node { return joinModes(value) })
	if isModes(n) { // of an inner object of one mode, the usual one, its value
		n = tree.MapChildren(n, func(_ string, value *jsontree.Node) *jsontree.Node {
			if value.IsObject() && len(value.Members) == 1 && slices.Contains(usualModes, ModeKey(value.Members[0].Name)) {
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
			case slices.Contains(usualModes, ModeKey(outer.Name)):
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

// ModeKey spells the name of a mode for comparisons: in lower case, without spaces, hyphens and underscores.
func ModeKey(name string) string {
	return strings.ToLower(withoutHyphens.Replace(name))
}

var withoutHyphens = strings.NewReplacer("-", "", "_", "", " ", "")

// choose returns a value with those of one mode in it, and whether the token counts: of overrides only those of the mode that
// is asked for do, if they differ from the usual one.
func (v *modeValues) choose(value *jsontree.Node, path jsontree.Pointer) (chosen *jsontree.Node, counts bool) {
	if len(v.names) == 0 {
		return value, true
	}
	isOverride := v.Overrides && v.Mode != ""
	value = joinModes(value)
	if !v.holdsModes(value) {
		return value, !isOverride
	}
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

// modeIndex is the place of a mode among the members of an object of modes; of one of the modes that it is joined of, or of a
// usual one, if it is not among them.
func modeIndex(n *jsontree.Node, mode string) int {
	for _, wanted := range slices.Concat([]string{mode}, strings.Fields(mode), usualModes) {
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
