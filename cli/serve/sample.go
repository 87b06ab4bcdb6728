package serve

import (
	"context"
	"embed"
	"fmt"

	"example.com/livery/cli/themes"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/client"
	"example.com/livery/renderer/jsontree"
)

// The sample Theme that the first start of livery dev publishes.
//
//go:embed sample
var sampleFiles embed.FS

const sampleSlug = "tidewater"

// sampleTheme is what the sample Theme is made from: integrations that need all five files.
var sampleTheme = themes.NewTheme{
	Name:         "Tidewater",
	Integrations: []string{"react/plainCSS", "react/mui", "react/buildTimeTokens"},
}

// sampleVariants are the Variants of the sample Theme: slug and display name. sampleDark is its dark scheme.
var sampleVariants = [][2]string{{sampleDark, "Midnight"}, {"lantern", "Lantern Festival"}}

const sampleDark = "midnight"

func sampleFile(name string) (*jsontree.Node, error) {
	text, err := sampleFiles.ReadFile("sample/" + name)
	if err != nil {
		return nil, err
	}
	return jsontree.Parse(string(text))
}

// makeSample creates and publishes the sample Theme with its Variants. What an earlier start, which
// was killed on its way, left of it is replaced.
func makeSample(ctx context.Context, c *client.Client, environmentID string) error {
	old, err := c.Themes(ctx, environmentID, client.ListOptions{Slug: sampleSlug})
	if err != nil {
		return err
	}
	for _, t := range old.Items {
		if _, err := c.DeleteTheme(ctx, environmentID, t.ID); err != nil {
			return err
		}
	}
	t, err := themes.MakeTheme(ctx, c, environmentID, sampleSlug, sampleTheme)
	if err != nil {
		return fmt.Errorf("make the sample Theme: %w", err)
	}
	variants, err := makeSampleVariants(ctx, c, t)
	if err != nil {
		return fmt.Errorf("make the Variants of the sample Theme: %w", err)
	}
	if err := fillSample(ctx, c, t); err != nil {
		return fmt.Errorf("make the sample Theme: %w", err)
	}
	for _, v := range variants {
		if err := fillSampleVariant(ctx, c, t, v); err != nil {
			return fmt.Errorf("make the sample Variant %s: %w", v.Slug, err)
		}
	}
	return nil
}

// makeSampleVariants creates the Variants, without overrides, and makes one of them the dark scheme: before the Theme's
// first publish, which freezes its modes.
func makeSampleVariants(ctx context.Context, c *client.Client, t client.Theme) (variants []client.Variant, err error) {
	modes := []client.Mode{{Dimension: "scheme", Mode: "light"}}
	for _, v := range sampleVariants {
		made, err := themes.MakeVariant(ctx, c, t, v[0], v[1])
		if err != nil {
			return nil, err
		}
		variants = append(variants, made)
		if made.Slug == sampleDark {
			modes = append(modes, client.Mode{Dimension: "scheme", Mode: "dark", Variant: &made.ID, When: "(prefers-color-scheme: dark)"})
		}
	}
	_, err = c.Scope(t.EnvironmentID, t.ID).SetModes(ctx, modes)
	return variants, err
}

func fillSample(ctx context.Context, c *client.Client, t client.Theme) error {
	document, err := sampleFile(sampleSlug + ".tokens.json")
	if err != nil {
		return err
	}
	operations := changeset.ThemeOperations(jsontree.NewObject(), document, nil)
	if _, err := c.EditThemeTokens(ctx, t.EnvironmentID, t.ID, client.EditOptions{Strict: true}, operations); err != nil {
		return err
	}
	_, err = c.PublishTheme(ctx, t.EnvironmentID, t.ID, client.PublishOptions{})
	return err
}

func fillSampleVariant(ctx context.Context, c *client.Client, t client.Theme, v client.Variant) error {
	overrides, err := sampleFile(v.Slug + ".variant.json")
	if err != nil {
		return err
	}
	set, err := c.Scope(t.EnvironmentID, t.ID).Tokens(ctx, v.ID, client.ReadOptions{}) // the publish of the Theme made a draft
	if err != nil {
		return err
	}
	operations := changeset.VariantOperations(jsontree.NewObject(), overrides)
	if _, err := c.EditVariantTokens(ctx, t.EnvironmentID, t.ID, v.ID, client.EditOptions{ETag: set.DraftETag(), Strict: true}, operations); err != nil {
		return err
	}
	_, err = c.PublishVariant(ctx, t.EnvironmentID, t.ID, v.ID, client.PublishOptions{})
	return err
}
