package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
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
func (s ThemeScope) Modes(ctx context.Context) (m Modes, err error) {
	err = s.client.call(ctx, request{method: http.MethodGet, path: s.modes()}, &m)
	return m, err
}

// SetModes replaces the whole list of modes: ErrNotFound if the Theme lacks a Variant that it names. It needs the role
// admin.
func (s ThemeScope) SetModes(ctx context.Context, list []Mode) (m Modes, err error) {
	body := Modes{Modes: append([]Mode{}, list...)}
	err = s.client.call(ctx, request{method: http.MethodPut, guarded: true, path: s.modes(), body: body}, &m)
	return m, err
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
	query := url.Values{}
	if o.Version > 0 {
		query.Set("version", strconv.Itoa(o.Version))
	}
	if o.Modes != "" {
		query.Set("modes", o.Modes)
	}
	r := request{method: http.MethodGet, path: append(s.tokens(variantID, "preview"), file), query: query}
	a, err := s.client.send(ctx, r, nil)
	return a.body, err
}

func (s ThemeScope) modes() []string { return themesPath(s.environmentID, s.themeID, "modes") }
