package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

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
		// it fails only where a flag is missing or completed twice, and neither is so
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
	case "edit", "unset", "rename":
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

// asked returns the client and the flags of a command that is being typed; ok is false where nothing can
// be asked.
func (a *app) asked(cmd *cobra.Command) (c *client.Client, p place, ok bool) {
	_ = settle(cmd) // flags that are missing yet are no fault
	value := func(flag string) string {
		if f := cmd.Flags().Lookup(flag); f != nil {
			return f.Value.String()
		}
		return ""
	}
	ctx, cancel := context.WithTimeout(contextOf(cmd), completeWithin)
	defer cancel()
	c, err := a.api(ctx)
	if err != nil {
		return nil, p, false
	}
	c.Tries = 1
	return c, place{env: value("env"), theme: value("theme"), variant: value("variant")}, true
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
	c, _, ok := a.asked(cmd)
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
	c, p, ok := a.asked(cmd)
	if !ok {
		return nil
	}
	return within(cmd, func(ctx context.Context) (names []string, err error) {
		env, err := findEnvironment(ctx, c, p.env)
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
	c, p, ok := a.asked(cmd)
	if !ok {
		return nil
	}
	p.variant = ""
	return within(cmd, func(ctx context.Context) (names []string, err error) {
		f, err := find(ctx, c, p)
		if err != nil {
			return nil, err
		}
		for v, err := range c.EveryVariant(ctx, f.env.ID, f.theme.ID) {
			if err != nil {
				return nil, err
			}
			names = append(names, v.Slug)
		}
		return names, nil
	})
}

func (a *app) tokenNames(cmd *cobra.Command) []string {
	c, p, ok := a.asked(cmd)
	if !ok {
		return nil
	}
	p.variant = ""
	return within(cmd, func(ctx context.Context) ([]string, error) {
		f, err := find(ctx, c, p)
		if err != nil {
			return nil, err
		}
		set, err := c.ThemeTokens(ctx, f.env.ID, f.theme.ID, client.ReadOptions{})
		return pathsOf(set), err
	})
}
