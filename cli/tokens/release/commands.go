// Package release has the commands that publish drafts and look at published versions.
package release

import (
	"github.com/spf13/cobra"

	"example.com/livery/cli/account"
)

// Commands returns the commands of this package.
func Commands(s *account.Session) []*cobra.Command {
	a := &app{Session: s}
	return []*cobra.Command{
		a.publishCommand(),
		a.discardCommand(),
		a.versionsCommand(),
		a.rollbackCommand(),
		a.openCommand(),
	}
}

// app is what the commands of this package share.
type app struct{ *account.Session }
