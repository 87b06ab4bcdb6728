package release

import (
	"context"

	"example.com/livery/cli/target"
	"example.com/livery/client"
)

// TokensAt reads an edition: nil is the current document, 0 is what is before the first version.
func TokensAt(ctx context.Context, c *client.Client, f target.Resolved, version *int) (client.TokenSet, error) {
	var o client.ReadOptions
	if version != nil {
		o.Version = *version
	}
	switch {
	case version != nil && *version == 0:
		return client.TokenSet{}, nil
	case f.Variant != nil:
		return c.VariantTokens(ctx, f.Env.ID, f.Theme.ID, f.Variant.ID, o)
	}
	return c.ThemeTokens(ctx, f.Env.ID, f.Theme.ID, o)
}
