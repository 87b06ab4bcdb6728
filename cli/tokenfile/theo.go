package tokenfile

import (
	"cmp"
	"regexp"
	"slices"

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

// theoAlias is an alias of a file of Theo, and maxAliased the size of a value in which none is replaced any more.
var theoAlias = regexp.MustCompile(`\{!([^{}]+)\}`)

const maxAliased = 4 << 10 // bytes

// readTheo makes a part of the props. An alias of the file stands in place as its value, also inside a value and in
// another alias: {!NAME}. One that the file lacks is an alias of a prop.
func readTheo(root *jsontree.Node, o Options) ([]Part, error) {
	aliases := root.Find("aliases")
	inPlace := func(alias string) string {
		target := aliases.Find(theoAlias.FindStringSubmatch(alias)[1])
		if value := cmp.Or(target.Find("value"), target); value.IsString() || value != nil && value.Kind == jsontree.Number {
			return value.Text
		}
		return alias
	}
	props := MapStrings(root.Find("props"), func(text string) string {
		for range membersOf(aliases) { // more cannot lead to each other
			if len(text) > maxAliased || !theoAlias.MatchString(text) {
				break
			}
			text = theoAlias.ReplaceAllStringFunc(text, inPlace)
		}
		return theoAlias.ReplaceAllString(text, "{$1}")
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
