// Package serve has the commands that run servers: dev, origin and edge.
package serve

import (
	"github.com/spf13/cobra"

	"example.com/livery/cli/term"
	"example.com/livery/docs/site"
)

// Commands returns the commands of this package. pages makes the documentation that origins serve.
func Commands(t *term.App, pages func(console bool) (map[string]site.File, error)) []*cobra.Command {
	a := &app{App: t, pages: pages}
	return []*cobra.Command{
		a.devCommand(),
		a.originCommand(),
		a.edgeCommand(),
	}
}

// app is what the commands of this package share.
type app struct {
	*term.App
	pages func(console bool) (map[string]site.File, error)
}
