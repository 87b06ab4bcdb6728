package tokenfile

import (
	"slices"
	"strings"

	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/renderer/jsontree"
)

// isSetValue reports whether n is a token whose values stand in sets.
func isSetValue(n *jsontree.Node) bool {
	sets := n.Find("sets")
	return sets.IsObject() && len(sets.Members) > 0 && !slices.ContainsFunc(sets.Members, func(m jsontree.Member) bool {
		return m.Value.Find("value") == nil && m.Value.Find("ref") == nil && !isSetValue(m.Value)
	})
}

func recogniseSetValues(f *syntax.File, _ Options) string {
	path, ok := firstAt(f.Root, isSetValue)
	if !ok || path == "" || holds(f.Root, "$value") { // a group that is called sets
		return ""
	}
	return named(path) + " has sets, each with a value"
}

// readSetValues makes a part of tokens of Spectrum's kind: a value for each set, sets within sets, and a ref beside the
// value that it stands for, which is an alias.
func readSetValues(root *jsontree.Node, o Options) ([]Part, error) {
	o.groups = modesOfSets(root)
	part := convertSet("", flattened(root), nil, dictionaryTokens, o)
	part.Concessions = append(part.Concessions, leftSets(root, nil)...)
	return []Part{part}, nil
}

// modesOfSets lists the names of the sets that are modes.
func modesOfSets(n *jsontree.Node) (names []string) {
	for _, m := range membersOf(n) {
		names = append(names, modesOfSets(m.Value)...)
		if isSetValue(m.Value) && areModes(setsOf(m.Value)) {
			for _, set := range setsOf(m.Value).Members {
				names = append(names, set.Name)
			}
		}
	}
	return names
}

// areModes reports whether sets are modes, whatever their names are: those in which others are modes are not, unless
// their own names are known.
func areModes(sets *jsontree.Node) bool {
	return isModes(sets) || !slices.ContainsFunc(sets.Members, func(m jsontree.Member) bool { return isModes(m.Value) })
}

// leftSets names the values of tokens that no mode has: of sets that are not modes the first counts. It names the
// tokens of which one mode alone has a value, too.
func leftSets(n *jsontree.Node, at jsontree.Pointer) (list []Concession) {
	path := strings.Join(at, ".")
	if isSetValue(n) {
		values := setsOf(n)
		first := values.Members[0]
		switch own := ownValue(n); {
		case len(values.Members) == 1 && IsModeName(first.Name) && !isUsual(first.Name):
			list = append(list, Concession{oneModeAlone, at.String(), path, first.Name + " alone says it, and it counts in all modes"})
		case n.Find("ref") == nil && own != nil && values.Find(besideModes) == nil && !jsontree.Equal(own, values.Members[modeIndex(values, "")].Value):
			list = append(list, Concession{twoValues, at.String(), path, "the values of its sets count, and its own is left out: " + spelled(own)})
		}
		for _, set := range values.Members[1:] {
			if !areModes(values) {
				below := append(at[:len(at):len(at)], "sets", set.Name)
				list = append(list, Concession{"values of several sets", below.String(), path, "the value of " + first.Name + " is taken, not that of " + set.Name + ": " + spelled(set.Value)})
			}
		}
	}
	for _, m := range n.Members {
		if m.Value.IsObject() {
			list = append(list, leftSets(m.Value, append(at[:len(at):len(at)], m.Name))...)
		}
	}
	return list
}

// setsOf is the value of each of the sets of a token. A value beside the sets is the default, if none of them is.
func setsOf(n *jsontree.Node) *jsontree.Node {
	var names []string
	values := jsontree.NewObject()
	for _, m := range n.Find("sets").Members {
		names = append(names, m.Name)
		values.Members = append(values.Members, jsontree.Member{Name: m.Name, Value: setValue(m.Value)})
	}
	if own := n.Find("value"); own != nil && !HasUsual(names) {
		values.Members = append([]jsontree.Member{{Name: besideModes, Value: shadowed(own)}}, values.Members...)
	}
	return values
}

// flattened returns a tree in which the sets of each token are one value for each mode.
func flattened(n *jsontree.Node) *jsontree.Node {
	result := jsontree.NewObject()
	for _, m := range n.Members {
		switch {
		case isMeta(m.Name) || !m.Value.IsObject():
		case isSetValue(m.Value) || m.Value.Find("ref") != nil || isLegacyToken(m.Value):
			token := jsontree.NewObject(jsontree.Member{Name: "value", Value: setValue(m.Value)})
			for _, beside := range m.Value.Members {
				if !isMeta(beside.Name) && !slices.Contains([]string{"value", "sets", "ref"}, beside.Name) {
					token.Members = append(token.Members, beside)
				}
			}
			m.Value = token
		default:
			m.Value = flattened(m.Value)
		}
		result.Members = append(result.Members, m)
	}
	result.Index()
	return result
}

// shadowed returns a value with the parts of a shadow as DTCG names them.
func shadowed(value *jsontree.Node) *jsontree.Node {
	first := value
	if len(itemsOf(value)) > 0 {
		first = value.Items()[0]
	}
	if first.Find("blur") != nil && first.Find("x") != nil {
		return shadow(value)
	}
	return value
}

// ownValue is the value of a token that stands in no set; nil if it has none.
func ownValue(n *jsontree.Node) *jsontree.Node {
	switch ref := n.Find("ref"); {
	case textOf(ref) != "":
		return jsontree.NewString("{" + strings.Trim(ref.Text, "{}") + "}")
	case ref != nil && !ref.IsString():
		return shadowed(ref)
	}
	return shadowed(n.Find("value"))
}

// setValue is the value of a token: an alias, a value for each set, or a value.
func setValue(n *jsontree.Node) *jsontree.Node {
	if n.Find("ref") != nil || !isSetValue(n) {
		return ownValue(n)
	}
	values := setsOf(n)
	if len(values.Members) == 1 || !areModes(values) {
		return values.Members[0].Value
	}
	return values
}
