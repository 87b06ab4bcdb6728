package tokenfile

import (
	"cmp"
	"strings"

	"example.com/livery/cli/tokenfile/syntax"
	"example.com/livery/renderer/jsontree"
)

// recogniseTheo recognises the form of Salesforce's Theo, in which others publish too: props beside aliases or global.
func recogniseTheo(f *syntax.File, _ Options) string {
	props := f.Root.Find("props")
	if !props.IsObject() || f.Root.Find("aliases") == nil && f.Root.Find("global") == nil {
		return ""
	}
	for _, m := range props.Members {
		if !isLegacyToken(m.Value) {
			return ""
		}
	}
	return "it has props beside aliases or global, each with a value"
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
	return []Part{convertSet("", props, jsontree.Pointer{"props"}, dictionaryTokens, o)}, nil
}
