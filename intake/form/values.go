package form

import (
	"maps"
	"slices"
	"strings"

	"example.com/livery/intake/model"
	"example.com/livery/intake/tree"
	"example.com/livery/intake/value"
	"example.com/livery/renderer/jsontree"
)

// valueModes tells the modes that members of values name, and collects those of one document.
type valueModes struct {
	dimensions []model.Dimension          // all that values may have; the first mode of each is its default
	conditions map[string]model.Condition // by the name of a member
	used       map[model.Condition]bool
}

// newValueModes returns the modes of the values of a document: light and dark, also as the conditions of Panda and Chakra, and those of o.
func newValueModes(o Options) *valueModes {
	v := &valueModes{conditions: map[string]model.Condition{}, used: map[model.Condition]bool{}}
	names := maps.Clone(o.Values)
	if names == nil {
		names = map[string][]string{}
	}
	for _, mode := range []string{"light", "dark"} {
		if !slices.Contains(names["scheme"], mode) {
			names["scheme"] = append(slices.Clip(names["scheme"]), mode)
		}
		condition := model.Condition{Axis: model.Axis{Kind: model.Value, Name: "scheme"}, Mode: mode}
		v.conditions["_"+mode], v.conditions["_os"+strings.ToUpper(mode[:1])+mode[1:]] = condition, condition
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		axis := model.Axis{Kind: model.Value, Name: name}
		v.dimensions = append(v.dimensions, model.Dimension{Axis: axis, Modes: names[name], Default: names[name][0]})
		for _, mode := range names[name] {
			v.conditions[mode] = model.Condition{Axis: axis, Mode: mode}
		}
	}
	return v
}

// usedDimensions returns the dimensions that values of the document have, with the modes that they name and the default.
func (v *valueModes) usedDimensions() (list []model.Dimension) {
	for _, d := range v.dimensions {
		isUnused := func(mode string) bool { return mode != d.Default && !v.used[model.Condition{Axis: d.Axis, Mode: mode}] }
		if d.Modes = slices.DeleteFunc(slices.Clone(d.Modes), isUnused); len(d.Modes) > 1 {
			list = append(list, d)
		}
	}
	return list
}

// addToken adds the declaration of a token to a document: one for each mode of its $value, the default first.
func (v *valueModes) addToken(d *model.Document, decl model.Decl) {
	v.each(d, decl, decl.Node.Find("$value"), func(picked *jsontree.Node, when []model.Context) {
		own := decl
		own.Node, own.When = tree.With(decl.Node, "$value", picked), when
		d.Decls = append(d.Decls, own)
	})
}

// each visits the values of a declaration for each mode of a value, the default first. Conditions that are not modes become problems.
func (v *valueModes) each(d *model.Document, decl model.Decl, given *jsontree.Node, visit func(picked *jsontree.Node, when []model.Context)) {
	unread := func(m jsontree.Member) {
		d.Report(decl.Place, decl.Name(), "conditions that are not modes", "its value for "+m.Name+" is left out: "+value.Spell(m.Value), true)
	}
	for _, one := range v.values(given, unread) {
		visit(one.value, withContext(decl.When, one.when))
	}
}

// withContext returns contexts of which one holds if one of a list, which is empty for always, and another context do.
func withContext(list []model.Context, other model.Context) (both []model.Context) {
	switch {
	case len(other) == 0:
		return list
	case len(list) == 0:
		return []model.Context{other}
	}
	for _, context := range list {
		both = append(both, slices.Concat(context, other))
	}
	return both
}

// modeValue is a value in a context.
type modeValue struct {
	when  model.Context
	value *jsontree.Node
}

// values returns what a value is in its modes. Of those whose contexts hold the last counts. It calls unread for the conditions that are
// not modes.
func (v *valueModes) values(n *jsontree.Node, unread func(jsontree.Member)) []modeValue {
	if v.isModes(n) {
		return v.modeValues(n, unread)
	}
	all := []modeValue{{nil, n}}
	for _, child := range childrenOf(n) {
		if !v.holdsModes(child) {
			continue
		}
		var combined []modeValue
		own := v.values(child, unread)
		for _, around := range all {
			for _, one := range own {
				whole := tree.MapChildren(around.value, func(_ string, part *jsontree.Node) *jsontree.Node {
					if part == child {
						return one.value
					}
					return part
				})
				combined = appendJoined(combined, around.when, modeValue{one.when, whole})
			}
		}
		all = lastOfEach(combined)
	}
	return all
}

// modeValues is values for an object of modes.
func (v *valueModes) modeValues(n *jsontree.Node, unread func(jsontree.Member)) (first []modeValue) {
	var rest []modeValue
	for _, m := range n.Members {
		condition, isMode := v.conditions[m.Name]
		if isMode {
			v.used[condition] = true
		}
		switch {
		case v.isDefault(n, m.Name):
			first = append(first, v.values(m.Value, unread)...)
		case isMode:
			for _, one := range v.values(m.Value, unread) {
				rest = appendJoined(rest, model.Context{condition}, one)
			}
		default:
			unread(m)
		}
	}
	return lastOfEach(append(first, rest...))
}

// isDefault reports whether a member of an object of modes has the value that holds where no other does.
func (v *valueModes) isDefault(n *jsontree.Node, name string) bool {
	if slices.ContainsFunc(n.Members, func(m jsontree.Member) bool { return isBase(m.Name) }) {
		return isBase(name)
	}
	condition, isMode := v.conditions[name]
	return isMode && slices.ContainsFunc(v.dimensions, func(d model.Dimension) bool { return d.Axis == condition.Axis && d.Default == condition.Mode })
}

// isBase reports whether a member of an object of modes has the default in the words of Panda and Chakra.
func isBase(name string) bool { return name == "base" || name == "default" }

// isModes reports whether each member of an object is the value of a mode, or of a condition that is not one beside a mode.
func (v *valueModes) isModes(n *jsontree.Node) bool {
	known := false
	for _, m := range membersOf(n) {
		_, isMode := v.conditions[m.Name]
		known = known || isMode || isBase(m.Name)
		if !isMode && !isBase(m.Name) && !strings.HasPrefix(m.Name, "_") {
			return false
		}
	}
	return known
}

// holdsModes reports whether a value has modes, or a part of it has.
func (v *valueModes) holdsModes(n *jsontree.Node) bool {
	return v.isModes(n) || slices.ContainsFunc(childrenOf(n), v.holdsModes)
}

// childrenOf returns the values directly in a value.
func childrenOf(n *jsontree.Node) []*jsontree.Node {
	children := itemsOf(n)
	for _, m := range membersOf(n) {
		children = append(children, m.Value)
	}
	return children
}

// appendJoined appends a value in both its context and another, unless these exclude each other.
func appendJoined(all []modeValue, when model.Context, one modeValue) []modeValue {
	isOther := func(c model.Condition) bool {
		return slices.ContainsFunc(when, func(f model.Condition) bool { return f.Axis == c.Axis && f.Mode != c.Mode })
	}
	if slices.ContainsFunc(one.when, isOther) {
		return all
	}
	both := slices.Concat(when, one.when)
	slices.SortFunc(both, func(a, b model.Condition) int { return strings.Compare(a.Name, b.Name) })
	return append(all, modeValue{slices.Compact(both), one.value})
}

// lastOfEach returns values without those whose context another has later in the list.
func lastOfEach(list []modeValue) (last []modeValue) {
	for i, one := range list {
		if !slices.ContainsFunc(list[i+1:], func(later modeValue) bool { return slices.Equal(later.when, one.when) }) {
			last = append(last, one)
		}
	}
	return last
}
