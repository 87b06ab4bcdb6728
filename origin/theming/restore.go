package theming

import (
	"slices"
	"time"

	"example.com/livery/origin/patch"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// Restoration asks for the content of an earlier version as the draft.
type Restoration struct {
	Document *jsontree.Node // of the Theme at that version
	Moves    []record.Move  // renames between that version and the Theme's newest: back to it for a Theme, from it for a Variant
	Claim    Claim
	NewETag  string // for the draft; never used before
	Now      time.Time
}

// RestoreTheme returns s with the document of an earlier version as its current one, in place of a draft.
// The draft remembers the renames that lead back, so that overrides of Variants follow. If the document equals the newest
// version, no draft is left. It returns what EditTheme refuses of a claim.
func RestoreTheme(s ThemeState, r Restoration) (ThemeState, error) {
	if err := r.Claim.Check(s.etag()); err != nil {
		return ThemeState{}, err
	}
	current, err := s.Document()
	if err != nil {
		return ThemeState{}, err
	}
	moves := patch.Standing(slices.DeleteFunc(slices.Clone(r.Moves), ofMetadata), s.beneath(), r.Document)
	for i := range moves {
		moves[i].Inferred = false // the draft remembers it now
	}
	same := jsontree.Equal(current, r.Document)
	if same && (s.Draft == nil || slices.Equal(moves, s.Draft.Moves)) {
		return s, nil
	}
	return s.redraft(r.Document, moves, Edit{NewETag: r.NewETag, Now: r.Now}), nil
}

// RestoreVariant returns s with overrides that were published over r.Document as its current ones, in place of a draft,
// carried to newest, the document of the newest version of its Theme t. If they are what the Variant serves,
// no draft is left, as for EditVariant. It returns what EditVariant refuses of a claim.
func RestoreVariant(t record.Theme, s VariantState, overrides, newest *jsontree.Node, r Restoration) (VariantState, error) {
	if err := r.Claim.Check(s.etag()); err != nil {
		return VariantState{}, err
	}
	current, err := s.Overrides()
	if err != nil {
		return VariantState{}, err
	}
	after := carriedBack(overrides, r.Document, newest, r.Moves)
	if jsontree.Equal(current, after) {
		return s, nil
	}
	return s.redraft(t, after, Edit{NewETag: r.NewETag, Now: r.Now}), nil
}
