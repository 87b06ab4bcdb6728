package tokenfile

import (
	"slices"
	"strings"

	"example.com/livery/renderer/jsontree"
)

// isBareStudio reports whether a file is an export of Tokens Studio without $metadata and $themes: every member is a
// set of tokens in the form before DTCG, and either sets names one of them, or the aliases show that they are sets.
func isBareStudio(root *jsontree.Node, sets []string) bool {
	isDTCG := holds(root, "$value")
	if !holdsLegacy(root) && !isDTCG || ModeOf(root) != "" { // the last is of Figma's own export
		return false
	}
	named := false
	for _, m := range root.Members {
		switch {
		case isMeta(m.Name):
			continue
		case !m.Value.IsObject() || isLegacyToken(m.Value) || m.Value.Find("$value") != nil:
			return false
		}
		named = named || slices.Contains(sets, m.Name)
	}
	return named || isDTCG && manyAliasesStartInSets(root) || !isDTCG && aliasesStartInSets(root)
}

// manyAliasesStartInSets reports whether the aliases of a document of DTCG, of which there are several, all lead somewhere from
// inside a member of root, and none from root itself: one of them alone may be a slip.
func manyAliasesStartInSets(root *jsontree.Node) bool {
	inside, others := 0, 0
	var visit func(n *jsontree.Node)
	visit = func(n *jsontree.Node) {
		if value := n.Find("$value"); value != nil {
			eachAlias(value, func(path jsontree.Pointer) {
				isIn := slices.ContainsFunc(root.Members, func(m jsontree.Member) bool { return m.Value.IsObject() && m.Value.Lookup(path) != nil })
				if root.Lookup(path) == nil && isIn {
					inside++
				} else {
					others++
				}
			})
			return
		}
		for _, m := range n.Members {
			if m.Value.IsObject() && !isMeta(m.Name) {
				visit(m.Value)
			}
		}
	}
	visit(root)
	return inside > 2 && others == 0
}

// aliasesStartInSets reports whether every token has a type, as Tokens Studio writes it, and whether aliases lead
// somewhere from inside a member of root, and never from root itself.
func aliasesStartInSets(root *jsontree.Node) bool {
	typed, inside, above := true, false, false
	eachLegacyToken(root, func(token *jsontree.Node) {
		typed = typed && token.Find("type").IsString()
		eachAlias(token.Find("value"), func(path jsontree.Pointer) {
			if root.Lookup(path) != nil {
				above = true
				return
			}
			inside = inside || slices.ContainsFunc(root.Members, func(m jsontree.Member) bool {
				return m.Value.IsObject() && m.Value.Lookup(path) != nil
			})
		})
	})
	return typed && inside && !above
}

func eachLegacyToken(n *jsontree.Node, visit func(*jsontree.Node)) {
	for _, m := range n.Members {
		switch {
		case isMeta(m.Name) || !m.Value.IsObject():
		case isLegacyToken(m.Value):
			visit(m.Value)
		default:
			eachLegacyToken(m.Value, visit)
		}
	}
}

// eachAlias visits the paths between braces in the strings of a value.
func eachAlias(value *jsontree.Node, visit func(jsontree.Pointer)) {
	for text := textOf(value); ; {
		_, rest, opened := strings.Cut(text, "{")
		path, after, closed := strings.Cut(rest, "}")
		if !opened || !closed {
			break
		}
		visit(strings.Split(strings.TrimSpace(path), "."))
		text = after
	}
	for _, m := range value.Members {
		eachAlias(m.Value, visit)
	}
	for _, item := range value.Items() {
		eachAlias(item, visit)
	}
}
