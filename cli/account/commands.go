package account

import "github.com/spf13/cobra"

// Commands returns the commands of this package.
func Commands(a *Session) []*cobra.Command {
	return []*cobra.Command{
		a.loginCommand(),
		a.logoutCommand(),
	}
}
