package client

import (
	"context"
	"iter"
	"net/http"
)

// NewTheme is what a Theme is created from.
type NewTheme struct {
	Slug        string            `json:"slug"`
	DisplayName string            `json:"displayName"`
	Integration *Integration      `json:"integration,omitempty"` // nil serves nothing until integrations are set
	Metadata    map[string]string `json:"metadata,omitempty"`
	PreviewOf   string            `json:"previewOf,omitempty"` // id of a Theme; in an Environment of previews alone
}

// Details are what PUT replaces on a Theme or a Variant: always slug and displayName.
type Details struct {
	Slug        string             `json:"slug"`
	DisplayName string             `json:"displayName"`
	Metadata    *map[string]string `json:"metadata,omitempty"` // nil keeps the stored labels, an empty map clears them
}

func themesPath(environmentID string, rest ...string) []string {
	return append([]string{"environments", environmentID, "themes"}, rest...)
}

// Themes returns a page of the Themes of an Environment.
func (c *Client) Themes(ctx context.Context, environmentID string, o ListOptions) (Page[Theme], error) {
	return get[Page[Theme]](ctx, c, themesPath(environmentID), o.query())
}

// EveryTheme goes through all Themes of an Environment, by slug. It ends after the first error.
func (c *Client) EveryTheme(ctx context.Context, environmentID string) iter.Seq2[Theme, error] {
	return every(func(o ListOptions) (Page[Theme], error) { return c.Themes(ctx, environmentID, o) })
}

// Theme returns one Theme.
func (c *Client) Theme(ctx context.Context, environmentID, themeID string) (Theme, error) {
	return get[Theme](ctx, c, themesPath(environmentID, themeID), nil)
}

// CreateTheme makes a Theme: ErrValidation, or ErrConflict if the slug is taken.
func (c *Client) CreateTheme(ctx context.Context, environmentID string, in NewTheme) (Theme, error) {
	return unwrap[Theme](ctx, c, request{method: http.MethodPost, path: themesPath(environmentID), body: in})
}

// UpdateTheme replaces slug and displayName, and labels if they are given.
func (c *Client) UpdateTheme(ctx context.Context, environmentID, themeID string, in Details) (Theme, error) {
	return fetch[Theme](ctx, c, request{method: http.MethodPut, guarded: true, path: themesPath(environmentID, themeID), body: in})
}

// SetIntegrations replaces the whole list of integrations. It needs the role admin.
func (c *Client) SetIntegrations(ctx context.Context, environmentID, themeID string, list []Integration) (Theme, error) {
	body := struct {
		Integrations []Integration `json:"integrations"`
	}{append([]Integration{}, list...)}
	return fetch[Theme](ctx, c, request{method: http.MethodPut, guarded: true, path: themesPath(environmentID, themeID, "integrations"), body: body})
}

// DeleteTheme removes a Theme, its Variants and every version of both, and returns the Environment.
func (c *Client) DeleteTheme(ctx context.Context, environmentID, themeID string) (Environment, error) {
	return fetch[Environment](ctx, c, request{method: http.MethodDelete, guarded: true, path: themesPath(environmentID, themeID)})
}

// NewVariant is what a Variant is created from.
type NewVariant struct {
	Slug        string            `json:"slug"`
	DisplayName string            `json:"displayName"`
	Metadata    map[string]string `json:"metadata,omitempty"`
}

func variantsPath(environmentID, themeID string, rest ...string) []string {
	return themesPath(environmentID, append([]string{themeID, "variants"}, rest...)...)
}

// Variants returns a page of the Variants of a Theme.
func (c *Client) Variants(ctx context.Context, environmentID, themeID string, o ListOptions) (Page[Variant], error) {
	return get[Page[Variant]](ctx, c, variantsPath(environmentID, themeID), o.query())
}

// EveryVariant goes through all Variants of a Theme, by slug. It ends after the first error.
func (c *Client) EveryVariant(ctx context.Context, environmentID, themeID string) iter.Seq2[Variant, error] {
	return every(func(o ListOptions) (Page[Variant], error) { return c.Variants(ctx, environmentID, themeID, o) })
}

// Variant returns one Variant.
func (c *Client) Variant(ctx context.Context, environmentID, themeID, variantID string) (Variant, error) {
	return get[Variant](ctx, c, variantsPath(environmentID, themeID, variantID), nil)
}

// CreateVariant makes a Variant: ErrValidation, ErrConflict if the slug is taken, or
// ErrPlanLimit.
func (c *Client) CreateVariant(ctx context.Context, environmentID, themeID string, in NewVariant) (Variant, error) {
	return unwrap[Variant](ctx, c, request{method: http.MethodPost, path: variantsPath(environmentID, themeID), body: in})
}

// UpdateVariant replaces slug and displayName, and labels if they are given.
func (c *Client) UpdateVariant(ctx context.Context, environmentID, themeID, variantID string, in Details) (Variant, error) {
	return fetch[Variant](ctx, c, request{method: http.MethodPut, guarded: true, path: variantsPath(environmentID, themeID, variantID), body: in})
}

// DeleteVariant removes a Variant and its versions, and returns the Theme.
func (c *Client) DeleteVariant(ctx context.Context, environmentID, themeID, variantID string) (Theme, error) {
	return fetch[Theme](ctx, c, request{method: http.MethodDelete, guarded: true, path: variantsPath(environmentID, themeID, variantID)})
}
