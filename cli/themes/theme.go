package themes

import (
	"context"
	"iter"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

func (a *app) themeCommand() *cobra.Command {
	theme := cmdline.Group("theme", "List, create, show, change and delete Themes")
	theme.AddCommand(a.themeList(), a.themeCreate(), a.themeShow(), a.themeUpdate(), a.themeModes(), a.themeDelete())
	return theme
}

func (a *app) themeList() *cobra.Command {
	return listCommand(a, listing[client.Theme]{
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
		row: func(t client.Theme) []any {
			return []any{t.Slug, t.ID, strconv.Itoa(t.TokenCount), term.Version(t.LatestVersion), term.Mark(t.HasUnpublishedChanges), t.DisplayName}
		},
	})
}

// NewTheme are the flags of what a Theme is made from.
type NewTheme struct {
	Name         string
	Integrations []string
	PreviewOf    string // id of a Theme; empty unless it is to be a preview
}

// Flags gives a command the flags of a new Theme.
func (n *NewTheme) Flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&n.Name, "name", "", "display `NAME` of a new one (default: its slug)")
	cmd.Flags().StringArrayVar(&n.Integrations, "integration", nil, "`FRAMEWORK/LIBRARY` that a new Theme serves files for, for example react/plainCSS; may be repeated")
}

func (a *app) themeCreate() *cobra.Command {
	var p target.Target
	var n NewTheme
	cmd := &cobra.Command{
		Use:   "create SLUG",
		Short: "Create a Theme",
		Long: "Creates a Theme without tokens. --preview-of makes it a preview of a Theme, in an Environment of previews (previewOf\n" +
			"in the file of livery teams apply): its files are served by the rules of that Theme, whatever these become, and it has\n" +
			"its integrations and CSS prefix to begin with.",
		Example: "  livery theme create acme --env sandbox --name Acme --integration react/plainCSS --integration react/mui\n" +
			"  livery theme create acme-pr-12 --env preview --preview-of acme",
		Args: cmdline.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return a.createTheme(cmd, p, args[0], n) },
	}
	n.Flags(cmd)
	cmd.Flags().StringVar(&n.PreviewOf, "preview-of", "", "`THEME`, slug or id, that the new one is a preview of")
	return a.JSONFlag(target.InEnvironment(cmd, &p))
}

func (a *app) createTheme(cmd *cobra.Command, p target.Target, slug string, n NewTheme) error {
	c, env, err := a.inEnvironment(cmd.Context(), p)
	if err != nil {
		return err
	}
	if env.PreviewOf != "" && n.PreviewOf == "" {
		return term.UsageError("Name it with --preview-of.", "every Theme of Environment %s is a preview of another one", env.Slug)
	}
	if n.PreviewOf != "" {
		if n.PreviewOf, err = previewed(cmd.Context(), c, env, n.PreviewOf); err != nil {
			return err
		}
	}
	t, err := MakeTheme(cmd.Context(), c, env.ID, slug, n)
	if err != nil {
		return err
	}
	return a.Show(t, func() {
		a.Say("Theme %s is created: %s", t.Slug, t.ID)
		if len(t.Integrations) == 0 {
			a.Say("It serves no file until it has an integration: livery theme update %s --integration react/plainCSS", t.Slug)
		}
	})
}

// previewed returns the id of the Theme that a preview in the Environment is to be of.
func previewed(ctx context.Context, c *client.Client, env client.Environment, name string) (string, error) {
	if env.PreviewOf == "" {
		return "", term.Fail("Name one with --env whose Themes are: the operator sets previewOf with livery teams apply.", "the Themes of Environment %s are not previews", env.Slug)
	}
	f, err := target.Lookup(ctx, c, target.Target{Env: env.PreviewOf, Theme: name})
	return f.Theme.ID, err
}

// readIntegrations reads "framework/library" pairs.
func readIntegrations(list []string) ([]client.Integration, error) {
	pairs := make([]client.Integration, 0, len(list))
	for _, text := range list {
		framework, library, ok := strings.Cut(text, "/")
		if !ok || framework == "" || library == "" {
			return nil, term.UsageError("Write FRAMEWORK/LIBRARY, for example react/plainCSS.", "%q is not a valid integration", text)
		}
		pairs = append(pairs, client.Integration{Framework: framework, Library: library})
	}
	return pairs, nil
}

func (a *app) themeUpdate() *cobra.Command {
	var u updateFlags
	var integrations []string
	cmd := &cobra.Command{
		Use:        "update THEME",
		SuggestFor: []string{"integration", "integrations"},
		Short:      "Change the slug, the name, the labels or the integrations of a Theme",
		Long: "Change what is given and leave the rest. A list of integrations or labels replaces the stored\n" +
			"one; integrations need the role admin. --label '' clears the labels.",
		Example: "  livery theme update acme --env sandbox --name 'Acme Inc.' --integration react/mui --integration vue/vuetify",
	}
	u.add(cmd)
	cmd.Flags().StringArrayVar(&integrations, "integration", nil, "`FRAMEWORK/LIBRARY` of the new list; may be repeated")
	return a.onTheme(cmd, func(ctx context.Context, c *client.Client, f target.Resolved) error {
		return a.updateTheme(ctx, c, f, u, integrations)
	})
}

func (a *app) updateTheme(ctx context.Context, c *client.Client, f target.Resolved, u updateFlags, integrations []string) error {
	pairs, err := readIntegrations(integrations)
	if err != nil {
		return err
	}
	d, err := u.details(f.Theme.Slug, f.Theme.DisplayName)
	if err != nil {
		return err
	}
	t, err := c.UpdateTheme(ctx, f.Env.ID, f.Theme.ID, d)
	if err == nil && len(pairs) > 0 {
		t, err = c.SetIntegrations(ctx, f.Env.ID, f.Theme.ID, pairs)
	}
	if err != nil {
		return err
	}
	return a.Show(t, func() { a.printTheme(t) })
}

func (a *app) themeDelete() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "delete THEME",
		Short:   "Delete a Theme, its Variants and every version of both",
		Example: "  livery theme delete acme --env sandbox --yes",
	}
	return a.onTheme(cmd, a.deletion(cmd, "Theme", func(ctx context.Context, c *client.Client, f target.Resolved) error {
		_, err := c.DeleteTheme(ctx, f.Env.ID, f.Theme.ID)
		return err
	}))
}
