package client

import (
	"context"
	"iter"
	"net/http"
	"time"
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

// Diagnostics lists what the files of the current document leave out, and why: those of the Theme, or of a Variant of it if
// variantID is not empty.
func (s ThemeScope) Diagnostics(ctx context.Context, variantID string) ([]Diagnostic, error) {
	answer, err := get[struct {
		Diagnostics []Diagnostic `json:"diagnostics"`
	}](ctx, s.client, s.tokens(variantID, "diagnostics"), nil)
	return answer.Diagnostics, err
}

// Compare tells what changed between two editions of the Theme's document, or of the overrides of a Variant of it if variantID
// is not empty.
func (s ThemeScope) Compare(ctx context.Context, variantID string, o CompareOptions) (Comparison, error) {
	return get[Comparison](ctx, s.client, s.tokens(variantID, "diff"), queryOf("from", o.From, "to", o.To))
}

// VersionEntry is a version in the list of versions.
type VersionEntry struct {
	Version     int       `json:"version"`
	PublishedAt time.Time `json:"publishedAt"`
	PublishedBy *string   `json:"publishedBy"` // subject of the token; nil if the caller is not told
	Note        *string   `json:"note"`        // nil without one
	TokenCount  int       `json:"tokenCount"`
	Added       int       `json:"added"`   // beside the version before, as Removed and Changed
	Removed     int       `json:"removed"` // tokens, or overrides of a Variant
	Changed     int       `json:"changed"` // with another value, type, name or metadata
	Modes       []Mode    `json:"modes"`   // of the Theme, that the publish froze; nil of a Variant
}

// Versions returns a page of the versions of the Theme, or of a Variant of it if variantID is not empty, newest first. Of
// o it takes After and PageSize.
func (s ThemeScope) Versions(ctx context.Context, variantID string, o ListOptions) (Page[VersionEntry], error) {
	return get[Page[VersionEntry]](ctx, s.client, s.tokens(variantID, "versions"), ListOptions{After: o.After, PageSize: o.PageSize}.query())
}

// EveryVersion goes through all versions of the Theme, or of a Variant of it if variantID is not empty, newest first. It ends
// after the first error.
func (s ThemeScope) EveryVersion(ctx context.Context, variantID string) iter.Seq2[VersionEntry, error] {
	return every(func(o ListOptions) (Page[VersionEntry], error) { return s.Versions(ctx, variantID, o) })
}

// Restore makes the content of a version the draft of the Theme, or of a Variant of it if variantID is not empty, and
// returns the tokens after it. o.ETag must name the draft that is there: ErrConflict. Without a draft in the answer the
// version is what is newest.
func (s ThemeScope) Restore(ctx context.Context, variantID string, version int, o EditOptions) (TokenSet, error) {
	return unwrap[TokenSet](ctx, s.client, request{method: http.MethodPost, path: s.tokens(variantID, "restore"), query: queryOf("version", version, "etag", o.ETag), match: o.IfMatch})
}

// tokens returns the path of the tokens of the Theme, or of a Variant, or one below it.
func (s ThemeScope) tokens(variantID string, below ...string) []string {
	below = append([]string{"tokens"}, below...)
	if variantID == "" {
		return themesPath(s.environmentID, append([]string{s.themeID}, below...)...)
	}
	return variantsPath(s.environmentID, s.themeID, append([]string{variantID}, below...)...)
}
