package system

import (
	"slices"
	"strings"

	"example.com/livery/intake/check"
	"example.com/livery/intake/compute"
	"example.com/livery/intake/model"
	"example.com/livery/intake/references"
	"example.com/livery/renderer/jsontree"
)

// resolve replaces references and expressions in a document.
func resolve(tree *jsontree.Node, documents []*model.Document) change {
	isFile := func(name string) bool {
		return slices.ContainsFunc(documents, func(d *model.Document) bool {
			return slices.ContainsFunc(d.Files, func(f *model.File) bool { return strings.HasSuffix("/"+f.Name, "/"+strings.TrimLeft(name, "./")) })
		})
	}
	applied := references.Apply(tree, isFile)
	language := model.Plain
	for _, d := range documents {
		language = max(language, d.Language)
	}
	computed := compute.Document(applied.Tree, language)
	c := change{Tree: computed.Tree, Problems: problemsOf(append(computed.Corrections, applied.Copies...)), Moved: applied.Origins}
	for _, f := range applied.Faults {
		c.Problems = append(c.Problems, model.Problem{
			Place: model.Place{Pointer: f.Pointer}, Path: f.Path, Kind: "references that are not applied", Message: f.Message + ". " + f.Next, Lost: f.Lost,
		})
	}
	return c
}

// correct changes a document so that the origin accepts it.
func correct(tree *jsontree.Node) change {
	done := check.Document(tree)
	return change{done.Tree, problemsOf(append(done.Corrections, done.Live...)), done.Places}
}

func problemsOf(corrections []model.Correction) (list []model.Problem) {
	for _, c := range corrections {
		list = append(list, model.Problem{Place: model.Place{Pointer: c.Pointer}, Path: c.Path, Kind: c.Kind, Message: c.Message})
	}
	return list
}
