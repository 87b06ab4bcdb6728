package cmdline

import (
	"github.com/spf13/cobra"

	"example.com/livery/cli/term"
)

// Args makes the complaint of a check of arguments one about usage.
func Args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if err == nil {
			return nil
		}
		if len(args) > 0 && cmd.HasSubCommands() {
			return unknownCommand(cmd, args[0])
		}
		return term.UsageError("See "+cmd.CommandPath()+" --help.", "wrong arguments; the usage is %s", cmd.UseLine())
	}
}
