// Package themes has the commands for Environments, Themes and Variants.
package themes

import (
	"github.com/spf13/cobra"

	"example.com/livery/cli/account"
)

// Commands returns the commands of this package.
func Commands(s *account.Session) []*cobra.Command {
	a := &app{Session: s}
	return []*cobra.Command{
		a.envCommand(),
		a.themeCommand(),
		a.variantCommand(),
		a.eventsCommand(),
		a.webhookCommand(),
	}
}

// app is what the commands of this package share.
type app struct{ *account.Session }
