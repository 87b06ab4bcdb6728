package api

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/valyala/fasthttp"

	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/operator"
	"example.com/livery/origin/theming"
	"example.com/livery/storage/record"
)

// bare answers with a resource as it is.
func bare(status int, resource any) (httpserver.Answer, error) {
	body, err := json.Marshal(resource, json.Deterministic(true), record.AnswerTimes)
	if err != nil {
		return httpserver.Answer{}, fmt.Errorf("origin: encode %T: %w", resource, err)
	}
	return httpserver.Answer{Status: status, Body: body}, nil
}

// tagged answers with a Theme or a Variant as it is, and with its entity tag, which names every byte of it.
func tagged(resource any) (httpserver.Answer, error) {
	a, err := bare(fasthttp.StatusOK, resource)
	return a.With(fasthttp.HeaderETag, httpserver.ETag(a.Body)), err
}

// created answers with a new resource under the single key "resource", and with the entity tag of the resource as it is.
func created(resource any) (httpserver.Answer, error) {
	a, err := tagged(resource)
	a.Status, a.Body = fasthttp.StatusCreated, slices.Concat([]byte(`{"resource":`), a.Body, []byte("}"))
	return a, err
}

// checkIfMatch refuses a change of a Theme or a Variant if If-Match does not name it as it is.
func checkIfMatch(ifMatch theming.IfMatch, resource any) error {
	if ifMatch == nil {
		return nil
	}
	a, err := bare(fasthttp.StatusOK, resource)
	if err == nil && ifMatch.Fails(strings.Trim(httpserver.ETag(a.Body), `"`)) {
		err = theming.Conflicting(theming.IfMatchFailed)
	}
	return err
}

// environmentBody is an Environment as the API shows it.
type environmentBody struct {
	ID            string            `json:"id"`
	Slug          string            `json:"slug"`
	DisplayName   string            `json:"displayName"`
	Kind          string            `json:"kind"`
	Description   *string           `json:"description"`
	Metadata      map[string]string `json:"metadata"`
	CacheLifetime uint32            `json:"cacheLifetime"`
	Role          record.Role       `json:"role"`
	PreviewOf     string            `json:"previewOf,omitzero"` // id of an Environment; empty unless its Themes are previews
	CreatedAt     time.Time         `json:"createdAt"`
	UpdatedAt     time.Time         `json:"updatedAt"`
}

func newEnvironmentBody(e record.Environment, role record.Role) environmentBody {
	return environmentBody{
		e.ID, e.Slug, e.DisplayName, e.Kind, e.Description, e.Metadata, e.CacheLifetime, role, e.PreviewOf, e.CreatedAt.UTC(), e.UpdatedAt.UTC(),
	}
}

// themeBody is a Theme as the API shows it: without secrets, and without what is only a draft.
type themeBody struct {
	ID                    string               `json:"id"`
	EnvironmentID         string               `json:"environmentID"`
	Slug                  string               `json:"slug"`
	DisplayName           string               `json:"displayName"`
	TokenCount            int                  `json:"tokenCount"`
	LatestVersion         *uint32              `json:"latestVersion"`
	PublishedAt           *time.Time           `json:"publishedAt"`
	HasUnpublishedChanges bool                 `json:"hasUnpublishedChanges"`
	Integrations          []record.Integration `json:"integrations"`
	Metadata              map[string]string    `json:"metadata"`
	PreviewOf             string               `json:"previewOf,omitzero"` // id of the Theme as which it is served; empty unless it is a preview
	Serving               operator.Access      `json:"serving"`
	AssetSettings         assetSettingsBody    `json:"assetSettings"`
	ServingURLs           servingURLs          `json:"servingUrls"`
	CreatedAt             time.Time            `json:"createdAt"`
	UpdatedAt             time.Time            `json:"updatedAt"`

	InferredRenames []renameBody `json:"inferredRenames,omitzero"` // by a publish, in its answer alone
}

