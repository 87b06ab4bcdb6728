package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.com/livery/client"
)

func (a *app) themeCommand() *cobra.Command {
	theme := parent("theme", "List, create, look at, change and delete Themes")
	theme.AddCommand(a.themeList(), a.themeCreate(), a.themeShow(), a.themeUpdate(), a.themeDelete())
	return theme
}

// inEnvironment gives a command the flag --env.
func inEnvironment(cmd *cobra.Command, p *place) *cobra.Command {
	cmd.Flags().StringVar(&p.env, "env", "", "`ENVIRONMENT`, slug or id (default: the only one there is)")
	return cmd
}

func (a *app) themeList() *cobra.Command {
	var p place
	return a.printing(inEnvironment(&cobra.Command{
		Use:     "list",
		Short:   "List the Themes of an Environment",
		Example: "  livery theme list --env sandbox",
		Args:    usageArgs(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.listThemes(cmd, p) },
	}, &p))
}

func (a *app) listThemes(cmd *cobra.Command, p place) error {
	c, err := a.api(cmd.Context())
	if err != nil {
		return err
	}
	env, err := findEnvironment(cmd.Context(), c, p.env)
	if err != nil {
		return err
	}
	list := []client.Theme{}
	for t, err := range c.EveryTheme(cmd.Context(), env.ID) {
		if err != nil {
			return err
		}
		list = append(list, t)
	}
	return a.show(list, func() {
		t := table{head: []string{"SLUG", "ID", "TOKENS", "VERSION", "DRAFT", "NAME"}}
		for _, theme := range list {
			t.add(theme.Slug, theme.ID, strconv.Itoa(theme.TokenCount), number(theme.LatestVersion),
				yes(theme.HasUnpublishedChanges), theme.DisplayName)
		}
		a.printTable(t)
	})
}

// newTheme are the flags of what a Theme is made from.
type newTheme struct {
	name         string
	integrations []string
}

func (n *newTheme) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&n.name, "name", "", "display `NAME` of a new one (default: its slug)")
	cmd.Flags().StringArrayVar(&n.integrations, "integration", nil, "`FRAMEWORK/LIBRARY` that a new Theme serves files for, for example react/plainCSS; may be repeated")
}

func (a *app) themeCreate() *cobra.Command {
	var p place
	var n newTheme
	cmd := &cobra.Command{
		Use:     "create SLUG",
		Short:   "Create a Theme",
		Example: "  livery theme create acme --env sandbox --name Acme --integration react/plainCSS --integration react/mui",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.createTheme(cmd, p, args[0], n) },
	}
	n.flags(cmd)
	return a.printing(inEnvironment(cmd, &p))
}

func (a *app) createTheme(cmd *cobra.Command, p place, slug string, n newTheme) error {
	c, err := a.api(cmd.Context())
	if err != nil {
		return err
	}
	env, err := findEnvironment(cmd.Context(), c, p.env)
	if err != nil {
		return err
	}
	t, err := makeTheme(cmd.Context(), c, env.ID, slug, n)
	if err != nil {
		return err
	}
	return a.show(t, func() {
		a.say("Theme %s is created: %s", t.Slug, t.ID)
		if len(t.Integrations) == 0 {
			a.say("It serves no file until it has an integration: livery theme update %s --integration react/plainCSS", t.Slug)
		}
	})
}

// readIntegrations reads "framework/library" pairs.
func readIntegrations(list []string) ([]client.Integration, error) {
	pairs := make([]client.Integration, 0, len(list))
	for _, text := range list {
		framework, library, ok := strings.Cut(text, "/")
		if !ok || framework == "" || library == "" {
			return nil, wrongUsage("Write FRAMEWORK/LIBRARY, for example react/plainCSS.", "%q is no integration", text)
		}
		pairs = append(pairs, client.Integration{Framework: framework, Library: library})
	}
	return pairs, nil
}

