// Package maintain has the commands that work on the store of an origin: back up, restore, check, collect and migrate.
package maintain

import (
	"github.com/spf13/cobra"

	"example.com/livery/cli/term"
)

// Commands returns the commands of this package.
func Commands(t *term.App) []*cobra.Command {
	a := &app{App: t}
	return []*cobra.Command{
		a.backupCommand(),
		a.restoreCommand(),
		a.checkStoreCommand(),
		a.collectCommand(),
		a.migrateStoreCommand(),
	}
}

// app is what the commands of this package share.
type app struct{ *term.App }
