// Package operate has the commands of the operator that work through the operator socket.
package operate

import (
	"github.com/spf13/cobra"

	"example.com/livery/cli/term"
)

// Commands returns the commands of this package.
func Commands(t *term.App) []*cobra.Command {
	a := &app{App: t}
	return []*cobra.Command{
		a.teamsCommand(),
		a.servingCommand(),
		a.keysCommand(),
		a.tokenCommand(),
		a.consoleCommand(),
		a.signCommand(),
		a.auditCommand(),
		a.statusCommand(),
	}
}

// app is what the commands of this package share.
type app struct {
	*term.App
	storeDir string // data directory of the origin
	socket   string // of the operator; empty: in storeDir
	env      string // of a Theme; empty: the only one that has it
}
