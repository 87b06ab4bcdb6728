package form

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"example.com/livery/intake/model"
	"example.com/livery/intake/tree"
	"example.com/livery/intake/value"
	"example.com/livery/renderer/jsontree"
)

// figmaExtension returns what Figma's own export says in the $extensions of a document or token; nil if it does not say it.
func figmaExtension(n *jsontree.Node, name string) *jsontree.Node {
	extensions := n.Find("$extensions")
	return cmp.Or(extensions.Find("com.figma."+name), extensions.Find("com.figma").Find(name))
}

// figmaExport is a collection of variables that Figma exported, a DTCG document for each mode.
type figmaExport struct {
	documents []*model.Document
	modes     []string        // of the documents
	variables map[string]bool // their ids, or else their paths
}

// joinFigmaExports makes modes of the documents that Figma exported: those that have a variable in common are the modes of one collection.
// Figma does not export the name of a collection; it is that of the folder of the files, or else that of its modes.
func joinFigmaExports(documents []*model.Document) {
	var exports []*figmaExport
	paths, taken := map[string]bool{}, map[string]bool{}
	for _, d := range documents {
		variables := map[string]bool{}
		for i := range d.Decls {
			if decl := &d.Decls[i]; !decl.Group {
				paths[decl.Name()] = true
				variables[cmp.Or(value.Text(figmaExtension(decl.Node, "variableId")), decl.Name())] = true
			}
		}
		mode := ""
		if d.Form == dtcgName {
			mode = value.Text(figmaExtension(d.Files[0].Root, "modeName"))
		}
		if mode == "" {
			continue
		}
		isSame := func(e *figmaExport) bool {
			return slices.ContainsFunc(slices.Collect(maps.Keys(variables)), func(v string) bool { return e.variables[v] })
		}
		i := slices.IndexFunc(exports, isSame)
		if i < 0 {
			i, exports = len(exports), append(exports, &figmaExport{variables: map[string]bool{}})
		}
		exports[i].documents, exports[i].modes = append(exports[i].documents, d), append(exports[i].modes, mode)
		maps.Copy(exports[i].variables, variables)
	}
	for _, e := range exports {
		e.addModes(taken)
		for _, d := range e.documents {
			restoreFigma(d, paths)
		}
	}
}

// addModes makes each document hold in its mode, if there are several. taken has the names of other collections.
func (e *figmaExport) addModes(taken map[string]bool) {
	d := model.Dimension{Axis: model.Axis{Kind: model.Figma, Name: path.Base(path.Dir(e.documents[0].Files[0].Name))}, Default: e.modes[0]}
	for _, mode := range e.modes {
		if !slices.Contains(d.Modes, mode) {
			d.Modes = append(d.Modes, mode)
		}
	}
	if d.Name == "." || taken[d.Name] {
		d.Name = strings.Join(d.Modes, "/")
	}
	if len(d.Modes) < 2 {
		return
	}
	taken[d.Name] = true
	for i, document := range e.documents {
		document.Dimensions = append(document.Dimensions, d)
		for j := range document.Decls {
			decl := &document.Decls[j]
			decl.When = withContext(decl.When, model.Context{{Axis: d.Axis, Mode: e.modes[i]}})
		}
	}
}

// restoreFigma makes the tokens of a document that Figma exported say what its extensions say: a token that is an alias of one of paths is
// one, for Figma exports its value, a number that is used as a length is one of pixels, and an opacity a part of 1.
func restoreFigma(d *model.Document, paths map[string]bool) {
	for i := range d.Decls {
		decl := &d.Decls[i]
		given, said := decl.Node.Find("$value"), ""
		target := strings.ReplaceAll(value.Text(figmaExtension(decl.Node, "aliasData").Find("targetVariableName")), "/", ".")
		scopes := figmaExtension(decl.Node, "scopes")
		isNumber := decl.Type == "number" && given != nil && given.Kind == jsontree.Number
		switch {
		case decl.Group:
			continue
		case paths[target] && target != decl.Name() && !strings.HasPrefix(value.Text(given), "{"):
			said = "{" + target + "}"
			decl.Node = tree.With(decl.Node, "$value", jsontree.NewString(said))
		case isNumber && hasScopesOf(scopes, "OPACITY"):
			part := number(given, 0.01)
			said, decl.Node = part.Text, tree.With(decl.Node, "$value", part)
		case isNumber && hasScopesOf(scopes, lengthScopes...):
			decl.Type, said = "dimension", given.Text+"px"
			decl.Node = tree.With(tree.With(decl.Node, "$type", jsontree.NewString("dimension")), "$value", jsontree.NewString(said))
		}
		if said != "" {
			d.Report(decl.Place, decl.Name(), "values that Figma's extensions explain", value.Spell(given)+" is "+said, false)
		}
	}
}