type assetSettingsBody struct {
	Prefix      string  `json:"prefix"`
	IsLive      bool    `json:"isLive"`
	LiveVersion *uint32 `json:"liveVersion"`
}

// cdn is the address under which browsers reach an edge, without a slash at the end.
type cdn string

// themeBody shows a Theme. serving is how it is served, which may be as another one.
func (c cdn) themeBody(t record.Theme, serving record.Serving) themeBody {
	return themeBody{
		ID: t.ID, EnvironmentID: t.EnvironmentID, Slug: t.Slug, DisplayName: t.DisplayName,
		TokenCount: t.TokenCount, LatestVersion: numberOrNull(t.LatestVersion), PublishedAt: timeOrNull(t.PublishedAt),
		HasUnpublishedChanges: t.DraftETag != "", Integrations: t.Integrations, Metadata: t.Metadata,
		PreviewOf: t.PreviewOf, Serving: operator.NewAccess(serving),
		AssetSettings: assetSettingsBody{t.AssetSettings.Prefix, t.AssetSettings.IsLive, numberOrNull(t.AssetSettings.LiveVersion)},
		ServingURLs:   c.servingURLs(t, "-"), CreatedAt: t.CreatedAt.UTC(), UpdatedAt: t.UpdatedAt.UTC(),
	}
}

// variantBody is a Variant as the API shows it.
type variantBody struct {
	ID                    string            `json:"id"`
	ThemeID               string            `json:"themeID"`
	Slug                  string            `json:"slug"`
	DisplayName           string            `json:"displayName"`
	TokenCount            int               `json:"tokenCount"`
	LatestVersion         *uint32           `json:"latestVersion"`
	PublishedAt           *time.Time        `json:"publishedAt"`
	HasUnpublishedChanges bool              `json:"hasUnpublishedChanges"`
	Metadata              map[string]string `json:"metadata"`
	ServingURLs           servingURLs       `json:"servingUrls"`
	CreatedAt             time.Time         `json:"createdAt"`
	UpdatedAt             time.Time         `json:"updatedAt"`
}

// variantBody shows a Variant of the Theme t, in whose files and newest version it is served.
func (c cdn) variantBody(t record.Theme, v record.Variant) variantBody {
	return variantBody{
		ID: v.ID, ThemeID: v.ThemeID, Slug: v.Slug, DisplayName: v.DisplayName,
		TokenCount: v.TokenCount, LatestVersion: numberOrNull(v.LatestVersion), PublishedAt: timeOrNull(v.PublishedAt),
		HasUnpublishedChanges: v.DraftETag != "", Metadata: v.Metadata,
		ServingURLs: c.servingURLs(t, v.ID), CreatedAt: v.CreatedAt.UTC(), UpdatedAt: v.UpdatedAt.UTC(),
	}
}

// servingURLs lists the addresses of the served files of a Theme or Variant.
type servingURLs struct {
	Latest  []fileURL  `json:"latest"`
	Pinned  *[]fileURL `json:"pinned"`  // null until the Theme is published
	Version *uint32    `json:"version"` // that pinned points at
}

type fileURL struct {
	File string `json:"file"`
	URL  string `json:"url"`
}

// servingURLs returns the addresses of a Theme's files; variant is "-" or a Variant's id.
func (c cdn) servingURLs(t record.Theme, variant string) servingURLs {
	base := string(c) + "/" + t.EnvironmentID + "/" + t.ID + "/" + variant + "/"
	urls := func(version string) []fileURL {
		urls := []fileURL{}
		for _, file := range theming.Files(t.Integrations) {
			urls = append(urls, fileURL{file, base + version + "/" + file})
		}
		return urls
	}
	all := servingURLs{Latest: urls("latest"), Version: numberOrNull(t.LatestVersion)}
	if t.LatestVersion > 0 {
		pinned := urls(strconv.FormatUint(uint64(t.LatestVersion), 10))
		all.Pinned = &pinned
	}
	return all
}

func numberOrNull(n uint32) *uint32 {
	if n == 0 {
		return nil
	}
	return &n
}

func timeOrNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
