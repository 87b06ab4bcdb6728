package themes

import (
	"context"
	"iter"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/client"
)

func (a *app) envCommand() *cobra.Command {
	env := cmdline.Group("env", "List Environments")
	env.AddCommand(listCommand(a, listing[client.Environment]{
		short:   "List the Environments on which you have a grant",
		example: "  livery env list\n  livery env list --json",
		empty:   "This token has a grant on no Environment. The operator gives one with livery teams apply.",
		head:    []string{"SLUG", "ID", "KIND", "ROLE", "LATEST CACHED", "LABELS", "NAME"},
		items: func(ctx context.Context, _ target.Target) (iter.Seq2[client.Environment, error], error) {
			c, err := a.Client(ctx)
			if err != nil {
				return nil, err
			}
			return c.EveryEnvironment(ctx), nil
		},
		row: func(e client.Environment) []any {
			return []any{e.Slug, e.ID, e.Kind, e.Role, strconv.Itoa(e.CacheLifetime) + " s", orDash(labelText(e.Metadata)), e.DisplayName}
		},
	}))
	return env
}