func (a *app) themeUpdate() *cobra.Command {
	var p place
	var slug string
	var n newTheme
	var labels []string
	cmd := &cobra.Command{
		Use:        "update THEME",
		SuggestFor: []string{"integration", "integrations"},
		Short:      "Change the slug, the name, the labels or the integrations of a Theme",
		Long: "Change what is given and leave the rest. A list of integrations or labels replaces the stored\n" +
			"one; integrations need the role admin. --label '' clears the labels.",
		Example: "  livery theme update acme --env sandbox --name 'Acme Inc.' --integration react/mui --integration vue/vuetify",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.theme = args[0]
			return a.updateTheme(cmd, p, slug, n, labels)
		},
	}
	cmd.Flags().StringVar(&slug, "slug", "", "new `SLUG`")
	cmd.Flags().StringVar(&n.name, "name", "", "new display `NAME`")
	cmd.Flags().StringArrayVar(&n.integrations, "integration", nil, "`FRAMEWORK/LIBRARY` of the new list; may be repeated")
	labelFlag(cmd, &labels)
	return a.printing(inEnvironment(cmd, &p))
}

func labelFlag(cmd *cobra.Command, labels *[]string) {
	cmd.Flags().StringArrayVar(labels, "label", nil, "`KEY=VALUE` of the new labels; may be repeated")
}

// changed lays the given over what stands.
func changed(slug, name, oldSlug, oldName string, labels []string) (client.Details, error) {
	d := client.Details{Slug: oldSlug, DisplayName: oldName}
	if slug != "" {
		d.Slug = slug
	}
	if name != "" {
		d.DisplayName = name
	}
	if labels == nil {
		return d, nil
	}
	metadata := map[string]string{}
	for _, text := range labels {
		key, value, ok := strings.Cut(text, "=")
		if !ok && text != "" {
			return d, wrongUsage("Write KEY=VALUE.", "%q is no label", text)
		}
		if text != "" {
			metadata[key] = value
		}
	}
	d.Metadata = &metadata
	return d, nil
}

func (a *app) updateTheme(cmd *cobra.Command, p place, slug string, n newTheme, labels []string) error {
	pairs, err := readIntegrations(n.integrations)
	if err != nil {
		return err
	}
	c, f, err := a.find(cmd, p)
	if err != nil {
		return err
	}
	d, err := changed(slug, n.name, f.theme.Slug, f.theme.DisplayName, labels)
	if err != nil {
		return err
	}
	t, err := c.UpdateTheme(cmd.Context(), f.env.ID, f.theme.ID, d)
	if err == nil && len(pairs) > 0 {
		t, err = c.SetIntegrations(cmd.Context(), f.env.ID, f.theme.ID, pairs)
	}
	if err != nil {
		return err
	}
	return a.show(t, func() { a.printTheme(t) })
}

// find looks p up with the client that the flags ask for.
func (a *app) find(cmd *cobra.Command, p place) (*client.Client, found, error) {
	return a.findIn(cmd.Context(), p)
}

// findIn is find for whoever has no command at hand.
func (a *app) findIn(ctx context.Context, p place) (*client.Client, found, error) {
	c, err := a.api(ctx)
	if err != nil {
		return nil, found{}, err
	}
	f, err := find(ctx, c, p)
	a.granted = f.env
	return c, f, err
}

func (a *app) themeDelete() *cobra.Command {
	var p place
	var sure bool
	cmd := &cobra.Command{
		Use:     "delete THEME",
		Short:   "Delete a Theme, its Variants and every version of both",
		Example: "  livery theme delete acme --env sandbox --yes",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.theme = args[0]
			c, f, err := a.find(cmd, p)
			if err != nil {
				return err
			}
			if !sure {
				return wrongUsage("Say --yes to do it.", "deleting Theme %s cannot be undone, and its files answer 404 afterwards", f.theme.Slug)
			}
			if _, err := c.DeleteTheme(cmd.Context(), f.env.ID, f.theme.ID); err != nil {
				return err
			}
			return a.show(deleted{f.theme.ID, f.theme.Slug}, func() { a.say("Theme %s is deleted.", f.theme.Slug) })
		},
	}
	cmd.Flags().BoolVar(&sure, "yes", false, "do it")
	return a.printing(inEnvironment(cmd, &p))
}

// deleted is what the deletion of a Theme or Variant tells under --json.
type deleted struct {
	ID   string `json:"deletedID"`
	Slug string `json:"slug"`
}
