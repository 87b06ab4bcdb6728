// Package maintain has the commands that work on the store of an origin: back up, restore, check, collect and migrate.
package maintain

import (
	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/term"
)

// Command returns livery store.
func Command(t *term.App) *cobra.Command {
	a := &app{App: t}
	store := cmdline.Group("store", "Back up, restore, check, collect and migrate the store of an origin")
	store.AddCommand(a.backupCommand(), a.restoreCommand(), a.checkStoreCommand(), a.collectCommand(), a.migrateStoreCommand())
	return store
}

// app is what the commands of this package share.
type app struct{ *term.App }
