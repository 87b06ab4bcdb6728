package client

import (
	"context"
	"net/http"
	"net/url"
)

// ReadOptions selects what a token read returns. The zero value asks for the current document:
// the draft if there is one, else the newest version.
type ReadOptions struct {
	Version         int // a published version; 0 means the current document
	IncludeVersions bool
	Paths           []string // only these tokens and those below these groups, 100 at most; none means all
}

func (o ReadOptions) query() url.Values {
	q := queryOf("version", o.Version, "includeVersions", o.IncludeVersions)
	if len(o.Paths) > 0 {
		q["path"] = o.Paths
	}
	return q
}

// EditOptions say which draft an edit is based on. The zero value claims that there was none.
type EditOptions struct {
	ETag    string // of the draft that was read; empty means that there was none
	IfMatch string // the same as a precondition of HTTP, "*" for any draft; empty sends none
	Strict  bool   // refuse an edit that adds a diagnostic
	Minimal bool   // the set comes back without Tokens and Groups, which makes the answer to an edit of a large Theme small
}

// PublishOptions say what a publish may freeze. The zero value freezes the draft, whatever it is.
type PublishOptions struct {
	IfMatch   string // publish only the draft of this etag; empty publishes any
	Unchanged bool   // a Theme without a draft gets its newest version once more; not for Variants
	Renames   string // what overrides of Variants follow: RenamesContent or RenamesMoves; empty means RenamesContent; not for Variants
	Note      string // why, for the list of versions; empty means none
}

// What the overrides of Variants follow when their Theme is published.
const (
	RenamesContent = "content" // moves, and tokens that were removed and added with the same content
	RenamesMoves   = "moves"   // moves alone
)

// body returns the body of the request, nil for none.
func (o PublishOptions) body() any {
	if o.Note == "" {
		return nil
	}
	return map[string]string{"note": o.Note}
}

// Tokens returns the tokens of the Theme, or the overrides of a Variant of it if variantID is not empty. A version is always
// the number of a version of the Theme.
func (s ThemeScope) Tokens(ctx context.Context, variantID string, o ReadOptions) (TokenSet, error) {
	return unwrap[TokenSet](ctx, s.client, request{method: http.MethodGet, path: s.tokens(variantID), query: o.query()})
}

// EditThemeTokens applies a batch to the current document of a Theme, all or nothing, and returns
// the tokens after it: ErrValidation, or ErrConflict if the draft is not the claimed one.
func (c *Client) EditThemeTokens(ctx context.Context, environmentID, themeID string, o EditOptions, batch []Operation) (TokenSet, error) {
	return editTokens(ctx, c, themesPath(environmentID, themeID, "tokens"), o, batch)
}

// PublishTheme freezes the draft of a Theme as its next version: ErrConflict if there is none. InferredRenames of the answer
// lists the tokens that it paired by their content.
func (c *Client) PublishTheme(ctx context.Context, environmentID, themeID string, o PublishOptions) (Theme, error) {
	return fetch[Theme](ctx, c, request{
		method: http.MethodPost, path: themesPath(environmentID, themeID, "tokens", "publish"),
		query: queryOf("unchanged", o.Unchanged, "renames", o.Renames), match: o.IfMatch, body: o.body(),
	})
}

// DiscardThemeTokens drops the draft of a Theme.
func (c *Client) DiscardThemeTokens(ctx context.Context, environmentID, themeID string, o EditOptions) (Theme, error) {
	return fetch[Theme](ctx, c, request{
		method: http.MethodDelete, path: themesPath(environmentID, themeID, "tokens"),
		query: queryOf("etag", o.ETag), match: o.IfMatch,
	})
}

// EditVariantTokens applies a batch to the overrides of a Variant, all or nothing, and returns the
// overrides after it.
func (c *Client) EditVariantTokens(ctx context.Context, environmentID, themeID, variantID string, o EditOptions, batch []VariantOperation) (TokenSet, error) {
	return editTokens(ctx, c, variantsPath(environmentID, themeID, variantID, "tokens"), o, batch)
}

// PublishVariant freezes the draft of a Variant at the newest version of its Theme: ErrConflict
// if it has none, or was published at that version already.
func (c *Client) PublishVariant(ctx context.Context, environmentID, themeID, variantID string, o PublishOptions) (Variant, error) {
	return fetch[Variant](ctx, c, request{
		method: http.MethodPost, path: variantsPath(environmentID, themeID, variantID, "tokens", "publish"),
		match: o.IfMatch, body: o.body(),
	})
}

// DiscardVariantTokens drops the draft of a Variant.
func (c *Client) DiscardVariantTokens(ctx context.Context, environmentID, themeID, variantID string, o EditOptions) (Variant, error) {
	return fetch[Variant](ctx, c, request{
		method: http.MethodDelete, path: variantsPath(environmentID, themeID, variantID, "tokens"),
		query: queryOf("etag", o.ETag), match: o.IfMatch,
	})
}

func editTokens[O any](ctx context.Context, c *Client, path []string, o EditOptions, batch []O) (TokenSet, error) {
	body := struct {
		Operations []O `json:"operations"`
	}{append([]O{}, batch...)}
	return unwrap[TokenSet](ctx, c, request{
		method: http.MethodPatch, path: path, query: queryOf("etag", o.ETag, "strict", o.Strict),
		match: o.IfMatch, body: body, minimal: o.Minimal,
	})
}
