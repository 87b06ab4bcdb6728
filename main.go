// Command livery stores design-token themes, versions them, and serves them as files.
package main

import (
	"os"

	"example.com/livery/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
