package client

import (
	"context"
	"iter"
	"net/http"
)

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
	var page Page[Variant]
	r := request{method: http.MethodGet, path: variantsPath(environmentID, themeID), query: o.query()}
	err := c.call(ctx, r, &page)
	return page, err
}

// EveryVariant goes through all Variants of a Theme, by slug. It ends after the first error.
func (c *Client) EveryVariant(ctx context.Context, environmentID, themeID string) iter.Seq2[Variant, error] {
	return every(func(o ListOptions) (Page[Variant], error) { return c.Variants(ctx, environmentID, themeID, o) })
}

// Variant returns one Variant.
func (c *Client) Variant(ctx context.Context, environmentID, themeID, variantID string) (Variant, error) {
	var v Variant
	err := c.call(ctx, request{method: http.MethodGet, path: variantsPath(environmentID, themeID, variantID)}, &v)
	return v, err
}

// CreateVariant makes a Variant: ErrValidation, ErrConflict if the slug is taken, or
// ErrPlanLimit.
func (c *Client) CreateVariant(ctx context.Context, environmentID, themeID string, in NewVariant) (Variant, error) {
	var answer resource[Variant]
	r := request{method: http.MethodPost, path: variantsPath(environmentID, themeID), body: in}
	err := c.call(ctx, r, &answer)
	return answer.Resource, err
}

// UpdateVariant replaces slug and displayName, and labels if they are given.
func (c *Client) UpdateVariant(ctx context.Context, environmentID, themeID, variantID string, in Details) (Variant, error) {
	var v Variant
	r := request{method: http.MethodPut, guarded: true, path: variantsPath(environmentID, themeID, variantID), body: in}
	err := c.call(ctx, r, &v)
	return v, err
}

// DeleteVariant removes a Variant and its versions, and returns the Theme.
func (c *Client) DeleteVariant(ctx context.Context, environmentID, themeID, variantID string) (Theme, error) {
	var t Theme
	r := request{method: http.MethodDelete, guarded: true, path: variantsPath(environmentID, themeID, variantID)}
	err := c.call(ctx, r, &t)
	return t, err
}
