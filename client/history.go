package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

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
	var page Page[VersionEntry]
	r := request{method: http.MethodGet, path: s.tokens(variantID, "versions"), query: ListOptions{After: o.After, PageSize: o.PageSize}.query()}
	err := s.client.call(ctx, r, &page)
	return page, err
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
	var answer resource[TokenSet]
	query := url.Values{"version": {strconv.Itoa(version)}}
	if o.ETag != "" {
		query.Set("etag", o.ETag)
	}
	r := request{method: http.MethodPost, path: s.tokens(variantID, "restore"), query: query, match: o.IfMatch}
	err := s.client.call(ctx, r, &answer)
	return answer.Resource, err
}

// tokens returns a path below the tokens of the Theme, or of a Variant.
func (s ThemeScope) tokens(variantID, rest string) []string {
	if variantID == "" {
		return themesPath(s.environmentID, s.themeID, "tokens", rest)
	}
	return variantsPath(s.environmentID, s.themeID, variantID, "tokens", rest)
}
