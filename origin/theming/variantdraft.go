package theming

import (
	"time"

	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// PublishVariant freezes the draft of s at the newest version of its Theme t and returns the
// Variant, now without a draft, the version, and the blob that the version names. It returns a
// conflict if the review does not hold, if the Theme has no version, if the Variant has a version at
// the Theme's newest already, and if it has no draft.
func PublishVariant(t record.Theme, s VariantState, r Review, now time.Time) (record.Variant, record.VariantVersion, []byte, error) {
	if err := publishable(t, s, r); err != nil {
		return record.Variant{}, record.VariantVersion{}, nil, err
	}
	overrides, err := s.Overrides()
	if err != nil {
		return record.Variant{}, record.VariantVersion{}, nil, err
	}
	blob := jsontree.Append(nil, overrides)
	v := s.Variant
	v.LatestVersion, v.PublishedAt, v.UpdatedAt = t.LatestVersion, now, now
	v.DraftETag, v.TokenCount = "", len(overrides.Members)
	c := CompareVariants(s.beneath(), overrides)
	return v, record.VariantVersion{
		Number: t.LatestVersion, Overrides: record.HashOf(blob), TokenCount: v.TokenCount, PublishedAt: now,
		Remark: record.Remark{Added: len(c.Added), Removed: len(c.Removed), Changed: len(c.Changed)},
	}, blob, nil
}

// Changes compares the current overrides with what the Variant serves.
func (s VariantState) Changes() (Comparison, error) {
	overrides, err := s.Overrides()
	if err != nil {
		return Comparison{}, err
	}
	return CompareVariants(s.beneath(), overrides), nil
}

func publishable(t record.Theme, s VariantState, r Review) error {
	if err := r.check(s.etag()); err != nil {
		return err
	}
	switch {
	case t.LatestVersion == 0:
		return Conflicting(ThemeUnpublished)
	case s.Variant.LatestVersion >= t.LatestVersion:
		return Conflicting(AlreadyPublished)
	case s.Draft == nil:
		return Conflicting(NoDraft)
	}
	return nil
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
