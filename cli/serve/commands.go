// Package serve has the commands that run servers: dev, origin and edge.
package serve

import (
	"github.com/spf13/cobra"

	"example.com/livery/cli/term"
)

// Commands returns the commands of this package.
func Commands(t *term.App) []*cobra.Command {
	a := &app{App: t}
	return []*cobra.Command{
		a.devCommand(),
		a.originCommand(),
		a.edgeCommand(),
	}
}

// app is what the commands of this package share.
type app struct{ *term.App }
