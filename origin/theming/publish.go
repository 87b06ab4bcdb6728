package theming

import (
	"fmt"
	"time"

	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// Publication is what a publish of a Theme is asked with.
type Publication struct {
	IfMatch   *string     // "publish exactly this draft"; nil means whichever there is
	Unchanged bool        // where there is no draft, freeze the newest version once more
	Module    record.Hash // the renderer module of this build
	Now       time.Time
	NewETag   func() string // returns an etag that was never used; called for each changed Variant draft
}

// Published is all that one publish of a Theme writes, in one commit. The Theme's draft is gone.
type Published struct {
	Theme    record.Theme
	Version  record.ThemeVersion
	Document []byte            // the blob that Version.Document names
	Variants []MigratedVariant // every Variant, in the order they were given
}

// MigratedVariant is a Variant after a publish of its Theme.
type MigratedVariant struct {
	Variant record.Variant
	Draft   record.VariantDraft
	Carried []byte // blob of the pair (Variant, new version); nil: it serves the Theme's own values
}

// PublishTheme freezes the current document of s as the next version and carries every Variant
// over. variants must be all Variants of the Theme. No content makes it fail: it returns a conflict
// where there is no draft (unless p.Unchanged, and a version to freeze), with Precondition where
// p.IfMatch does not name the draft.
func PublishTheme(s ThemeState, variants []VariantState, p Publication) (Published, error) {
	if p.IfMatch != nil && !matches(*p.IfMatch, s.etag()) {
		return Published{}, &Error{Cause: Conflict, Precondition: true}
	}
	if s.Draft == nil && (!p.Unchanged || s.Base == nil) {
		return Published{}, refuse(Conflict)
	}
	document, err := s.Document()
	if err != nil {
		return Published{}, err
	}
	made := freeze(s.Theme, document, p)
	var moves []record.Move
	if s.Draft != nil {
		moves = s.Draft.Moves
	}
	migration := newMigration(s.beneath(), document, moves)
	made.Variants = make([]MigratedVariant, len(variants))
	for i, v := range variants {
		if made.Variants[i], err = migration.migrate(v, made.Version.Number, p); err != nil {
			return Published{}, err
		}
	}
	return made, nil
}

// freeze makes the version record and moves the Theme on to it.
func freeze(t record.Theme, document *jsontree.Node, p Publication) Published {
	blob := jsontree.Append(nil, document)
	number := t.LatestVersion + 1
	if t.DraftPrefix != nil {
		t.AssetSettings = record.AssetSettings{Prefix: *t.DraftPrefix, IsLive: true, LiveVersion: number}
		t.DraftPrefix = nil
	}
	t.LatestVersion, t.PublishedAt, t.UpdatedAt = number, p.Now, p.Now
	t.DraftETag, t.TokenCount = "", CountTokens(document)
	return Published{
		Theme: t,
		Version: record.ThemeVersion{
			Number: number, Document: record.HashOf(blob), TokenCount: t.TokenCount,
			Prefix: t.AssetSettings.Prefix, Module: p.Module, PublishedAt: p.Now,
		},
		Document: blob,
	}
}

// migrate carries one Variant over to version number: its current overrides become its draft, and
// what it served is what it serves on.
func (m *migration) migrate(v VariantState, number uint32, p Publication) (MigratedVariant, error) {
	draft, count, err := m.migrateDraft(v)
	if err != nil {
		return MigratedVariant{}, fmt.Errorf("theming: publish version %d: %w", number, err)
	}
	if draft.ETag == "" {
		draft.ETag = p.NewETag()
	}
	draft.Addressed, draft.UpdatedAt = number, p.Now
	made := MigratedVariant{Variant: v.Variant, Draft: draft}
	made.Variant.DraftETag, made.Variant.TokenCount, made.Variant.UpdatedAt = draft.ETag, count, p.Now
	if v.Served != nil {
		if served := m.carry(v.Served); len(served.Members) > 0 {
			made.Carried = jsontree.Append(nil, served)
		}
	}
	return made, nil
}

// migrateDraft returns the draft that holds the current overrides of v, carried over, and their
// number. Its etag is empty where it is another draft than before. A draft that stays is passed on
// without being read, which is most of what a publish of changed values would cost (BenchmarkPublishTheme/values).
func (m *migration) migrateDraft(v VariantState) (d record.VariantDraft, count int, err error) {
	if v.Draft != nil && m.keeps() && spellsObject(v.Draft.Overrides) {
		return *v.Draft, v.Variant.TokenCount, nil
	}
	current, err := v.Overrides()
	if err != nil {
		return d, 0, err
	}
	carried := m.carry(current)
	if carried == current {
		d.ETag = v.etag()
	}
	d.Overrides = jsontree.Append(nil, carried)
	return d, len(carried.Members), nil
}

// spellsObject reports whether a JSON text, which a stored record is known to hold, is an object's.
func spellsObject(text []byte) bool {
	return len(text) > 1 && text[0] == '{' && text[len(text)-1] == '}'
}
