package client

import (
	"context"
	"net/http"
)

// Modes is the complete list of a Theme's modes.
type Modes struct {
	Modes []Mode `json:"modes"`

	ETag string `json:"-"` // of the list, for WithIfMatch
}

// Mode is a mode of a dimension, and the Variant whose overrides it has.
type Mode struct {
	Dimension string  `json:"dimension"`
	Mode      string  `json:"mode"`
	Variant   *string `json:"variant"`        // id; nil: the mode overrides nothing
	When      string  `json:"when,omitempty"` // media condition; empty: only an attribute selects the mode
	For       string  `json:"for,omitempty"`  // id of a brand's Variant; empty: every Variant, and the Theme itself
}

func (m *Modes) setETag(etag string) { m.ETag = etag }

// Modes returns the modes of the Theme.
func (s ThemeScope) Modes(ctx context.Context) (Modes, error) {
	return get[Modes](ctx, s.client, s.modes(), nil)
}

// SetModes replaces the whole list of modes: ErrNotFound if the Theme lacks a Variant that it names. It needs the role
// admin.
func (s ThemeScope) SetModes(ctx context.Context, list []Mode) (Modes, error) {
	body := Modes{Modes: append([]Mode{}, list...)}
	return fetch[Modes](ctx, s.client, request{method: http.MethodPut, guarded: true, path: s.modes(), body: body})
}

// PreviewOptions say of what a preview is.
type PreviewOptions struct {
	Version int    // 0 means the current document, its draft included
	Modes   string // as in the address of a served file: "scheme.dark,contrast.more", or "scheme,contrast"; empty: none
}

// Preview returns a served file, such as "tokens.css", of the Theme, or of a Variant of it if variantID is not empty: what
// the next publish would serve, or a version serves, in modes if they are named. ErrNotFound if such a file,
// version or mode does not exist.
func (s ThemeScope) Preview(ctx context.Context, variantID, file string, o PreviewOptions) ([]byte, error) {
	return s.client.file(ctx, s.tokens(variantID, "preview", file), queryOf("version", o.Version, "modes", o.Modes))
}

func (s ThemeScope) modes() []string { return themesPath(s.environmentID, s.themeID, "modes") }

// Manifest is what a Theme serves at its newest version. An application can carry its URL alone: edges serve it there.
type Manifest struct {
	URL           string                     `json:"url"`         // the addresses of files are relative to it
	EnvironmentID string                     `json:"environment"` // id
	ThemeID       string                     `json:"theme"`       // id
	Slug          string                     `json:"slug"`
	Version       int                        `json:"version"`
	CacheLifetime int                        `json:"cacheLifetime"` // seconds
	Files         map[string]ManifestFile    `json:"files"`         // the Theme's own, by their names
	Variants      map[string]ManifestVariant `json:"variants"`      // the published ones, by slug
	Modes         []ManifestMode             `json:"modes"`
}

// ManifestVariant is what a Variant serves at the version.
type ManifestVariant struct {
	ID      string                  `json:"id"`
	Version int                     `json:"version"` // newest that the Variant has published
	Sealed  bool                    `json:"sealed"`  // the files at their Path never change
	Files   map[string]ManifestFile `json:"files"`
}

// ManifestFile is a served file.
type ManifestFile struct {
	Path   string `json:"path"`   // pinned, relative to the manifest
	Latest string `json:"latest"` // at latest, likewise
	SHA256 string `json:"sha256"` // of what Path serves without a coding, in base64
	Bytes  int    `json:"bytes"`  // likewise
}

// ManifestMode is a mode of the Theme.
type ManifestMode struct {
	Dimension string `json:"dimension"`
	Mode      string `json:"mode"`
	Variant   string `json:"variant,omitempty"` // slug; empty: the mode overrides nothing, or its Variant is not published
	When      string `json:"when,omitempty"`    // media condition; empty: only an attribute selects the mode
	For       string `json:"for,omitempty"`     // slug of a brand's Variant; empty: every Variant, and the Theme itself
}

// Manifest returns the manifest of the Theme: ErrNotFound before its first publish.
func (s ThemeScope) Manifest(ctx context.Context) (Manifest, error) {
	return get[Manifest](ctx, s.client, themesPath(s.environmentID, s.themeID, "manifest"), nil)
}
