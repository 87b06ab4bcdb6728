package form

import (
	"slices"
	"strconv"

	"example.com/livery/intake/cssvalue"
	"example.com/livery/intake/model"
	"example.com/livery/intake/value"
	"example.com/livery/renderer/jsontree"
)

const registryName = "a theme of shadcn's registry"

// isRegistry reports whether a file has cssVars, or an item of it has.
func isRegistry(f *model.File) bool { return registryItem(f.Root) != nil }

// registryItem returns the place of the first item with cssVars that hold objects of texts; nil if there is none.
func registryItem(root *jsontree.Node) jsontree.Pointer {
	isTexts := func(m jsontree.Member) bool {
		return slices.ContainsFunc(membersOf(m.Value), func(v jsontree.Member) bool { return v.Value.IsString() })
	}
	if vars := root.Find("cssVars"); vars.IsObject() && slices.ContainsFunc(vars.Members, isTexts) && !holdsToken(vars) {
		return jsontree.Pointer{}
	}
	for i, item := range itemsOf(root.Find("items")) {
		if vars := item.Find("cssVars"); vars.IsObject() && slices.ContainsFunc(vars.Members, isTexts) {
			return jsontree.Pointer{"items", strconv.Itoa(i)}
		}
	}
	return nil
}

// readRegistry reads the cssVars: those of theme and light hold always, those of dark in the dark scheme, and others under a class of their
// name.
func readRegistry(f *model.File, _ Options) (*model.Document, error) {
	d := &model.Document{Files: []*model.File{f}}
	at := append(registryItem(f.Root), "cssVars")
	vars := f.Root.Lookup(at)
	scheme := model.Axis{Kind: model.Value, Name: "scheme"}
	for _, name := range slices.Concat([]string{"theme", "light"}, otherVars(vars)) {
		var when model.Context
		switch name {
		case "theme", "light":
		case "dark":
			when = model.Context{{Axis: scheme, Mode: name}}
			d.Dimensions = append(d.Dimensions, model.Dimension{Axis: scheme, Modes: []string{"light", "dark"}, Default: "light"})
		default:
			when = model.Context{{Axis: CSSAxis("." + name)}}
			d.Dimensions = append(d.Dimensions, model.Dimension{Axis: CSSAxis("." + name)})
		}
		for _, m := range membersOf(vars.Find(name)) {
			place := model.Place{File: f, Pointer: append(slices.Clone(at), name, m.Name).String()}
			node := cssvalue.Node(value.WithoutSemicolon(value.Text(m.Value)))
			d.Decls = append(d.Decls, model.Decl{Path: []string{cssvalue.TokenName("--" + m.Name)}, Node: node, When: withContext(nil, when), Place: place})
		}
	}
	for _, m := range f.Root.Members {
		if m.Name != at[0] {
			d.Problems = append(d.Problems, model.Problem{
				Place: model.Place{File: f, Pointer: jsontree.Pointer{m.Name}.String()}, Path: m.Name, Kind: "members beside cssVars", Message: value.Spell(m.Value) + " is left out",
			})
		}
	}
	return d, nil
}

// otherVars lists the members of cssVars that are modes of their own.
func otherVars(vars *jsontree.Node) (names []string) {
	for _, m := range vars.Members {
		if m.Name != "theme" && m.Name != "light" {
			names = append(names, m.Name)
		}
	}
	return names
}
