package system

import (
	"fmt"
	"maps"
	"slices"

	"example.com/livery/intake/model"
	"example.com/livery/internal/spelling"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Overrides returns the tokens of own that differ from base, as an object with a member for each dotted path. theme is the document of the
// Theme. Overrides reports a token that is not in the Theme, and a token with a different type.
func Overrides(theme, base *jsontree.Node, own *Reading) (flat *jsontree.Node, problems []model.Problem) {
	inTheme, inBase := typesOf(theme), valuesOf(base)
	flat = jsontree.NewObject()
	eachToken(own.Tree, func(path, typ string, token *jsontree.Node) {
		value := token.Find("$value")
		if before := inBase[path]; before != nil && jsontree.Equal(before, value) {
			return
		}
		p := model.Problem{Place: own.PlaceOf(path), Path: path}
		themeType, known := inTheme[path]
		switch {
		case !known:
			p.Kind, p.Lost = "tokens of Variants that the Theme lacks", true
			p.Message = "a Variant can only override tokens of the Theme; add it there"
			if near := spelling.Nearest(path, slices.Sorted(maps.Keys(inTheme))); near != "" {
				p.Message += ", or did you mean " + near + "?"
			}
			problems = append(problems, p)
			return
		case typ != "" && themeType != "" && typ != themeType:
			p.Kind = "types of Variants that differ from the Theme's"
			p.Message = fmt.Sprintf("it is of type %s in the Theme, which counts, and of type %s in the Variant", themeType, typ)
			problems = append(problems, p)
		}
		flat.Members = append(flat.Members, jsontree.Member{Name: path, Value: value})
	})
	flat.Index()
	return flat, problems
}

func typesOf(tree *jsontree.Node) map[string]string {
	types := map[string]string{}
	eachToken(tree, func(path, typ string, _ *jsontree.Node) { types[path] = typ })
	return types
}

func valuesOf(tree *jsontree.Node) map[string]*jsontree.Node {
	values := map[string]*jsontree.Node{}
	eachToken(tree, func(path, _ string, token *jsontree.Node) { values[path] = token.Find("$value") })
	return values
}

// eachToken calls visit for each token of a document, with the dotted path and the own or inherited type.
func eachToken(tree *jsontree.Node, visit func(path, typ string, token *jsontree.Node)) {
	var group func(n *jsontree.Node, above, inherited string)
	group = func(n *jsontree.Node, above, inherited string) {
		for _, m := range n.Members {
			if dtcg.IsMetadata(m.Name) || !m.Value.IsObject() {
				continue
			}
			typ := inherited
			if own := m.Value.Find("$type"); own.IsString() {
				typ = own.Text
			}
			if dtcg.IsToken(m.Value) {
				visit(above+m.Name, typ, m.Value)
			} else {
				group(m.Value, above+m.Name+".", typ)
			}
		}
	}
	typ := ""
	if own := tree.Find("$type"); own.IsString() {
		typ = own.Text
	}
	group(tree, "", typ)
}
