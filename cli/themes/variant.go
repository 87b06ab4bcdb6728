package themes

import (
	"context"
	"iter"
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
	return listCommand(a, listing[client.Variant]{
		short:   "List the Variants of a Theme",
		example: "  livery variant list --env sandbox --theme tidewater",
		flags:   target.OfTheme,
		head:    []string{"SLUG", "ID", "OVERRIDES", "VERSION", "DRAFT", "NAME"},
		items: func(ctx context.Context, p target.Target) (iter.Seq2[client.Variant, error], error) {
			c, f, err := a.ResolveIn(ctx, p)
			if err != nil {
				return nil, err
			}
			return c.EveryVariant(ctx, f.Env.ID, f.Theme.ID), nil
		},
		row: func(v client.Variant) []any {
			return []any{v.Slug, v.ID, strconv.Itoa(v.TokenCount), term.Version(v.LatestVersion), term.Mark(v.HasUnpublishedChanges), v.DisplayName}
		},
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
	cmd := &cobra.Command{
		Use:     "show VARIANT",
		Short:   "Show a Variant, the addresses of its files, and what it overrides",
		Example: "  livery variant show midnight --env sandbox --theme tidewater --tokens",
	}
	tokens := cmd.Flags().Bool("tokens", false, "show its current overrides as well")
	return a.onVariant(cmd, func(ctx context.Context, c *client.Client, f target.Resolved) error {
		return a.showVariant(ctx, c, f, *tokens)
	})
}

func (a *app) showVariant(ctx context.Context, c *client.Client, f target.Resolved, tokens bool) error {
	v := *f.Variant
	if !tokens {
		return a.Show(v, func() { a.printVariant(v) })
	}
	set, err := c.VariantTokens(ctx, f.Env.ID, f.Theme.ID, v.ID, client.ReadOptions{})
	if err != nil {
		return err
	}
	both := struct {
		Variant client.Variant  `json:"variant"`
		Tokens  client.TokenSet `json:"tokens"`
	}{v, set}
	values, err := c.PreviewVariant(ctx, f.Env.ID, f.Theme.ID, v.ID, renderer.TokensValuesJSON.Name())
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
	var u updateFlags
	cmd := &cobra.Command{
		Use:     "update VARIANT",
		Short:   "Change the slug, the name or the labels of a Variant",
		Long:    "Change what is given and leave the rest. Labels replace the stored ones; --label '' clears them.",
		Example: "  livery variant update midnight --env sandbox --theme tidewater --label season=winter",
	}
	u.add(cmd)
	return a.onVariant(cmd, func(ctx context.Context, c *client.Client, f target.Resolved) error {
		d, err := u.details(f.Variant.Slug, f.Variant.DisplayName)
		if err != nil {
			return err
		}
		v, err := c.UpdateVariant(ctx, f.Env.ID, f.Theme.ID, f.Variant.ID, d)
		if err != nil {
			return err
		}
		return a.Show(v, func() { a.printVariant(v) })
	})
}

func (a *app) variantDelete() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "delete VARIANT",
		Short:   "Delete a Variant and its versions",
		Example: "  livery variant delete midnight --env sandbox --theme tidewater --yes",
	}
	return a.onVariant(cmd, a.deletion(cmd, "Variant", func(ctx context.Context, c *client.Client, f target.Resolved) error {
		_, err := c.DeleteVariant(ctx, f.Env.ID, f.Theme.ID, f.Variant.ID)
		return err
	}))
}
