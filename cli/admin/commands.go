// Package admin has the commands of the operator of an origin: those that work through the operator socket, and those that
// back up, restore, check, collect and migrate its store.
package admin

import (
	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/term"
)

// app is what the commands of this package share.
type app struct {
	*term.App
	storeDir string // data directory of the origin
	socket   string // of the operator; empty: in storeDir
	env      string // of a Theme; empty: the only one that has it
}

// Commands returns the commands of this package.
func Commands(t *term.App) []*cobra.Command {
	a := &app{App: t}
	store := cmdline.Group("store", "Back up, restore, check, collect and migrate the store of an origin")
	store.AddCommand(a.backupCommand(), a.restoreCommand(), a.checkStoreCommand(), a.collectCommand(), a.migrateStoreCommand())
	return []*cobra.Command{
		a.teamsCommand(), a.servingCommand(), a.keysCommand(), a.tokenCommand(), a.consoleCommand(), a.signCommand(), a.auditCommand(), a.statusCommand(), store,
	}
}
