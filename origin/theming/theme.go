package theming

import (
	"bytes"
	"slices"
	"strconv"
	"time"

	"example.com/livery/storage/record"
)

// ThemeInput is the body of a create or an update as it came.
type ThemeInput struct {
	Slug        *string             // nil means missing
	DisplayName *string             // nil means missing
	Metadata    *map[string]any     // nil keeps the stored labels, an empty map clears them, any other replaces them
	Integration *record.Integration // on create only; nil means none
	PreviewOf   *string             // on create only: the id of a Theme, which Preview judges; nil means none
}

// NewTheme returns the record of a new Theme that has no draft and no version, or a validation
// refusal that lists every fault of in. Whether the slug is free is the store's to say.
func NewTheme(id, environmentID string, in ThemeInput, now time.Time) (record.Theme, error) {
	n := checkNaming(in.Slug, in.DisplayName, in.Metadata)
	integrations := []record.Integration{}
	if in.Integration != nil {
		if what := checkPair(*in.Integration); what != "" {
			n.fault("integration: " + what)
		}
		integrations = append(integrations, *in.Integration)
	}
	if err := invalid(n.messages); err != nil {
		return record.Theme{}, err
	}
	return record.Theme{
		ID: id, EnvironmentID: environmentID, Slug: n.slug, DisplayName: n.displayName,
		Metadata: orEmpty(n.labels), Integrations: integrations, Serving: newServing(),
		CreatedAt: now, UpdatedAt: now,
	}, nil
}

// MaxPreviews is how many Themes an Environment of previews may have.
const MaxPreviews = 100

// Preview returns t, a new Theme of e, as a preview of source, or a validation refusal: source must be a Theme of the
// Environment that those of e are previews of, which the zero source is not, and e have fewer than MaxPreviews Themes. The
// preview has the integrations of source if it is given none, and its CSS prefix.
func Preview(t record.Theme, e record.Environment, source record.Theme, existing int) (record.Theme, error) {
	switch {
	case e.PreviewOf == "":
		return t, invalid([]string{"previewOf: the Themes of this Environment are not previews"})
	case source.EnvironmentID != e.PreviewOf || source.PreviewOf != "":
		return t, invalid([]string{"previewOf: must be the id of a Theme of the Environment " + e.PreviewOf + " that you may read"})
	case existing >= MaxPreviews:
		return t, invalid([]string{"previewOf: the Environment has " + strconv.Itoa(existing) + " previews, and cannot have more; delete one"})
	}
	t.PreviewOf = source.ID
	if len(t.Integrations) == 0 {
		t.Integrations = slices.Clone(source.Integrations)
	}
	if source.AssetSettings.IsLive {
		t.DraftPrefix = &source.AssetSettings.Prefix
	}
	return t, nil
}

// UpdateTheme returns t with the slug, display name and, if in has them, labels of in, or a
// validation refusal that lists every fault. Nothing else of t changes but, if these do, UpdatedAt; in.Integration is ignored.
func UpdateTheme(t record.Theme, in ThemeInput, now time.Time) (record.Theme, error) {
	n := checkNaming(in.Slug, in.DisplayName, in.Metadata)
	if err := invalid(n.messages); err != nil {
		return record.Theme{}, err
	}
	after := t
	after.Slug, after.DisplayName = n.slug, n.displayName
	if in.Metadata != nil {
		after.Metadata = n.labels
	}
	return changedTheme(t, after, now), nil
}

// SetModes returns t with a list of modes that package modes has parsed.
func SetModes(t record.Theme, list []record.Mode, now time.Time) record.Theme {
	after := t
	after.Modes = list
	return changedTheme(t, after, now)
}

// changedTheme returns after, updated now if it differs from before.
func changedTheme(before, after record.Theme, now time.Time) record.Theme {
	if !SameRecord(before, after) {
		after.UpdatedAt = now
	}
	return after
}

// SameRecord reports whether two records are stored alike.
func SameRecord(a, b any) bool {
	one, err := record.Encode(a)
	other, failed := record.Encode(b)
	return err == nil && failed == nil && bytes.Equal(one, other)
}

func newServing() record.Serving {
	return record.Serving{
		Mode: "public", SigningKeys: []record.SigningKey{}, AllowedOrigins: []string{},
		MissingOrigin: "allowNonBrowsers", AllowedIPRanges: []string{},
	}
}

func orEmpty(labels map[string]string) map[string]string {
	if labels == nil {
		return map[string]string{}
	}
	return labels
}
