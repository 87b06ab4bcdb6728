package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// Diagnostic is one thing that the served files leave out, or that collides in them.
type Diagnostic struct {
	Path    string `json:"path"` // dotted
	Kind    string `json:"kind"` // aliasMissing, aliasCycle, valueMisfit, nameCollision, …
	Message string `json:"message"`
}

// Comparison is what changed between two editions of a Theme or Variant, by dotted path.
type Comparison struct {
	From     *int     `json:"from"` // a version; nil: the current document; 0: what is before the first version
	To       *int     `json:"to"`   // as From
	Added    []string `json:"added"`
	Removed  []string `json:"removed"`
	Renamed  []Rename `json:"renamed"`
	Retyped  []Retype `json:"retyped"`
	Changed  []string `json:"changed"`
	Breaking bool     `json:"breaking"` // a consumer of a custom property can break

	Described  []string        `json:"described"`  // tokens whose description or other metadata changed, and not their value
	Properties PropertyChanges `json:"properties"` // aliases followed
}

// PropertyChanges are the custom properties of tokens.css that change, by name. Those of a Variant are compared over the
// newest version of its Theme.
type PropertyChanges struct {
	Count   int      `json:"count"` // of Added, Removed and Changed
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	Changed []string `json:"changed"` // of another value
	Taken   []string `json:"taken"`   // declared by another token, although the one that declared them is still there
}

// Rename is a token that stands at another path.
type Rename struct {
	From     string `json:"from"`
	To       string `json:"to"`
	Inferred bool   `json:"inferred,omitempty"` // the two were paired by their content, not by a move
}

// Retype is a token whose type is another.
type Retype struct {
	Path string  `json:"path"`
	From *string `json:"from"` // nil: unknown
	To   *string `json:"to"`   // nil: unknown
}

// CompareOptions select the editions to compare. The zero value compares the newest version with the
// current document.
type CompareOptions struct {
	From int // a version; 0: the newest
	To   int // a version; 0: the current document
}

func (o CompareOptions) query() url.Values {
	q := url.Values{}
	if o.From != 0 {
		q.Set("from", strconv.Itoa(o.From))
	}
	if o.To != 0 {
		q.Set("to", strconv.Itoa(o.To))
	}
	return q
}

// ThemeDiagnostics lists what the files of a Theme's current document leave out, and why.
func (c *Client) ThemeDiagnostics(ctx context.Context, environmentID, themeID string) ([]Diagnostic, error) {
	return c.diagnostics(ctx, themesPath(environmentID, themeID, "tokens", "diagnostics"))
}

// VariantDiagnostics is ThemeDiagnostics with the current overrides of a Variant over the Theme.
func (c *Client) VariantDiagnostics(ctx context.Context, environmentID, themeID, variantID string) ([]Diagnostic, error) {
	return c.diagnostics(ctx, variantsPath(environmentID, themeID, variantID, "tokens", "diagnostics"))
}

func (c *Client) diagnostics(ctx context.Context, path []string) ([]Diagnostic, error) {
	var answer struct {
		Diagnostics []Diagnostic `json:"diagnostics"`
	}
	err := c.call(ctx, request{method: http.MethodGet, path: path}, &answer)
	return answer.Diagnostics, err
}

// CompareTheme tells what changed between two editions of a Theme's document.
func (c *Client) CompareTheme(ctx context.Context, environmentID, themeID string, o CompareOptions) (Comparison, error) {
	return c.compare(ctx, themesPath(environmentID, themeID, "tokens", "diff"), o)
}

// CompareVariant tells what changed between two editions of a Variant's overrides.
func (c *Client) CompareVariant(ctx context.Context, environmentID, themeID, variantID string, o CompareOptions) (Comparison, error) {
	return c.compare(ctx, variantsPath(environmentID, themeID, variantID, "tokens", "diff"), o)
}

func (c *Client) compare(ctx context.Context, path []string, o CompareOptions) (Comparison, error) {
	var answer Comparison
	err := c.call(ctx, request{method: http.MethodGet, path: path, query: o.query()}, &answer)
	return answer, err
}

// PreviewTheme returns a served file, such as "tokens.css", of a Theme's current document: what the
// next publish would serve. ErrNotFound if no file has that name.
func (c *Client) PreviewTheme(ctx context.Context, environmentID, themeID, file string) ([]byte, error) {
	a, err := c.send(ctx, request{method: http.MethodGet, path: themesPath(environmentID, themeID, "tokens", "preview", file)}, nil)
	return a.body, err
}

// PreviewVariant is PreviewTheme with the current overrides of a Variant over the Theme.
func (c *Client) PreviewVariant(ctx context.Context, environmentID, themeID, variantID, file string) ([]byte, error) {
	a, err := c.send(ctx, request{method: http.MethodGet, path: variantsPath(environmentID, themeID, variantID, "tokens", "preview", file)}, nil)
	return a.body, err
}
