// Package tokens has the commands that read, compare, check and edit tokens.
package tokens

import (
	"github.com/spf13/cobra"

	"example.com/livery/cli/account"
)

// Commands returns the commands of this package.
func Commands(s *account.Session) []*cobra.Command {
	a := &app{Session: s}
	return []*cobra.Command{
		a.pullCommand(),
		a.scanCommand(),
		a.editCommand(),
		a.renameCommand(),
		a.diffCommand(),
		a.checkCommand(),
		a.previewCommand(),
	}
}

// app is what the commands of this package share.
type app struct{ *account.Session }
