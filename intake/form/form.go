// Package form recognises the form of token files and reads their declarations. Each form has a file of its own.
package form

import (
	"example.com/livery/intake/model"
)

// Options say what a form cannot find in its files.
type Options struct {
	// Values has the dimensions whose modes are members of value objects, beside {"light": …, "dark": …} and base with _dark.
	Values map[string][]string
	// Open returns a file that a resolver document names, by its name relative to the folder of that document. Each file is parsed once.
	Open func(document *model.File, name string) (*model.File, error)
}

// reader makes a document of files of its form.
type reader struct {
	name       string // with its article
	recognizes func(f *model.File) bool
	read       func(f *model.File, o Options) (*model.Document, error)
}

// readers are in the order in which they are tried: what says more of a file comes first.
var readers = []reader{}

// Read returns the documents of files, in the order of the files. The files of a folder that Tokens Studio wrote, with its $metadata.json
// or $themes.json, are one document, at the place of the first. A file that no form recognises is an *model.Error.
func Read(files []*model.File, o Options) ([]*model.Document, error) {
	panic("not yet")
}
