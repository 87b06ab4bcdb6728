package themes

import (
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
	theme.AddCommand(a.themeList(), a.themeCreate(), a.themeShow(), a.themeUpdate(), a.themeDelete())
	return theme
}

func (a *app) themeList() *cobra.Command {
	var p target.Target
	return a.JSONFlag(target.InEnvironment(&cobra.Command{
		Use:     "list",
		Short:   "List the Themes of an Environment",
		Example: "  livery theme list --env sandbox",
		Args:    cmdline.Args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.listThemes(cmd, p) },
	}, &p))
}

func (a *app) listThemes(cmd *cobra.Command, p target.Target) error {
	c, err := a.Client(cmd.Context())
	if err != nil {
		return err
	}
	env, err := target.FindEnvironment(cmd.Context(), c, p.Env)
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
	return a.Show(list, func() {
		t := term.Table{Head: []string{"SLUG", "ID", "TOKENS", "VERSION", "DRAFT", "NAME"}}
		for _, theme := range list {
			t.Add(theme.Slug, theme.ID, strconv.Itoa(theme.TokenCount), term.Version(theme.LatestVersion),
				term.Mark(theme.HasUnpublishedChanges), theme.DisplayName)
		}
		a.PrintTable(t)
	})
}

// NewTheme are the flags of what a Theme is made from.
type NewTheme struct {
	Name         string
	Integrations []string
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
		Use:     "create SLUG",
		Short:   "Create a Theme",
		Example: "  livery theme create acme --env sandbox --name Acme --integration react/plainCSS --integration react/mui",
		Args:    cmdline.Args(cobra.ExactArgs(1)),
		RunE:    func(cmd *cobra.Command, args []string) error { return a.createTheme(cmd, p, args[0], n) },
	}
	n.Flags(cmd)
	return a.JSONFlag(target.InEnvironment(cmd, &p))
}

func (a *app) createTheme(cmd *cobra.Command, p target.Target, slug string, n NewTheme) error {
	c, err := a.Client(cmd.Context())
	if err != nil {
		return err
	}
	env, err := target.FindEnvironment(cmd.Context(), c, p.Env)
	if err != nil {
		return err
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
	var p target.Target
	var slug string
	var n NewTheme
	var labels []string
	cmd := &cobra.Command{
		Use:        "update THEME",
		SuggestFor: []string{"integration", "integrations"},
		Short:      "Change the slug, the name, the labels or the integrations of a Theme",
		Long: "Change what is given and leave the rest. A list of integrations or labels replaces the stored\n" +
			"one; integrations need the role admin. --label '' clears the labels.",
		Example: "  livery theme update acme --env sandbox --name 'Acme Inc.' --integration react/mui --integration vue/vuetify",
		Args:    cmdline.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.Theme = args[0]
			return a.updateTheme(cmd, p, slug, n, labels)
		},
	}
	cmd.Flags().StringVar(&slug, "slug", "", "new `SLUG`")
	cmd.Flags().StringVar(&n.Name, "name", "", "new display `NAME`")
	cmd.Flags().StringArrayVar(&n.Integrations, "integration", nil, "`FRAMEWORK/LIBRARY` of the new list; may be repeated")
	labelFlag(cmd, &labels)
	return a.JSONFlag(target.InEnvironment(cmd, &p))
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
			return d, term.UsageError("Write KEY=VALUE.", "%q is not a valid label", text)
		}
		if text != "" {
			metadata[key] = value
		}
	}
	d.Metadata = &metadata
	return d, nil
}

func (a *app) updateTheme(cmd *cobra.Command, p target.Target, slug string, n NewTheme, labels []string) error {
	pairs, err := readIntegrations(n.Integrations)
	if err != nil {
		return err
	}
	c, f, err := a.Resolve(cmd, p)
	if err != nil {
		return err
	}
	d, err := changed(slug, n.Name, f.Theme.Slug, f.Theme.DisplayName, labels)
	if err != nil {
		return err
	}
	t, err := c.UpdateTheme(cmd.Context(), f.Env.ID, f.Theme.ID, d)
	if err == nil && len(pairs) > 0 {
		t, err = c.SetIntegrations(cmd.Context(), f.Env.ID, f.Theme.ID, pairs)
	}
	if err != nil {
		return err
	}
	return a.Show(t, func() { a.printTheme(t) })
}

func (a *app) themeDelete() *cobra.Command {
	var p target.Target
	var sure bool
	cmd := &cobra.Command{
		Use:     "delete THEME",
		Short:   "Delete a Theme, its Variants and every version of both",
		Example: "  livery theme delete acme --env sandbox --yes",
		Args:    cmdline.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.Theme = args[0]
			c, f, err := a.Resolve(cmd, p)
			if err != nil {
				return err
			}
			if !sure {
				return term.UsageError("Add --yes to delete it.", "deleting Theme %s cannot be undone, and its files answer 404 afterwards", f.Theme.Slug)
			}
			if _, err := c.DeleteTheme(cmd.Context(), f.Env.ID, f.Theme.ID); err != nil {
				return err
			}
			return a.Show(deleted{f.Theme.ID, f.Theme.Slug}, func() { a.Say("Theme %s is deleted.", f.Theme.Slug) })
		},
	}
	cmd.Flags().BoolVar(&sure, "yes", false, "do it")
	return a.JSONFlag(target.InEnvironment(cmd, &p))
}

// deleted is what the deletion of a Theme or Variant tells under --json.
type deleted struct {
	ID   string `json:"deletedID"`
	Slug string `json:"slug"`
}
