// Command livery stores design-token themes, versions them, and serves them as files.
package main

import (
	"embed"
	"os"

	"example.com/livery/cli"
)

// documents is the documentation that this version serves.
//
//go:embed *.md docs/*.md docs/console docs/decisions docs/pictures docs/examples/README.md docs/examples/clients/README.md
//go:embed deploy/proxies.md deploy/action/README.md client/js/README.md
var documents embed.FS

func main() {
	os.Exit(cli.WithDocuments(documents, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
