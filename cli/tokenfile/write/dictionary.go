package write

import (
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// writeDictionary spells tokens with value, type and comment, and single values as CSS. Groups keep their metadata but for their types,
// which their tokens have.
func writeDictionary(d *dtcg.Document) (*jsontree.Node, map[string]string) {
	return tree(d, nil, true, func(t *dtcg.Token) *jsontree.Node {
		n := jsontree.NewObject(jsontree.Member{Name: "value", Value: single(d, t)})
		if t.Resolved != "" {
			n.Members = append(n.Members, jsontree.Member{Name: "type", Value: jsontree.NewString(t.Resolved)})
		}
		if comment := description(t); comment != nil {
			n.Members = append(n.Members, jsontree.Member{Name: "comment", Value: comment})
		}
		for _, m := range t.Node.Members {
			if dtcg.IsMetadata(m.Name) && m.Name != "$description" && !isOfDTCG(m) {
				n.Members = append(n.Members, m)
			}
		}
		return n
	})
}

// single spells a value that is one of CSS; lists of families, curves and composites stay as they are.
func single(d *dtcg.Document, t *dtcg.Token) *jsontree.Node {
	switch k := kindOf(t); k {
	case css.Color, css.Dimension, css.Duration, css.NumberOrDimension:
		return text(d, k, t.Value)
	}
	return t.Value
}
