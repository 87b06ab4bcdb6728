package form

import (
	"slices"

	"example.com/livery/intake/model"
	"example.com/livery/intake/value"
	"example.com/livery/renderer/jsontree"
)

const conditionsName = "a theme of Panda or Chakra"

// conditionGroups are the groups of a theme of Panda or Chakra that hold its tokens. Their names stand in no alias.
var conditionGroups = []string{"tokens", "semanticTokens"}

// themeAt returns the place of the object that holds these groups; ok is false if there is none.
func themeAt(root *jsontree.Node) (at jsontree.Pointer, ok bool) {
	for _, at := range []jsontree.Pointer{{}, {"theme"}, {"theme", "extend"}} {
		theme := root.Lookup(at)
		if !slices.ContainsFunc(conditionGroups, func(name string) bool { return !theme.Find(name).IsObject() || !holdsToken(theme.Find(name)) }) {
			return at, true
		}
	}
	return nil, false
}

func isConditions(f *model.File) bool {
	_, ok := themeAt(f.Root)
	return ok
}

// readConditions reads the tokens, then the semantic tokens, whose values have a base and conditions such as _dark.
func readConditions(f *model.File, o Options) (*model.Document, error) {
	at, _ := themeAt(f.Root)
	d := newDictionary(f, o)
	for _, m := range f.Root.Lookup(at).Members {
		below := append(slices.Clone(at), m.Name)
		switch {
		case slices.Contains(conditionGroups, m.Name):
		case m.Name == "breakpoints":
			d.addGroup(jsontree.NewObject(m), at)
		default:
			d.document.Report(model.Place{File: f, Pointer: below.String()}, m.Name, "members beside tokens and semanticTokens", value.Spell(m.Value)+" is left out", false)
		}
	}
	for _, name := range conditionGroups {
		d.addGroup(f.Root.Lookup(append(slices.Clone(at), name)), append(slices.Clone(at), name))
	}
	return d.finish(), nil
}
