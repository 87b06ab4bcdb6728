// Package push has the commands push and watch, which send token files to a draft.
package push

import (
	"github.com/spf13/cobra"

	"example.com/livery/cli/account"
)

// Commands returns the commands of this package.
func Commands(s *account.Session) []*cobra.Command {
	a := &app{Session: s}
	return []*cobra.Command{
		a.pushCommand(),
		a.watchCommand(),
	}
}

// app is what the commands of this package share.
type app struct{ *account.Session }
