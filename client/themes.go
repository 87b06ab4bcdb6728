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

// resource is the wrapper of create answers and token reads.
type resource[T any] struct {
	Resource T `json:"resource"`
}

func (r *resource[T]) setETag(etag string) {
	if inner, ok := any(&r.Resource).(interface{ setETag(string) }); ok {
		inner.setETag(etag)
	}
}

func themesPath(environmentID string, rest ...string) []string {
	return append([]string{"environments", environmentID, "themes"}, rest...)
}

// Themes returns a page of the Themes of an Environment.
func (c *Client) Themes(ctx context.Context, environmentID string, o ListOptions) (Page[Theme], error) {
	var page Page[Theme]
	err := c.call(ctx, request{method: http.MethodGet, path: themesPath(environmentID), query: o.query()}, &page)
	return page, err
}

// EveryTheme goes through all Themes of an Environment, by slug. It ends after the first error.
func (c *Client) EveryTheme(ctx context.Context, environmentID string) iter.Seq2[Theme, error] {
	return every(func(o ListOptions) (Page[Theme], error) { return c.Themes(ctx, environmentID, o) })
}

// Theme returns one Theme.
func (c *Client) Theme(ctx context.Context, environmentID, themeID string) (Theme, error) {
	var t Theme
	err := c.call(ctx, request{method: http.MethodGet, path: themesPath(environmentID, themeID)}, &t)
	return t, err
}

// CreateTheme makes a Theme: ErrValidation, or ErrConflict if the slug is taken.
func (c *Client) CreateTheme(ctx context.Context, environmentID string, in NewTheme) (Theme, error) {
	var answer resource[Theme]
	err := c.call(ctx, request{method: http.MethodPost, path: themesPath(environmentID), body: in}, &answer)
	return answer.Resource, err
}

// UpdateTheme replaces slug and displayName, and labels if they are given.
func (c *Client) UpdateTheme(ctx context.Context, environmentID, themeID string, in Details) (Theme, error) {
	var t Theme
	err := c.call(ctx, request{method: http.MethodPut, guarded: true, path: themesPath(environmentID, themeID), body: in}, &t)
	return t, err
}

// SetIntegrations replaces the whole list of integrations. It needs the role admin.
func (c *Client) SetIntegrations(ctx context.Context, environmentID, themeID string, list []Integration) (Theme, error) {
	var t Theme
	body := struct {
		Integrations []Integration `json:"integrations"`
	}{append([]Integration{}, list...)}
	r := request{method: http.MethodPut, guarded: true, path: themesPath(environmentID, themeID, "integrations"), body: body}
	err := c.call(ctx, r, &t)
	return t, err
}

// DeleteTheme removes a Theme, its Variants and every version of both, and returns the Environment.
func (c *Client) DeleteTheme(ctx context.Context, environmentID, themeID string) (Environment, error) {
	var e Environment
	err := c.call(ctx, request{method: http.MethodDelete, guarded: true, path: themesPath(environmentID, themeID)}, &e)
	return e, err
}
