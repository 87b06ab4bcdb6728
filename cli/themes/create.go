package themes

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/client"
)

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

// MakeTheme creates a Theme with all its integrations.
func MakeTheme(ctx context.Context, c *client.Client, environmentID, slug string, n NewTheme) (client.Theme, error) {
	pairs, err := parseIntegrations(n.Integrations)
	if err != nil {
		return client.Theme{}, err
	}
	in := client.NewTheme{Slug: slug, DisplayName: cmp.Or(n.Name, slug), PreviewOf: n.PreviewOf}
	if len(pairs) > 0 {
		in.Integration = &pairs[0]
	}
	t, err := c.CreateTheme(ctx, environmentID, in)
	if err != nil || len(pairs) < 2 {
		return t, err
	}
	return c.SetIntegrations(ctx, environmentID, t.ID, pairs)
}

// MakeVariant creates a Variant.
func MakeVariant(ctx context.Context, c *client.Client, t client.Theme, slug, name string) (client.Variant, error) {
	return c.CreateVariant(ctx, t.EnvironmentID, t.ID, client.NewVariant{Slug: slug, DisplayName: cmp.Or(name, slug)})
}

// parseIntegrations parses "framework/library" pairs.
func parseIntegrations(list []string) ([]client.Integration, error) {
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
		RunE: func(cmd *cobra.Command, args []string) error { return a.createTheme(cmd.Context(), p, args[0], n) },
	}
	n.Flags(cmd)
	cmd.Flags().StringVar(&n.PreviewOf, "preview-of", "", "`THEME`, slug or id, that the new one is a preview of")
	return a.JSONFlag(target.InEnvironment(cmd, &p))
}

func (a *app) createTheme(ctx context.Context, p target.Target, slug string, n NewTheme) error {
	c, env, err := a.inEnvironment(ctx, p)
	switch {
	case err != nil:
		return err
	case env.PreviewOf != "" && n.PreviewOf == "":
		return term.UsageError("Name it with --preview-of.", "every Theme of Environment %s is a preview of another one", env.Slug)
	case env.PreviewOf == "" && n.PreviewOf != "":
		return term.Fail("Name one with --env whose Themes are: the operator sets previewOf with livery teams apply.", "the Themes of Environment %s are not previews", env.Slug)
	case n.PreviewOf != "":
		of, err := target.Lookup(ctx, c, target.Target{Env: env.PreviewOf, Theme: n.PreviewOf})
		if err != nil {
			return err
		}
		n.PreviewOf = of.Theme.ID
	}
	t, err := MakeTheme(ctx, c, env.ID, slug, n)
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

func (a *app) variantCreate() *cobra.Command {
	var p target.Target
	var name string
	cmd := &cobra.Command{
		Use:     "create SLUG",
		Short:   "Create a Variant",
		Example: "  livery variant create midnight --env sandbox --theme tidewater --name Midnight",
		Args:    cmdline.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, f, err := a.Resolve(cmd, p)
			if err != nil {
				return err
			}
			v, err := MakeVariant(cmd.Context(), c, f.Theme, args[0], name)
			if err != nil {
				return err
			}
			return a.Show(v, func() { a.Say("Variant %s is created: %s", v.Slug, v.ID) })
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "display `NAME` (default: the slug)")
	return a.JSONFlag(target.OfTheme(cmd, &p))
}
