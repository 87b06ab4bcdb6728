package themes

import (
	"strconv"

	"github.com/spf13/cobra"

	"example.com/livery/cli/cmdline"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/client"
	"example.com/livery/renderer"
)

func (a *app) variantCommand() *cobra.Command {
	variant := cmdline.Group("variant", "List, create, show, change and delete the Variants of a Theme")
	variant.AddCommand(a.variantList(), a.variantCreate(), a.variantShow(), a.variantUpdate(), a.variantDelete())
	return variant
}

func (a *app) variantList() *cobra.Command {
	var p target.Target
	return a.JSONFlag(target.OfTheme(&cobra.Command{
		Use:     "list",
		Short:   "List the Variants of a Theme",
		Example: "  livery variant list --env sandbox --theme tidewater",
		Args:    cmdline.Args(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.listVariants(cmd, p) },
	}, &p))
}

func (a *app) listVariants(cmd *cobra.Command, p target.Target) error {
	c, f, err := a.Resolve(cmd, p)
	if err != nil {
		return err
	}
	list := []client.Variant{}
	for v, err := range c.EveryVariant(cmd.Context(), f.Env.ID, f.Theme.ID) {
		if err != nil {
			return err
		}
		list = append(list, v)
	}
	return a.Show(list, func() {
		t := term.Table{Head: []string{"SLUG", "ID", "OVERRIDES", "VERSION", "DRAFT", "NAME"}}
		for _, v := range list {
			t.Add(v.Slug, v.ID, strconv.Itoa(v.TokenCount), term.Version(v.LatestVersion), term.Mark(v.HasUnpublishedChanges), v.DisplayName)
		}
		a.PrintTable(t)
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

func (a *app) variantShow() *cobra.Command {
	var p target.Target
	var tokens bool
	cmd := &cobra.Command{
		Use:     "show VARIANT",
		Short:   "Show a Variant, the addresses of its files, and what it overrides",
		Example: "  livery variant show midnight --env sandbox --theme tidewater --tokens",
		Args:    cmdline.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.Variant = args[0]
			return a.showVariant(cmd, p, tokens)
		},
	}
	cmd.Flags().BoolVar(&tokens, "tokens", false, "show its current overrides as well")
	return a.JSONFlag(target.OfTheme(cmd, &p))
}

func (a *app) showVariant(cmd *cobra.Command, p target.Target, tokens bool) error {
	c, f, err := a.Resolve(cmd, p)
	if err != nil {
		return err
	}
	v := *f.Variant
	if !tokens {
		return a.Show(v, func() { a.printVariant(v) })
	}
	set, err := c.VariantTokens(cmd.Context(), f.Env.ID, f.Theme.ID, v.ID, client.ReadOptions{})
	if err != nil {
		return err
	}
	both := struct {
		Variant client.Variant  `json:"variant"`
		Tokens  client.TokenSet `json:"tokens"`
	}{v, set}
	values, err := c.PreviewVariant(cmd.Context(), f.Env.ID, f.Theme.ID, v.ID, renderer.TokensValuesJSON.Name())
	if err != nil {
		return err
	}
	return a.Show(both, func() {
		a.printVariant(v)
		a.Say("")
		changeset.PrintTokens(a.App, set.Tokens, changeset.Primitives(values))
	})
}

func (a *app) printVariant(v client.Variant) {
	a.Pairs(a.Out, "Variant", v.Slug, "Name", v.DisplayName, "Id", v.ID, "Overrides", strconv.Itoa(v.TokenCount),
		"Version", term.Version(v.LatestVersion), "Published", term.Moment(v.PublishedAt), "Draft", term.Mark(v.HasUnpublishedChanges),
		"Labels", labelText(v.Metadata))
	target.PrintFiles(a.App, v.ServingURLs)
}

func (a *app) variantUpdate() *cobra.Command {
	var p target.Target
	var slug, name string
	var labels []string
	cmd := &cobra.Command{
		Use:     "update VARIANT",
		Short:   "Change the slug, the name or the labels of a Variant",
		Long:    "Change what is given and leave the rest. Labels replace the stored ones; --label '' clears them.",
		Example: "  livery variant update midnight --env sandbox --theme tidewater --label season=winter",
		Args:    cmdline.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.Variant = args[0]
			c, f, err := a.Resolve(cmd, p)
			if err != nil {
				return err
			}
			d, err := changed(slug, name, f.Variant.Slug, f.Variant.DisplayName, labels)
			if err != nil {
				return err
			}
			v, err := c.UpdateVariant(cmd.Context(), f.Env.ID, f.Theme.ID, f.Variant.ID, d)
			if err != nil {
				return err
			}
			return a.Show(v, func() { a.printVariant(v) })
		},
	}
	cmd.Flags().StringVar(&slug, "slug", "", "new `SLUG`")
	cmd.Flags().StringVar(&name, "name", "", "new display `NAME`")
	labelFlag(cmd, &labels)
	return a.JSONFlag(target.OfTheme(cmd, &p))
}

func (a *app) variantDelete() *cobra.Command {
	var p target.Target
	var sure bool
	cmd := &cobra.Command{
		Use:     "delete VARIANT",
		Short:   "Delete a Variant and its versions",
		Example: "  livery variant delete midnight --env sandbox --theme tidewater --yes",
		Args:    cmdline.Args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			p.Variant = args[0]
			c, f, err := a.Resolve(cmd, p)
			if err != nil {
				return err
			}
			if !sure {
				return term.UsageError("Add --yes to delete it.", "deleting Variant %s cannot be undone, and its files answer 404 afterwards", f.Variant.Slug)
			}
			if _, err := c.DeleteVariant(cmd.Context(), f.Env.ID, f.Theme.ID, f.Variant.ID); err != nil {
				return err
			}
			return a.Show(deleted{f.Variant.ID, f.Variant.Slug}, func() { a.Say("Variant %s is deleted.", f.Variant.Slug) })
		},
	}
	cmd.Flags().BoolVar(&sure, "yes", false, "do it")
	return a.JSONFlag(target.OfTheme(cmd, &p))
}
