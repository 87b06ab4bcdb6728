package cli

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/account"
	"example.com/livery/cli/ci"
	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/themes"
	"example.com/livery/cli/tokens"
)

// userCommands returns the commands of the public API.
func (a *app) userCommands() []*cobra.Command {
	var commands []*cobra.Command
	for _, of := range []func(*account.Session) []*cobra.Command{
		account.Commands, themes.Commands, tokens.Commands,
	} {
		commands = append(commands, of(a.Session)...)
	}
	commands = append(commands, ci.Command(a.Session, runApart))
	for _, c := range commands {
		a.Flags(c)
		a.completeNames(c)
	}
	return commands
}

// runApart runs one command line that takes every setting from its arguments, and returns its exit code.
func runApart(ctx context.Context, out, errOut io.Writer, args ...string) int {
	a := newApp(strings.NewReader(""), out, errOut)
	root := a.root()
	root.SetArgs(args)
	return a.Finish(root.ExecuteContext(cmdline.WithArgumentsOnly(ctx)))
}
