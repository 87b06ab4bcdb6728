package form

import (
	"slices"
	"strings"

	"example.com/livery/intake/model"
	"example.com/livery/intake/syntax"
	"example.com/livery/intake/value"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// Flat is the form of a file that maps names to values. Files such as a package.json have it too, so it counts only if the file is named.
const Flat = "a flat map of paths to values"

// isFlat reports whether each member of a file that no other form recognizes is a value: no object, but for those that are values by their
// shape or have a dotted path.
func isFlat(f *model.File) bool {
	isTree := func(m jsontree.Member) bool {
		return !dtcg.IsMetadata(m.Name) && m.Value.IsObject() && !strings.Contains(m.Name, ".") && value.Shape(m.Value) == ""
	}
	hasValues := f.Root.IsObject() && len(metadataOf(f.Root).Members) < len(f.Root.Members)
	return f.Syntax != syntax.CSS && hasValues && !slices.ContainsFunc(f.Root.Members, isTree)
}

// readFlat reads the values of tokens by their dotted paths, without types.
func readFlat(f *model.File, o Options) (*model.Document, error) {
	d, modes := &model.Document{Files: []*model.File{f}}, newValueModes(o)
	for _, m := range f.Root.Members {
		if !dtcg.IsMetadata(m.Name) {
			node, place := jsontree.NewObject(jsontree.Member{Name: "$value", Value: m.Value}), model.Place{File: f, Pointer: jsontree.Pointer{m.Name}.String()}
			modes.addToken(d, model.Decl{Path: strings.Split(m.Name, "."), Node: node, Place: place})
		}
	}
	d.Dimensions = modes.usedDimensions()
	return d, nil
}
