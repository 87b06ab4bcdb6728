//go:build !noconsole

// Package console holds the page with which people use Livery in a browser: it is built from src by make console-bundle,
// and its built files are embedded, so that a program built by Go alone has it. The build tag noconsole leaves it out.
package console

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// Files returns the files of the page: index.html, and those that it loads, in assets, with digests in their names and in
// gzip, packed harder than a server could while a client waits. They are nil in a build without it.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the name is a constant
	}
	return files
}
