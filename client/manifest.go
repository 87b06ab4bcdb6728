package client

import (
	"context"
	"net/http"
)

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
func (s ThemeScope) Manifest(ctx context.Context) (m Manifest, err error) {
	err = s.client.call(ctx, request{method: http.MethodGet, path: themesPath(s.environmentID, s.themeID, "manifest")}, &m)
	return m, err
}
