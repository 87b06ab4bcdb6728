package tokenfile

import (
	"slices"
	"strings"

	"example.com/livery/renderer/jsontree"
)

// isBareStudio reports whether a file is an export of Tokens Studio without $metadata and $themes: its members are sets
// of tokens in the form before DTCG, and either sets names one of them, or the aliases show that they are sets. Then
// some may be tokens beside the sets.
func isBareStudio(root *jsontree.Node, sets []string) bool {
	isDTCG := holds(root, "$value")
	if !holdsLegacy(root) && !isDTCG || ModeOf(root) != "" { // the last is of Figma's own export
		return false
	}
	named, areSets := false, true
	for _, m := range root.Members {
		switch {
		case isMeta(m.Name):
			continue
		case !m.Value.IsObject() || isDTCG && isToken(m.Value):
			return false
		}
		areSets = areSets && !isToken(m.Value)
		named = named || slices.Contains(sets, m.Name)
	}
	return named && areSets || aliasesStartInSets(root, isDTCG)
}

// aliasesStartInSets reports whether aliases lead somewhere from inside a member of root, and few from root itself. In
// the form before DTCG every token has a type too, as Tokens Studio writes it. In a document of DTCG there must be
// several such aliases, and none of the others: one alone may be a slip.
func aliasesStartInSets(root *jsontree.Node, isDTCG bool) bool {
	typed, inside, above, nowhere := true, 0, 0, 0
	is := isLegacyToken
	if isDTCG {
		is = func(n *jsontree.Node) bool { return n.Find("$value") != nil }
	}
	eachToken(root, is, func(token *jsontree.Node) {
		typed = typed && token.Find("type").IsString()
		eachAlias(either(token, "$value", "value"), func(path jsontree.Pointer) {
			isIn := func(m jsontree.Member) bool { return m.Value.IsObject() && m.Value.Lookup(path) != nil }
			switch {
			case root.Lookup(path) != nil || path[len(path)-1] == "value": // the latter is how Style Dictionary writes aliases
				above++
			case slices.ContainsFunc(root.Members, isIn):
				inside++
			default:
				nowhere++
			}
		})
	})
	if isDTCG {
		return inside > 2 && above+nowhere == 0
	}
	return typed && inside > above
}

// ReachesInto reports whether an alias of a file leads somewhere in another: then the members of the file are groups,
// and not token sets, whatever its shape.
func ReachesInto(root, other *jsontree.Node) (reaches bool) {
	eachToken(root, isToken, func(token *jsontree.Node) {
		eachAlias(either(token, "$value", "value"), func(path jsontree.Pointer) { reaches = reaches || other.Lookup(path) != nil })
	})
	return reaches
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
