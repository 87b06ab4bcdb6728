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

func (s ThemeScope) modes() []string { return themesPath(s.environmentID, s.themeID, "modes") }
