package cli

import (
	"context"
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

// completeNames makes a command and those in it complete the names of Environments, Themes and Variants.
func (a *app) completeNames(cmd *cobra.Command) {
	for flag, kind := range map[string]func(*cobra.Command) []string{
		"env": a.environmentNames, "theme": a.themeNames, "variant": a.variantNames,
	} {
		if cmd.Flags().Lookup(flag) == nil {
			continue
		}
		// it fails only if a flag is missing or completed twice, and neither is so
		_ = cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
			return beginning(kind(cmd), begun), cobra.ShellCompDirectiveNoFileComp
		})
	}
	if kind := a.namesOfArgument(cmd); kind != nil {
		cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return beginning(kind(cmd), begun), cobra.ShellCompDirectiveNoFileComp
		}
	}
	for _, c := range cmd.Commands() {
		a.completeNames(c)
	}
}

// plainUsages takes the marks of a flag's value out of the usages, which shells show as they are while a command is typed.
func plainUsages(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") })
	for _, c := range cmd.Commands() {
		plainUsages(c)
	}
}

// namesOfArgument returns what the first argument of a command names, or nil.
func (a *app) namesOfArgument(cmd *cobra.Command) func(*cobra.Command) []string {
	_, argument, _ := strings.Cut(cmd.Use, " ")
	switch argument {
	case "ENVIRONMENT":
		return a.environmentNames
	case "THEME":
		return a.themeNames
	case "VARIANT":
		return a.variantNames
	}
	switch cmd.Name() {
	case "edit", "rename":
		return a.tokenNames
	}
	return nil
}

func beginning(all []string, begun string) []string {
	var list []string
	for _, name := range all {
		if strings.HasPrefix(name, begun) {
			list = append(list, name)
		}
	}
	return list
}

// completionClient returns the client and the flags of a command that is being typed; ok is false if nothing can
// be asked.
func (a *app) completionClient(cmd *cobra.Command) (c *client.Client, p target.Target, ok bool) {
	_ = cmdline.ApplySettings(cmd) // flags that are missing yet are not fault
	value := func(flag string) string {
		if f := cmd.Flags().Lookup(flag); f != nil {
			return f.Value.String()
		}
		return ""
	}
	ctx, cancel := context.WithTimeout(contextOf(cmd), completeWithin)
	defer cancel()
	c, err := a.Client(ctx)
	if err != nil {
		return nil, p, false
	}
	c.Tries = 1
	return c, target.Target{Env: value("env"), Theme: value("theme"), Variant: value("variant")}, true
}

// contextOf returns the context of a command that is being typed, which may have none.
func contextOf(cmd *cobra.Command) context.Context {
	if ctx := cmd.Context(); ctx != nil {
		return ctx
	}
	return context.Background()
}

// within runs ask with the patience of a shell.
func within(cmd *cobra.Command, ask func(context.Context) ([]string, error)) []string {
	ctx, cancel := context.WithTimeout(contextOf(cmd), completeWithin)
	defer cancel()
	names, err := ask(ctx)
	if err != nil {
		return nil
	}
	return names
}

func (a *app) environmentNames(cmd *cobra.Command) []string {
	c, _, ok := a.completionClient(cmd)
	if !ok {
		return nil
	}
	return within(cmd, func(ctx context.Context) (names []string, err error) {
		for e, err := range c.EveryEnvironment(ctx) {
			if err != nil {
				return nil, err
			}
			names = append(names, e.Slug)
		}
		return names, nil
	})
}

func (a *app) themeNames(cmd *cobra.Command) []string {
	c, p, ok := a.completionClient(cmd)
	if !ok {
		return nil
	}
	return within(cmd, func(ctx context.Context) (names []string, err error) {
		env, err := target.FindEnvironment(ctx, c, p.Env)
		if err != nil {
			return nil, err
		}
		for t, err := range c.EveryTheme(ctx, env.ID) {
			if err != nil {
				return nil, err
			}
			names = append(names, t.Slug)
		}
		return names, nil
	})
}

func (a *app) variantNames(cmd *cobra.Command) []string {
	c, p, ok := a.completionClient(cmd)
	if !ok {
		return nil
	}
	p.Variant = ""
	return within(cmd, func(ctx context.Context) (names []string, err error) {
		f, err := target.Lookup(ctx, c, p)
		if err != nil {
			return nil, err
		}
		for v, err := range c.EveryVariant(ctx, f.Env.ID, f.Theme.ID) {
			if err != nil {
				return nil, err
			}
			names = append(names, v.Slug)
		}
		return names, nil
	})
}

func (a *app) tokenNames(cmd *cobra.Command) []string {
	c, p, ok := a.completionClient(cmd)
	if !ok {
		return nil
	}
	p.Variant = ""
	return within(cmd, func(ctx context.Context) ([]string, error) {
		f, err := target.Lookup(ctx, c, p)
		if err != nil {
			return nil, err
		}
		set, err := c.ThemeTokens(ctx, f.Env.ID, f.Theme.ID, client.ReadOptions{})
		return changeset.PathsOf(set), err
	})
}
