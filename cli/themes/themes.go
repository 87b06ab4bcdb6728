// Package themes has the commands for Environments, Themes and Variants.
package themes

import (
	"context"
	"iter"
	"strconv"

	"github.com/spf13/cobra"

	"example.com/livery/cli/account"
	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

// app is what the commands of this package share.
type app struct{ *account.Session }

// Commands returns the commands of this package.
func Commands(s *account.Session) []*cobra.Command {
	a := &app{Session: s}
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
	theme := cmdline.Group("theme", "List, create, show, change and delete Themes")
	theme.AddCommand(listCommand(a, listing[client.Theme]{
		short:   "List the Themes of an Environment",
		example: "  livery theme list --env sandbox",
		flags:   target.InEnvironment,
		head:    []string{"SLUG", "ID", "TOKENS", "VERSION", "DRAFT", "NAME"},
		items: func(ctx context.Context, p target.Target) (iter.Seq2[client.Theme, error], error) {
			c, env, err := a.inEnvironment(ctx, p)
			if err != nil {
				return nil, err
			}
			return c.EveryTheme(ctx, env.ID), nil
		},
		row: func(t client.Theme) []any { return themeResource(t).row() },
	}), a.themeCreate(), a.showCommand(themeKind), a.updateCommand(themeKind), a.themeModes(), a.deleteCommand(themeKind))
	variant := cmdline.Group("variant", "List, create, show, change and delete the Variants of a Theme")
	variant.AddCommand(listCommand(a, listing[client.Variant]{
		short:   "List the Variants of a Theme",
		example: "  livery variant list --env sandbox --theme tidewater",
		flags:   target.OfTheme,
		head:    []string{"SLUG", "ID", "OVERRIDES", "VERSION", "DRAFT", "NAME"},
		items: func(ctx context.Context, p target.Target) (iter.Seq2[client.Variant, error], error) {
			c, f, err := a.ResolveIn(ctx, p)
			if err != nil {
				return nil, err
			}
			return c.EveryVariant(ctx, f.Env.ID, f.Theme.ID), nil
		},
		row: func(v client.Variant) []any { return variantResource(v).row() },
	}), a.variantCreate(), a.showCommand(variantKind), a.updateCommand(variantKind), a.deleteCommand(variantKind))
	return []*cobra.Command{env, theme, variant, a.eventsCommand(), a.webhookCommand()}
}

// listing describes a command that lists resources.
type listing[T any] struct {
	short, example string
	flags          func(*cobra.Command, *target.Target) *cobra.Command // nil for none
	empty          string                                              // printed in place of an empty table; may be empty
	head           []string
	items          func(context.Context, target.Target) (iter.Seq2[T, error], error)
	row            func(T) []any
}

// listCommand returns the command list of a resource.
func listCommand[T any](a *app, l listing[T]) *cobra.Command {
	var p target.Target
	cmd := &cobra.Command{
		Use: "list", Short: l.short, Example: l.example, Args: cmdline.Args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			items, err := l.items(cmd.Context(), p)
			if err != nil {
				return err
			}
			list, table := []T{}, term.Table{Head: l.head}
			for item, err := range items {
				if err != nil {
					return err
				}
				list = append(list, item)
				table.Add(l.row(item)...)
			}
			return a.Show(list, func() {
				if len(list) == 0 && l.empty != "" {
					a.Say("%s", l.empty)
					return
				}
				a.PrintTable(table)
			})
		},
	}
	if l.flags != nil {
		l.flags(cmd, &p)
	}
	return a.JSONFlag(cmd)
}

// inEnvironment returns the client and the Environment that p names.
func (a *app) inEnvironment(ctx context.Context, p target.Target) (*client.Client, client.Environment, error) {
	c, err := a.Client(ctx)
	if err != nil {
		return nil, client.Environment{}, err
	}
	e, err := target.FindEnvironment(ctx, c, p.Env)
	return c, e, err
}
