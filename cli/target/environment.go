package target

import "github.com/spf13/cobra"

// InEnvironment gives a command the flag --env.
func InEnvironment(cmd *cobra.Command, p *Target) *cobra.Command {
	cmd.Flags().StringVar(&p.Env, "env", "", "`ENVIRONMENT`, slug or id (default: the only one there is)")
	return cmd
}
