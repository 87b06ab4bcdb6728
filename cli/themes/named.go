package themes

import (
	"cmp"
	"context"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

// action is what a command does with the Theme or Variant that its argument names.
type action func(context.Context, *client.Client, target.Resolved) error

// onTheme makes cmd a command that works on the Theme that its argument names.
func (a *app) onTheme(cmd *cobra.Command, do action) *cobra.Command {
	var p target.Target
	return target.InEnvironment(a.onNamed(cmd, &p, &p.Theme, do), &p)
}

// onVariant makes cmd a command that works on the Variant that its argument names.
func (a *app) onVariant(cmd *cobra.Command, do action) *cobra.Command {
	var p target.Target
	return target.OfTheme(a.onNamed(cmd, &p, &p.Variant, do), &p)
}

func (a *app) onNamed(cmd *cobra.Command, p *target.Target, name *string, do action) *cobra.Command {
	cmd.Args = cmdline.Args(cobra.ExactArgs(1))
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		*name = args[0]
		c, f, err := a.Resolve(cmd, *p)
		if err != nil {
			return err
		}
		return do(cmd.Context(), c, f)
	}
	return a.JSONFlag(cmd)
}

// updateFlags are the flags of what an update changes; those that are not given change nothing.
type updateFlags struct {
	slug, name string
	labels     []string
}

func (u *updateFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&u.slug, "slug", "", "new `SLUG`")
	cmd.Flags().StringVar(&u.name, "name", "", "new display `NAME`")
	cmd.Flags().StringArrayVar(&u.labels, "label", nil, "`KEY=VALUE` of the new labels; may be repeated")
}

// details returns the update of what has this slug and name.
func (u *updateFlags) details(slug, name string) (client.Details, error) {
	d := client.Details{Slug: cmp.Or(u.slug, slug), DisplayName: cmp.Or(u.name, name)}
	if u.labels == nil {
		return d, nil
	}
	metadata := map[string]string{}
	for _, text := range u.labels {
		key, value, ok := strings.Cut(text, "=")
		if !ok && text != "" {
			return d, term.UsageError("Write KEY=VALUE.", "%q is not a valid label", text)
		}
		if text != "" {
			metadata[key] = value
		}
	}
	d.Metadata = &metadata
	return d, nil
}

// deletionResult is what the deletion of a Theme or Variant prints under --json.
type deletionResult struct {
	ID   string `json:"deletedID"`
	Slug string `json:"slug"`
}

// deletion deletes a Theme or Variant if --yes is given.
func (a *app) deletion(cmd *cobra.Command, kind string, remove action) action {
	sure := cmd.Flags().Bool("yes", false, "do it")
	return func(ctx context.Context, c *client.Client, f target.Resolved) error {
		d := deletionResult{f.Theme.ID, f.Theme.Slug}
		if f.Variant != nil {
			d = deletionResult{f.Variant.ID, f.Variant.Slug}
		}
		if !*sure {
			return term.UsageError("Add --yes to delete it.", "deleting %s %s cannot be undone, and its files answer 404 afterwards", kind, d.Slug)
		}
		if err := remove(ctx, c, f); err != nil {
			return err
		}
		return a.Show(d, func() { a.Say("%s %s is deleted.", kind, d.Slug) })
	}
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

func orDash(text string) string { return cmp.Or(text, "-") }
