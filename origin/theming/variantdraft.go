package theming

import (
	"time"

	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// PublishVariant freezes the draft of s at the newest version of its Theme t and returns the
// Variant, now without a draft, the version, and the blob that the version names. It returns a
// conflict if the Theme has no version, if the Variant has no draft, and if it has a
// version at the Theme's newest already; with Precondition if ifMatch does not name the draft.
func PublishVariant(t record.Theme, s VariantState, ifMatch *string, now time.Time) (record.Variant, record.VariantVersion, []byte, error) {
	if ifMatch != nil && !matches(*ifMatch, s.etag()) {
		return record.Variant{}, record.VariantVersion{}, nil, &Error{Cause: Conflict, Precondition: true}
	}
	if t.LatestVersion == 0 || s.Draft == nil || s.Variant.LatestVersion >= t.LatestVersion {
		return record.Variant{}, record.VariantVersion{}, nil, refuse(Conflict)
	}
	overrides, err := s.Overrides()
	if err != nil {
		return record.Variant{}, record.VariantVersion{}, nil, err
	}
	blob := jsontree.Append(nil, overrides)
	v := s.Variant
	v.LatestVersion, v.PublishedAt, v.UpdatedAt = t.LatestVersion, now, now
	v.DraftETag, v.TokenCount = "", len(overrides.Members)
	return v, record.VariantVersion{
		Number: t.LatestVersion, Overrides: record.HashOf(blob), TokenCount: v.TokenCount, PublishedAt: now,
	}, blob, nil
}

// DiscardVariant returns s without its draft. servedCount is the number of overrides that the
// Variant serves at the Theme's newest version. Without a draft, and if none was claimed,
// nothing changes. It returns a payload refusal for a claim that contradicts itself, and a conflict
// for a stale one.
func DiscardVariant(s VariantState, c Claim, servedCount int, now time.Time) (VariantState, error) {
	if err := c.Check(s.etag()); err != nil {
		return VariantState{}, err
	}
	if s.Draft == nil {
		return s, nil
	}
	s.Draft = nil
	s.Variant.DraftETag, s.Variant.TokenCount, s.Variant.UpdatedAt = "", servedCount, now
	return s, nil
}
