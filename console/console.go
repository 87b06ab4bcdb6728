// Package console holds the page with which people use Livery in a browser: it is built from src by make console-bundle,
// and its built files are embedded, so that a program built by Go alone has it.
package console

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// Files are the files of the page: index.html, and those that it loads, in assets, with digests in their names.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the name is a constant
	}
	return files
}
