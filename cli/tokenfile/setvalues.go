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

// readSetValues makes a part of tokens of Spectrum's kind: a value for each set, sets within sets, and a ref beside the value
// that it stands for, which is an alias.
func readSetValues(root *jsontree.Node, o Options) ([]Part, error) {
	part := convertSet("", flattened(root), nil, dictionaryTokens, o)
	part.Concessions = append(part.Concessions, leftSets(root, nil)...)
	return []Part{part}, nil
}

// leftSets names the sets of tokens that are not modes, of which the first counts.
func leftSets(n *jsontree.Node, at jsontree.Pointer) (list []Concession) {
	for _, m := range n.Members {
		below, isSets := append(at[:len(at):len(at)], m.Name), isSetValue(n) && m.Name == "sets"
		if isSets && len(m.Value.Members) > 1 && !isModes(setsOf(m.Value)) {
			for _, set := range m.Value.Members[1:] {
				list = append(list, Concession{
					"values of several sets", append(below[:len(below):len(below)], set.Name).String(), strings.Join(at, "."),
					"the value of " + m.Value.Members[0].Name + " is taken, not that of " + set.Name + ": " + spelled(setValue(set.Value)),
				})
			}
		}
		if m.Value.IsObject() {
			list = append(list, leftSets(m.Value, below)...)
		}
	}
	return list
}

// setsOf is the value of each of the sets of a token.
func setsOf(sets *jsontree.Node) *jsontree.Node {
	values := jsontree.NewObject()
	for _, m := range sets.Members {
		values.Members = append(values.Members, jsontree.Member{Name: m.Name, Value: setValue(m.Value)})
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
				if beside.Name == "type" || beside.Name == "comment" || beside.Name == "description" {
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

// setValue is the value of a token: an alias, a value for each set, or a value.
func setValue(n *jsontree.Node) *jsontree.Node {
	switch ref := n.Find("ref"); {
	case textOf(ref) != "":
		return jsontree.NewString("{" + strings.Trim(ref.Text, "{}") + "}")
	case ref != nil && !ref.IsString():
		return shadowed(ref)
	case !isSetValue(n):
		return shadowed(n.Find("value"))
	}
	values := setsOf(n.Find("sets"))
	if len(values.Members) == 1 || !isModes(values) {
		return values.Members[0].Value
	}
	return values
}
