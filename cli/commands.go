package cli

import (
	"github.com/spf13/cobra"

	"example.com/livery/cli/account"
	"example.com/livery/cli/themes"
	"example.com/livery/cli/tokens"
	"example.com/livery/cli/tokens/push"
	"example.com/livery/cli/tokens/release"
)

// userCommands returns the commands of the public API.
func (a *app) userCommands() []*cobra.Command {
	var commands []*cobra.Command
	for _, of := range []func(*account.Session) []*cobra.Command{
		account.Commands, themes.Commands, push.Commands, tokens.Commands, release.Commands,
	} {
		commands = append(commands, of(a.Session)...)
	}
	for _, c := range commands {
		a.Flags(c)
		a.completeNames(c)
	}
	return commands
}
