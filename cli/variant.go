package cli

import (
	"strconv"

	"github.com/spf13/cobra"

	"example.com/livery/client"
	"example.com/livery/renderer"
)

func (a *app) variantCommand() *cobra.Command {
	variant := parent("variant", "List, create, look at, change and delete the Variants of a Theme")
	variant.AddCommand(a.variantList(), a.variantCreate(), a.variantShow(), a.variantUpdate(), a.variantDelete())
	return variant
}

// ofTheme gives a command the flags --env and --theme.
func ofTheme(cmd *cobra.Command, p *place) *cobra.Command {
	cmd.Flags().StringVar(&p.theme, "theme", "", "`THEME`, slug or id")
	need(cmd, "theme")
	return inEnvironment(cmd, p)
}

func (a *app) variantList() *cobra.Command {
	var p place
	return a.printing(ofTheme(&cobra.Command{
		Use:     "list",
		Short:   "List the Variants of a Theme",
		Example: "  livery variant list --env sandbox --theme tidewater",
		Args:    usageArgs(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.listVariants(cmd, p) },
	}, &p))
}

func (a *app) listVariants(cmd *cobra.Command, p place) error {
	c, f, err := a.find(cmd, p)
	if err != nil {
		return err
	}
	list := []client.Variant{}
	for v, err := range c.EveryVariant(cmd.Context(), f.env.ID, f.theme.ID) {
		if err != nil {
			return err
		}
		list = append(list, v)
	}
	return a.show(list, func() {
		t := table{head: []string{"SLUG", "ID", "OVERRIDES", "VERSION", "DRAFT", "NAME"}}
		for _, v := range list {
			t.add(v.Slug, v.ID, strconv.Itoa(v.TokenCount), number(v.LatestVersion), yes(v.HasUnpublishedChanges), v.DisplayName)
		}
		a.printTable(t)
	})
}

func (a *app) variantCreate() *cobra.Command {
	var p place
	var name string
	cmd := &cobra.Command{
		Use:     "create SLUG",
		Short:   "Create a Variant",
		Example: "  livery variant create midnight --env sandbox --theme tidewater --name Midnight",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, f, err := a.find(cmd, p)
			if err != nil {
				return err
			}
			v, err := makeVariant(cmd.Context(), c, f.theme, args[0], name)
			if err != nil {
				return err
			}
			return a.show(v, func() { a.say("Variant %s is created: %s", v.Slug, v.ID) })
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "display `NAME` (default: the slug)")
	return a.printing(ofTheme(cmd, &p))
}

func (a *app) variantShow() *cobra.Command {
	var p place
	var tokens bool
	cmd := &cobra.Command{
		Use:     "show VARIANT",
		Short:   "Show a Variant, where its files are served, and what it overrides",
		Example: "  livery variant show midnight --env sandbox --theme tidewater --tokens",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.variant = args[0]
			return a.showVariant(cmd, p, tokens)
		},
	}
	cmd.Flags().BoolVar(&tokens, "tokens", false, "show its current overrides as well")
	return a.printing(ofTheme(cmd, &p))
}

func (a *app) showVariant(cmd *cobra.Command, p place, tokens bool) error {
	c, f, err := a.find(cmd, p)
	if err != nil {
		return err
	}
	v := *f.variant
	if !tokens {
		return a.show(v, func() { a.printVariant(v) })
	}
	set, err := c.VariantTokens(cmd.Context(), f.env.ID, f.theme.ID, v.ID, client.ReadOptions{})
	if err != nil {
		return err
	}
	both := struct {
		Variant client.Variant  `json:"variant"`
		Tokens  client.TokenSet `json:"tokens"`
	}{v, set}
	values, err := c.PreviewVariant(cmd.Context(), f.env.ID, f.theme.ID, v.ID, renderer.TokensValuesJSON.Name())
	if err != nil {
		return err
	}
	return a.show(both, func() {
		a.printVariant(v)
		a.say("")
		a.printTokens(set.Tokens, primitives(values))
	})
}

func (a *app) printVariant(v client.Variant) {
	a.pairs(a.out, "Variant", v.Slug, "Name", v.DisplayName, "Id", v.ID, "Overrides", strconv.Itoa(v.TokenCount),
		"Version", number(v.LatestVersion), "Published", moment(v.PublishedAt), "Draft", yes(v.HasUnpublishedChanges),
		"Labels", labelText(v.Metadata))
	a.printFiles(v.ServingURLs)
}

func (a *app) variantUpdate() *cobra.Command {
	var p place
	var slug, name string
	var labels []string
	cmd := &cobra.Command{
		Use:     "update VARIANT",
		Short:   "Change the slug, the name or the labels of a Variant",
		Long:    "Change what is given and leave the rest. Labels replace the stored ones; --label '' clears them.",
		Example: "  livery variant update midnight --env sandbox --theme tidewater --label season=winter",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.variant = args[0]
			c, f, err := a.find(cmd, p)
			if err != nil {
				return err
			}
			d, err := changed(slug, name, f.variant.Slug, f.variant.DisplayName, labels)
			if err != nil {
				return err
			}
			v, err := c.UpdateVariant(cmd.Context(), f.env.ID, f.theme.ID, f.variant.ID, d)
			if err != nil {
				return err
			}
			return a.show(v, func() { a.printVariant(v) })
		},
	}
	cmd.Flags().StringVar(&slug, "slug", "", "new `SLUG`")
	cmd.Flags().StringVar(&name, "name", "", "new display `NAME`")
	labelFlag(cmd, &labels)
	return a.printing(ofTheme(cmd, &p))
}

func (a *app) variantDelete() *cobra.Command {
	var p place
	var sure bool
	cmd := &cobra.Command{
		Use:     "delete VARIANT",
		Short:   "Delete a Variant and its versions",
		Example: "  livery variant delete midnight --env sandbox --theme tidewater --yes",
		Args:    usageArgs(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.variant = args[0]
			c, f, err := a.find(cmd, p)
			if err != nil {
				return err
			}
			if !sure {
				return wrongUsage("Say --yes to do it.", "deleting Variant %s cannot be undone, and its files answer 404 afterwards", f.variant.Slug)
			}
			if _, err := c.DeleteVariant(cmd.Context(), f.env.ID, f.theme.ID, f.variant.ID); err != nil {
				return err
			}
			return a.show(deleted{f.variant.ID, f.variant.Slug}, func() { a.say("Variant %s is deleted.", f.variant.Slug) })
		},
	}
	cmd.Flags().BoolVar(&sure, "yes", false, "do it")
	return a.printing(ofTheme(cmd, &p))
}
