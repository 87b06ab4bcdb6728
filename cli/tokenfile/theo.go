package tokenfile

import (
	"cmp"
	"slices"
	"strings"

	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/renderer/jsontree"
)

// recogniseTheo recognises the form of Salesforce's Theo, in which others publish too: props beside aliases or global.
func recogniseTheo(f *syntax.File, _ Options) string {
	props := f.Root.Find("props")
	isProp := func(m jsontree.Member) bool { return isLegacyToken(m.Value) }
	isList := len(itemsOf(props)) > 0 && isListed(props.Items()[0])
	if !isList && !slices.ContainsFunc(membersOf(props), isProp) || f.Root.Find("aliases") == nil && f.Root.Find("global") == nil {
		return ""
	}
	return "it has props beside aliases or global, with values"
}

// readTheo makes a part of the props. An alias of the file stands in place as its value: {!NAME}.
func readTheo(root *jsontree.Node, o Options) ([]Part, error) {
	aliases := root.Find("aliases")
	props := MapStrings(root.Find("props"), func(text string) string {
		name, ok := strings.CutPrefix(text, "{!")
		if target := aliases.Find(strings.TrimSuffix(name, "}")); ok && target != nil {
			return cmp.Or(textOf(target.Find("value")), textOf(target))
		}
		return text
	})
	if isArray(props) {
		return readTokenList(jsontree.NewObject(jsontree.Member{Name: "props", Value: props}), o)
	}
	part := convertSet("", props, jsontree.Pointer{"props"}, dictionaryTokens, o)
	for _, m := range props.Members {
		if !isMeta(m.Name) && !isToken(m.Value) && len(notRead(m.Value, nil, "")) == 0 {
			part.Faults = append(part.Faults, Fault{jsontree.Pointer{"props", m.Name}.String(), m.Name, "it has no value: " + spelled(m.Value)})
		}
	}
	return []Part{part}, nil
}
