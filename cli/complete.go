package cli

import (
	"cmp"
	"context"
	"iter"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/client"
)

// completeWithin is how long a shell waits for names at most.
const completeWithin = 2 * time.Second

// lister lists the names of one kind in the place that a command line names.
type lister func(context.Context, *client.Client, target.Target) ([]string, error)

// completeNames makes a command and those in it complete the names of Environments, Themes and Variants.
func (a *app) completeNames(cmd *cobra.Command) {
	for flag, list := range map[string]lister{"env": environmentNames, "theme": themeNames, "variant": variantNames} {
		if cmd.Flags().Lookup(flag) != nil {
			// it fails only if a flag is missing or completed twice, and neither is so
			_ = cmd.RegisterFlagCompletionFunc(flag, a.completion(list, nil))
		}
	}
	_, argument, _ := strings.Cut(cmd.Use, " ")
	argument, _, _ = strings.Cut(argument, " ")
	list := map[string]lister{"ENVIRONMENT": environmentNames, "THEME": themeNames, "VARIANT": variantNames}[argument]
	if cmd.Name() == "edit" || cmd.Name() == "rename" {
		list = tokenNames
	}
	if list != nil {
		cmd.ValidArgsFunction = a.completion(list, cobra.ExactArgs(0))
	}
	for _, c := range cmd.Commands() {
		a.completeNames(c)
	}
}

// completion returns what completes a name, if the arguments before it pass a check.
func (a *app) completion(list lister, check cobra.PositionalArgs) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) (found []string, _ cobra.ShellCompDirective) {
		if check == nil || check(cmd, args) == nil {
			for _, name := range a.namesFor(cmd, list) {
				if strings.HasPrefix(name, begun) {
					found = append(found, name)
				}
			}
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}

// namesFor lists names for a command that is being typed; none if nothing can be asked in time.
func (a *app) namesFor(cmd *cobra.Command, list lister) []string {
	_ = cmdline.ApplySettings(cmd) // flags that are missing yet are no fault
	value := func(flag string) string {
		if f := cmd.Flags().Lookup(flag); f != nil {
			return f.Value.String()
		}
		return ""
	}
	ctx, cancel := context.WithTimeout(cmp.Or(cmd.Context(), context.Background()), completeWithin)
	defer cancel()
	c, err := a.Client(ctx)
	if err != nil {
		return nil
	}
	c.Tries = 1
	names, err := list(ctx, c, target.Target{Env: value("env"), Theme: value("theme")})
	if err != nil {
		return nil
	}
	return names
}

// slugsOf collects the slugs of a list.
func slugsOf[T any](all iter.Seq2[T, error], slug func(T) string) (slugs []string, err error) {
	for item, err := range all {
		if err != nil {
			return nil, err
		}
		slugs = append(slugs, slug(item))
	}
	return slugs, nil
}

func environmentNames(ctx context.Context, c *client.Client, _ target.Target) ([]string, error) {
	return slugsOf(c.EveryEnvironment(ctx), func(e client.Environment) string { return e.Slug })
}

func themeNames(ctx context.Context, c *client.Client, p target.Target) ([]string, error) {
	env, err := target.FindEnvironment(ctx, c, p.Env)
	if err != nil {
		return nil, err
	}
	return slugsOf(c.EveryTheme(ctx, env.ID), func(t client.Theme) string { return t.Slug })
}

func variantNames(ctx context.Context, c *client.Client, p target.Target) ([]string, error) {
	f, err := target.Lookup(ctx, c, p)
	if err != nil {
		return nil, err
	}
	return slugsOf(c.EveryVariant(ctx, f.Env.ID, f.Theme.ID), func(v client.Variant) string { return v.Slug })
}

func tokenNames(ctx context.Context, c *client.Client, p target.Target) ([]string, error) {
	f, err := target.Lookup(ctx, c, p)
	if err != nil {
		return nil, err
	}
	set, err := c.Scope(f.Env.ID, f.Theme.ID).Tokens(ctx, "", client.ReadOptions{})
	return changeset.PathsOf(set), err
}

// plainUsages takes the marks of a flag's value out of the usages, which shells show as they are while a command is typed.
func plainUsages(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") })
	for _, c := range cmd.Commands() {
		plainUsages(c)
	}
}
