package form

import (
	"cmp"
	"regexp"

	"example.com/livery/intake/model"
	"example.com/livery/intake/value"
	"example.com/livery/renderer/jsontree"
)

const theoName = "a document of Theo"

// isTheo reports whether a file is of the form of Salesforce's Theo: props, each with a value, beside aliases or global.
func isTheo(f *model.File) bool {
	props := f.Root.Find("props")
	return props != nil && (f.Root.Find("aliases") != nil || f.Root.Find("global") != nil) && (holdsToken(props) || len(namedItems(props)) > 0)
}

// theoAlias is an alias of a file of Theo, and longestTheoValue the size of a value, in bytes, in which none is replaced any more.
var theoAlias = regexp.MustCompile(`\{!([^{}]+)\}`)

const longestTheoValue = 4 << 10

// readTheo reads the props. An alias of the file stands in place as its value, also inside a value and in another alias: {!NAME}. One
// that the file lacks is an alias of a prop.
func readTheo(f *model.File, o Options) (*model.Document, error) {
	aliases := f.Root.Find("aliases")
	inPlace := func(alias string) string {
		target := aliases.Find(theoAlias.FindStringSubmatch(alias)[1])
		if v := cmp.Or(target.Find("value"), target); v.IsString() || v != nil && v.Kind == jsontree.Number {
			return v.Text
		}
		return alias
	}
	props := value.MapStrings(f.Root.Find("props"), func(text string) string {
		for range membersOf(aliases) { // more cannot lead to each other
			if len(text) > longestTheoValue || !theoAlias.MatchString(text) {
				break
			}
			text = theoAlias.ReplaceAllStringFunc(text, inPlace)
		}
		return theoAlias.ReplaceAllString(text, "{$1}")
	})
	d := newDictionary(f, o)
	if props.Kind == jsontree.Array {
		d.addList(props, jsontree.Pointer{"props"})
	} else {
		d.addGroup(props, jsontree.Pointer{"props"})
	}
	return d.finish(), nil
}
