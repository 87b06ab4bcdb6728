package themes

import (
	"context"

	"example.com/livery/client"
)

// MakeTheme creates a Theme with all its integrations.
func MakeTheme(ctx context.Context, c *client.Client, environmentID, slug string, n NewTheme) (client.Theme, error) {
	pairs, err := readIntegrations(n.Integrations)
	if err != nil {
		return client.Theme{}, err
	}
	in := client.NewTheme{Slug: slug, DisplayName: n.Name, PreviewOf: n.PreviewOf}
	if in.DisplayName == "" {
		in.DisplayName = slug
	}
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
	if name == "" {
		name = slug
	}
	return c.CreateVariant(ctx, t.EnvironmentID, t.ID, client.NewVariant{Slug: slug, DisplayName: name})
}
