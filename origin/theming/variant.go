package theming

import (
	"time"

	"example.com/livery/storage/record"
)

// VariantInput is the body of a create or an update as it came.
type VariantInput struct {
	Slug        *string         // nil means missing
	DisplayName *string         // nil means missing
	Metadata    *map[string]any // nil keeps the stored labels, an empty map clears them
}

// NewVariant returns the record of a new Variant of t without overrides. existing is the number of
// Variants that t has. It returns a validation refusal that lists every fault of in, or a planLimit
// refusal if t is at the allowance of plan.
func NewVariant(id string, t record.Theme, in VariantInput, existing int, plan record.Plan, now time.Time) (record.Variant, error) {
	n := checkNaming(in.Slug, in.DisplayName, in.Metadata)
	if err := invalid(n.messages); err != nil {
		return record.Variant{}, err
	}
	if existing >= plan.VariantsPerTheme() {
		return record.Variant{}, refuse(PlanLimit)
	}
	return record.Variant{
		ID: id, EnvironmentID: t.EnvironmentID, ThemeID: t.ID, Slug: n.slug, DisplayName: n.displayName,
		Metadata: orEmpty(n.labels), CreatedAt: now, UpdatedAt: now,
	}, nil
}

// UpdateVariant returns v with the slug, display name and, if in has them, labels of in, or a
// validation refusal that lists every fault. Overrides and draft are untouched.
func UpdateVariant(v record.Variant, in VariantInput, now time.Time) (record.Variant, error) {
	n := checkNaming(in.Slug, in.DisplayName, in.Metadata)
	if err := invalid(n.messages); err != nil {
		return record.Variant{}, err
	}
	after := v
	after.Slug, after.DisplayName = n.slug, n.displayName
	if in.Metadata != nil {
		after.Metadata = n.labels
	}
	if !SameRecord(v, after) {
		after.UpdatedAt = now
	}
	return after, nil
}
