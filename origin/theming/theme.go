package theming

import (
	"time"

	"example.com/livery/storage/record"
)

// ThemeInput is the body of a create or an update as it came.
type ThemeInput struct {
	Slug        *string             // nil means missing
	DisplayName *string             // nil means missing
	Metadata    *map[string]any     // nil keeps the stored labels, an empty map clears them, any other replaces them
	Integration *record.Integration // on create only; nil means none
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

// UpdateTheme returns t with the slug, display name and, if in has them, labels of in, or a
// validation refusal that lists every fault. Nothing else of t changes; in.Integration is ignored.
func UpdateTheme(t record.Theme, in ThemeInput, now time.Time) (record.Theme, error) {
	n := checkNaming(in.Slug, in.DisplayName, in.Metadata)
	if err := invalid(n.messages); err != nil {
		return record.Theme{}, err
	}
	t.Slug, t.DisplayName, t.UpdatedAt = n.slug, n.displayName, now
	if in.Metadata != nil {
		t.Metadata = n.labels
	}
	return t, nil
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
