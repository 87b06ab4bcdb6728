package target

import (
	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
)

// OfTheme gives a command the flags --env and --theme.
func OfTheme(cmd *cobra.Command, p *Target) *cobra.Command {
	cmd.Flags().StringVar(&p.Theme, "theme", "", "`THEME`, slug or id")
	cmdline.Require(cmd, "theme")
	return InEnvironment(cmd, p)
}
