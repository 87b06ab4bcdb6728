package cli

import (
	"strconv"

	"github.com/spf13/cobra"

	"example.com/livery/cli/escape"
	"example.com/livery/client"
)

// userCommands returns the commands of the public API.
func (a *app) userCommands() []*cobra.Command {
	commands := []*cobra.Command{
		a.loginCommand(), a.logoutCommand(),
		a.envCommand(), a.themeCommand(), a.variantCommand(),
		a.pushCommand(), a.watchCommand(), a.pullCommand(), a.editCommand(), a.unsetCommand(), a.renameCommand(),
		a.diffCommand(), a.checkCommand(), a.previewCommand(),
		a.publishCommand(), a.discardCommand(), a.versionsCommand(), a.openCommand(),
	}
	for _, c := range commands {
		a.apiFlags(c)
		a.completeNames(c)
	}
	return commands
}

func (a *app) envCommand() *cobra.Command {
	env := parent("env", "Look at Environments")
	env.AddCommand(a.printing(&cobra.Command{
		Use:     "list",
		Short:   "List the Environments on which you have a grant",
		Example: "  livery env list",
		Args:    usageArgs(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.listEnvironments(cmd) },
	}), a.printing(&cobra.Command{
		Use:     "show ENVIRONMENT",
		Short:   "Show an Environment: your role, its labels, and how long files are cached",
		Example: "  livery env show sandbox",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.showEnvironment(cmd, args[0]) },
	}))
	return env
}

func (a *app) showEnvironment(cmd *cobra.Command, name string) error {
	c, err := a.api(cmd.Context())
	if err != nil {
		return err
	}
	e, err := findEnvironment(cmd.Context(), c, name)
	if err != nil {
		return err
	}
	return a.show(e, func() {
		description := ""
		if e.Description != nil {
			description = escape.Line(*e.Description)
		}
		a.pairs(a.out, "Environment", e.Slug, "Name", e.DisplayName, "Id", e.ID, "Kind", e.Kind, "Role", e.Role,
			"Latest cached", strconv.Itoa(e.CacheLifetime)+" s", "Labels", labelText(e.Metadata), "Description", description)
	})
}

// parent returns a command that only holds others.
func parent(name, short string) *cobra.Command {
	return &cobra.Command{
		Use:   name,
		Short: short,
		Args:  usageArgs(cobra.NoArgs),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
}

func (a *app) listEnvironments(cmd *cobra.Command) error {
	c, err := a.api(cmd.Context())
	if err != nil {
		return err
	}
	list := []client.Environment{}
	for e, err := range c.EveryEnvironment(cmd.Context()) {
		if err != nil {
			return err
		}
		list = append(list, e)
	}
	return a.show(list, func() {
		if len(list) == 0 {
			a.say("This token has a grant on no Environment. The operator gives one with livery teams apply.")
			return
		}
		t := table{head: []string{"SLUG", "ID", "KIND", "ROLE", "LATEST CACHED", "NAME"}}
		for _, e := range list {
			t.add(e.Slug, e.ID, e.Kind, e.Role, strconv.Itoa(e.CacheLifetime)+" s", e.DisplayName)
		}
		a.printTable(t)
	})
}
