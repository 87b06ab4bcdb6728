package themes

import (
	"strconv"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/escape"
	"example.com/livery/cli/target"
	"example.com/livery/client"
)

func (a *app) envCommand() *cobra.Command {
	env := cmdline.Group("env", "List and show Environments")
	env.AddCommand(a.JSONFlag(&cobra.Command{
		Use:     "list",
		Short:   "List the Environments on which you have a grant",
		Example: "  livery env list",
		Args:    cmdline.Args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.listEnvironments(cmd) },
	}), a.JSONFlag(&cobra.Command{
		Use:     "show ENVIRONMENT",
		Short:   "Show an Environment: your role, its labels, and how long files are cached",
		Example: "  livery env show sandbox",
		Args:    cmdline.Args(cobra.ExactArgs(1)),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.showEnvironment(cmd, args[0]) },
	}))
	return env
}

func (a *app) showEnvironment(cmd *cobra.Command, name string) error {
	c, err := a.Client(cmd.Context())
	if err != nil {
		return err
	}
	e, err := target.FindEnvironment(cmd.Context(), c, name)
	if err != nil {
		return err
	}
	return a.Show(e, func() {
		description := ""
		if e.Description != nil {
			description = escape.Line(*e.Description)
		}
		a.Pairs(a.Out, "Environment", e.Slug, "Name", e.DisplayName, "Id", e.ID, "Kind", e.Kind, "Role", e.Role,
			"Latest cached", strconv.Itoa(e.CacheLifetime)+" s", "Labels", labelText(e.Metadata), "Description", description)
	})
}

func (a *app) listEnvironments(cmd *cobra.Command) error {
	c, err := a.Client(cmd.Context())
	if err != nil {
		return err
	}
	const empty = "This token has a grant on no Environment. The operator gives one with livery teams apply."
	head := []string{"SLUG", "ID", "KIND", "ROLE", "LATEST CACHED", "NAME"}
	return showList(a, c.EveryEnvironment(cmd.Context()), empty, head, func(e client.Environment) []any {
		return []any{e.Slug, e.ID, e.Kind, e.Role, strconv.Itoa(e.CacheLifetime) + " s", e.DisplayName}
	})
}
