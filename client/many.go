package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
)

// ThemeScope has the calls about the content of one Theme. The contract of the service has Tokens alone: another
// implementation of it may lack the others. Its methods may be called concurrently.
type ThemeScope struct {
	client                 *Client
	environmentID, themeID string
}

// Scope returns the calls about one Theme.
func (c *Client) Scope(environmentID, themeID string) ThemeScope {
	return ThemeScope{c, environmentID, themeID}
}

// ManyVariants names Variants of a Theme whose drafts are published or dropped in one step.
type ManyVariants struct {
	Picks  []VariantPick // nil means all of the Theme; at most 1,000
	Only   string        // any, changed or unchanged: whether the draft differs from what its Variant serves; empty means any
	DryRun bool          // only say what would be done
	Values bool          // of a dry run: the values of what each draft changes, too
	Note   string        // why, for the list of versions; empty means none
}

// VariantPick is one Variant.
type VariantPick struct {
	ID   string `json:"id"`
	ETag string `json:"etag,omitempty"` // of the draft that was seen: another one is skipped; empty means whichever there is
}

// DoneVariant is what is done to one Variant, or would be. Paths are dotted.
type DoneVariant struct {
	ID      string   `json:"id"`
	Slug    string   `json:"slug"`
	Version *int     `json:"version"` // that was published; nil of a discard
	ETag    string   `json:"etag"`    // of the draft
	Added   []string `json:"added"`   // overrides of the draft that the Variant did not serve
	Removed []string `json:"removed"` // overrides that it served and the draft lacks
	Changed []string `json:"changed"` // overrides with another value

	Values []ChangedValue `json:"values,omitempty"` // of all of them; nil unless ManyVariants.Values asks for them
}

// ChangedValue is what an override is changed from and to; nil stands for no override.
type ChangedValue struct {
	Path string          `json:"path"`
	From json.RawMessage `json:"from,omitempty"`
	To   json.RawMessage `json:"to,omitempty"`
}

// SkippedVariant is a Variant to which nothing is done.
type SkippedVariant struct {
	ID     string `json:"id"`
	Reason string `json:"reason"` // such as noDraft, alreadyPublished, staleEtag, unchanged
}

// ManyResult is what PublishVariants and DiscardVariants did.
type ManyResult struct {
	Done    []DoneVariant
	Skipped []SkippedVariant
}

// body returns the body of the request.
func (m ManyVariants) body() any {
	var variants any = "all"
	if m.Picks != nil {
		variants = m.Picks
	}
	only := m.Only
	if only == "" {
		only = "any"
	}
	body := map[string]any{"variants": variants, "only": only, "dryRun": m.DryRun}
	if m.Values {
		body["values"] = true
	}
	if m.Note != "" {
		body["note"] = m.Note
	}
	return body
}

// PublishVariants freezes the drafts of many Variants at the newest version of their Theme, in one step. A Variant that
// cannot be published is skipped.
func (s ThemeScope) PublishVariants(ctx context.Context, m ManyVariants) (ManyResult, error) {
	return s.many(ctx, "publish", m)
}

// DiscardVariants drops the drafts of many Variants in one step. A Variant without a draft is skipped.
func (s ThemeScope) DiscardVariants(ctx context.Context, m ManyVariants) (ManyResult, error) {
	return s.many(ctx, "discard", m)
}

func (s ThemeScope) many(ctx context.Context, what string, m ManyVariants) (ManyResult, error) {
	var answer struct {
		Published []DoneVariant    `json:"published"`
		Discarded []DoneVariant    `json:"discarded"`
		Skipped   []SkippedVariant `json:"skipped"`
	}
	err := s.client.call(ctx, request{method: http.MethodPost, path: variantsPath(s.environmentID, s.themeID, what), body: m.body()}, &answer)
	return ManyResult{append(answer.Published, answer.Discarded...), answer.Skipped}, err
}

// VariantOverrides is a Variant with its current overrides.
type VariantOverrides struct {
	Variant       string                     `json:"variant"` // id
	Slug          string                     `json:"slug"`
	LatestVersion *int                       `json:"latestVersion"` // nil before the first publish of the Variant
	ETag          *string                    `json:"etag"`          // of its draft; nil without one
	Overrides     map[string]json.RawMessage `json:"overrides"`     // by dotted path
}

// EveryOverrides goes through all Variants of the Theme, by slug, with their current overrides: those of the draft, or
// without one those that the Variant serves. It ends after the first error.
func (s ThemeScope) EveryOverrides(ctx context.Context) iter.Seq2[VariantOverrides, error] {
	return every(func(o ListOptions) (Page[VariantOverrides], error) {
		return get[Page[VariantOverrides]](ctx, s.client, themesPath(s.environmentID, s.themeID, "tokens", "overrides"), o.query())
	})
}

// VariantBatch makes and changes Variants of a Theme in one step: all of them or none, 1,000 at most.
type VariantBatch struct {
	Create  []BatchCreate
	Change  []BatchChange
	Minimal bool // the answer has ids, slugs and etags alone
}

// BatchCreate is a Variant to create, with its first overrides.
type BatchCreate struct {
	NewVariant
	Operations []VariantOperation `json:"operations,omitempty"`
}

// BatchChange is a change of a Variant. What is nil or empty stays as it is.
type BatchChange struct {
	ID          string             `json:"id"`
	Slug        string             `json:"slug,omitempty"`
	DisplayName string             `json:"displayName,omitempty"`
	Metadata    map[string]string  `json:"metadata,omitzero"` // an empty map clears the labels
	Operations  []VariantOperation `json:"operations,omitempty"`
	ETag        *string            `json:"etag,omitempty"` // of the draft that was seen, empty for none: another one is ErrStaleETag; nil means whichever there is
}

// BatchedVariant is what a batch made of one Variant. Paths are dotted.
type BatchedVariant struct {
	ID      string   `json:"id"`
	Slug    string   `json:"slug"`
	ETag    string   `json:"etag"`    // of the draft; empty without one
	Variant Variant  `json:"variant"` // zero in a minimal answer, as are the lists
	Added   []string `json:"added"`   // overrides that the Variant does not serve
	Removed []string `json:"removed"` // overrides that it serves, and that a publish would end
	Changed []string `json:"changed"` // overrides with another value than it serves
}

// BatchResult has what became of each Variant of a batch, in the order of the request.
type BatchResult struct {
	Created []BatchedVariant `json:"created"`
	Changed []BatchedVariant `json:"changed"`
}

// BatchVariants creates and changes many Variants in one step, or none: ErrValidation, ErrNotFound, ErrPlanLimit, ErrStaleETag or
// ErrSlugTaken. Error.Variant names the first Variant with a conflict.
func (s ThemeScope) BatchVariants(ctx context.Context, b VariantBatch) (BatchResult, error) {
	body := map[string]any{"create": append([]BatchCreate{}, b.Create...), "change": append([]BatchChange{}, b.Change...)}
	return fetch[BatchResult](ctx, s.client, request{
		method: http.MethodPost, path: variantsPath(s.environmentID, s.themeID, "batch"),
		body: body, minimal: b.Minimal,
	})
}
