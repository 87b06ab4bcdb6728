// Package push has the commands push and init: token files become the draft of a Theme and overrides of its Variants.
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
		a.initCommand(),
	}
}

// app is what the commands of this package share.
type app struct{ *account.Session }
