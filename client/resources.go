package client

import (
	"encoding/json"
	"time"
)

// Environment is the isolation boundary above Themes.
type Environment struct {
	ID            string            `json:"id"` // what addresses take; not the slug
	Slug          string            `json:"slug"`
	DisplayName   string            `json:"displayName"`
	Kind          string            `json:"kind"`        // sandbox, staging or production
	Description   *string           `json:"description"` // nil means none
	Metadata      map[string]string `json:"metadata"`
	CacheLifetime int               `json:"cacheLifetime"`       // seconds an edge may reuse a latest answer
	Role          string            `json:"role"`                // the caller's: viewer, editor or admin
	PreviewOf     string            `json:"previewOf,omitempty"` // id of the Environment of whose Themes all here are previews; empty: none are
	CreatedAt     time.Time         `json:"createdAt"`
	UpdatedAt     time.Time         `json:"updatedAt"`
}

// Integration is one pair of the catalogue, for example react and plainCSS.
type Integration struct {
	Framework string `json:"framework"`
	Library   string `json:"library"`
}

// Theme is one token set with its settings, without its tokens.
type Theme struct {
	ID                    string            `json:"id"`
	EnvironmentID         string            `json:"environmentID"`
	Slug                  string            `json:"slug"` // unique within the Environment
	DisplayName           string            `json:"displayName"`
	TokenCount            int               `json:"tokenCount"`    // of the draft if there is one, else of the newest version
	LatestVersion         *int              `json:"latestVersion"` // nil before the first publish
	PublishedAt           *time.Time        `json:"publishedAt"`   // nil before the first publish
	HasUnpublishedChanges bool              `json:"hasUnpublishedChanges"`
	Integrations          []Integration     `json:"integrations"`
	Metadata              map[string]string `json:"metadata"`
	PreviewOf             string            `json:"previewOf,omitempty"` // id of the Theme as which it is served; empty unless it is a preview
	Serving               Serving           `json:"serving"`
	AssetSettings         AssetSettings     `json:"assetSettings"`
	ServingURLs           ServingURLs       `json:"servingUrls"`
	CreatedAt             time.Time         `json:"createdAt"`
	UpdatedAt             time.Time         `json:"updatedAt"`

	InferredRenames []Rename `json:"inferredRenames,omitempty"` // of PublishTheme's answer alone

	ETag string `json:"-"` // of the whole resource, for WithIfMatch; empty on an item of a list
}

// Serving says who may have a Theme's files. The API only reads it.
type Serving struct {
	Mode            string   `json:"mode"`            // public or signed
	SigningKeys     []string `json:"signingKeys"`     // key ids
	AllowedOrigins  []string `json:"allowedOrigins"`  // empty means any
	MissingOrigin   string   `json:"missingOrigin"`   // allowNonBrowsers, refuse or allow
	AllowedIPRanges []string `json:"allowedIPRanges"` // CIDR; empty means any
}

// AssetSettings are the CSS settings that the newest publish made live.
type AssetSettings struct {
	Prefix      string `json:"prefix"`
	IsLive      bool   `json:"isLive"`
	LiveVersion *int   `json:"liveVersion"` // nil if none was ever published
}

// ServingURLs are the addresses of the served files.
type ServingURLs struct {
	Latest  []ServedFile `json:"latest"`
	Pinned  []ServedFile `json:"pinned"`  // nil before the first publish
	Version *int         `json:"version"` // of Pinned; nil before the first publish
}

// ServedFile is one file and its address.
type ServedFile struct {
	File string `json:"file"`
	URL  string `json:"url"`
}

// Variant holds overrides for one Theme, here without them.
type Variant struct {
	ID                    string            `json:"id"`
	ThemeID               string            `json:"themeID"`
	Slug                  string            `json:"slug"` // unique within the Theme
	DisplayName           string            `json:"displayName"`
	TokenCount            int               `json:"tokenCount"`    // tokens that it overrides
	LatestVersion         *int              `json:"latestVersion"` // a Theme version; nil before the first publish
	PublishedAt           *time.Time        `json:"publishedAt"`   // nil before the first publish
	HasUnpublishedChanges bool              `json:"hasUnpublishedChanges"`
	Metadata              map[string]string `json:"metadata"`
	ServingURLs           ServingURLs       `json:"servingUrls"`
	CreatedAt             time.Time         `json:"createdAt"`
	UpdatedAt             time.Time         `json:"updatedAt"`

	ETag string `json:"-"` // of the whole resource, for WithIfMatch; empty on an item of a list
}

// TokenSet is what a Theme or a Variant holds, flattened onto dotted paths.
type TokenSet struct {
	Version               *int       `json:"version"`       // nil in a read of the current document
	LatestVersion         *int       `json:"latestVersion"` // nil before the first publish
	PublishedAt           *time.Time `json:"publishedAt"`   // nil before the first publish
	ETag                  *string    `json:"etag"`          // of the draft; nil if there is none
	HasUnpublishedChanges bool       `json:"hasUnpublishedChanges"`
	Versions              []int      `json:"versions"` // newest first; empty unless asked for
	Tokens                []Token    `json:"tokens"`   // depth first in document order
	Groups                []Group    `json:"groups"`   // those with metadata of their own; none for a Variant
}

// DraftETag returns the draft's etag, or "" without a draft: what an edit must claim.
func (s TokenSet) DraftETag() string {
	if s.ETag == nil {
		return ""
	}
	return *s.ETag
}

// Token is one token. A Variant's has only Path and Value.
type Token struct {
	Path         string          `json:"path"`         // dotted
	Type         *string         `json:"type"`         // its own $type; nil when inherited
	ResolvedType *string         `json:"resolvedType"` // never write it back
	Inferred     bool            `json:"inferred"`     // ResolvedType was guessed from the value
	Value        json.RawMessage `json:"value"`        // as stored, aliases unresolved
	Description  *string         `json:"description"`
	Extensions   json.RawMessage `json:"extensions"` // an object, or null
}

// Group is a group that carries metadata of its own.
type Group struct {
	Path        string  `json:"path"` // dotted
	Type        *string `json:"type"`
	Description *string `json:"description"`
}

// Operation is one edit of a Theme's document, as RFC 6902 has it, without "test".
type Operation struct {
	Operation string          `json:"operation"`       // add, replace, remove, move or copy
	Path      string          `json:"path"`            // JSON Pointer (RFC 6901)
	From      string          `json:"from,omitempty"`  // move and copy
	Value     json.RawMessage `json:"value,omitempty"` // add and replace; JSON null is "null"
}

// VariantOperation is one edit of a Variant's overrides.
type VariantOperation struct {
	Operation string          `json:"operation"`       // set or unset
	Path      string          `json:"path"`            // dotted, as the Theme spells it
	Value     json.RawMessage `json:"value,omitempty"` // set; JSON null is "null"
}

func (t *Theme) setETag(etag string)   { t.ETag = etag }
func (v *Variant) setETag(etag string) { v.ETag = etag }
