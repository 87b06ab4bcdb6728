package form

import (
	"cmp"
	"slices"
	"strings"

	"example.com/livery/intake/model"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

const spectrumName = "a document of tokens with sets, as Spectrum's"

// isSpectrum reports whether a file has a token whose values stand in sets.
func isSpectrum(f *model.File) bool {
	return !holdsDollarValue(f.Root) && slices.ContainsFunc(f.Root.Members, func(m jsontree.Member) bool { return hasSets(m.Value) })
}

func holdsDollarValue(n *jsontree.Node) bool {
	return n.IsObject() && (n.Find("$value") != nil || slices.ContainsFunc(n.Members, func(m jsontree.Member) bool { return holdsDollarValue(m.Value) }))
}

// hasSets reports whether n is a token whose values stand in sets.
func hasSets(n *jsontree.Node) bool {
	sets := n.Find("sets")
	return sets.IsObject() && len(sets.Members) > 0 && !slices.ContainsFunc(sets.Members, func(m jsontree.Member) bool {
		return m.Value.Find("value") == nil && m.Value.Find("ref") == nil && !hasSets(m.Value)
	})
}

// readSpectrum reads tokens of which each has a value, a ref that is an alias, or one of these for each set. The first set of a token is
// its default.
func readSpectrum(f *model.File, o Options) (*model.Document, error) {
	d := newDictionary(f, o)
	var walk func(n *jsontree.Node, path jsontree.Pointer)
	walk = func(n *jsontree.Node, path jsontree.Pointer) {
		for _, m := range n.Members {
			below := append(path[:len(path):len(path)], m.Name)
			switch {
			case dtcg.IsMetadata(m.Name) || !m.Value.IsObject():
			case hasSets(m.Value) || m.Value.Find("ref") != nil || isAnyToken(m.Value):
				for _, one := range d.setValues(m.Value, nil) {
					place := model.Place{File: f, Pointer: below.String()}
					d.document.Decls = append(d.document.Decls, model.Decl{Path: below, Node: newToken(m.Value, "", one.value), When: withContext(nil, one.when), Place: place})
				}
			default:
				walk(m.Value, below)
			}
		}
	}
	walk(f.Root, nil)
	return d.finish(), nil
}

// setValues returns the values of a token, or of a set in one, in each of its sets.
func (d *dictionary) setValues(n *jsontree.Node, above model.Context) (values []modeValue) {
	if ref := n.Find("ref"); ref.IsString() {
		return []modeValue{{above, jsontree.NewString("{" + strings.Trim(ref.Text, "{}") + "}")}}
	} else if !hasSets(n) {
		v := cmp.Or(ref, n.Find("value"))
		if layers := append(itemsOf(v), v); layers[0].Find("blur") != nil {
			v = spellShadow(v)
		}
		return []modeValue{{above, v}}
	}
	sets := n.Find("sets").Members
	axis := model.Axis{Kind: model.Value, Name: "set"}
	if n.Find("sets").Find("light") != nil && n.Find("sets").Find("dark") != nil {
		axis.Name = "scheme"
	}
	for i, set := range sets {
		condition, context := model.Condition{Axis: axis, Mode: set.Name}, slices.Clone(above)
		if d.document.AddMode(condition); i > 0 {
			context = append(context, condition)
		}
		values = append(values, d.setValues(set.Value, context)...)
	}
	return values
}
