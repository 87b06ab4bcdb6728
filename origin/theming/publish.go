package theming

import (
	"fmt"
	"time"

	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage/record"
)

// Publication is the request to publish a Theme.
type Publication struct {
	Review    Review
	Unchanged bool        // without a draft, freeze the newest version once more
	MovesOnly bool        // follow the moves of the draft alone, and pair no token by its content
	Module    record.Hash // the renderer module of this build
	Now       time.Time
	NewETag   func() string // returns an etag that was never used; called for each changed Variant draft
}

// Review is the draft that the client saw before it publishes: the `etag` of the query and the If-Match header. The zero
// Review publishes whichever draft there is.
type Review struct {
	ETag    *string // of the draft; empty means that none was seen, nil that the query says nothing
	IfMatch IfMatch
}

// check compares the review with the etag of the draft that is there, empty if there is none. It returns
// IfMatchFailed if the header is stale, and StaleETag if the query is.
func (r Review) check(current string) error {
	switch {
	case r.IfMatch.Fails(current):
		return Conflicting(IfMatchFailed)
	case r.ETag != nil && *r.ETag != current:
		return Conflicting(StaleETag)
	}
	return nil
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
	Variant  record.Variant
	Draft    record.VariantDraft
	NewBlob  []byte      // of the pair (Variant, new version); nil: SameBlob
	SameBlob record.Hash // the blob of the pair if it stays as it was; empty too: it serves the Theme's own values
}

// PublishTheme freezes the current document of s as the next version and carries every Variant
// over. variants must be all Variants of the Theme. No content makes it fail: it returns a conflict
// without a draft (unless p.Unchanged, and a version to freeze), and if p.Review does not hold.
func PublishTheme(s ThemeState, variants []VariantState, p Publication) (Published, error) {
	r, err := NewRelease(s, p)
	if err != nil {
		return Published{}, err
	}
	return r.Publish(variants)
}

// Release is a publish of a Theme that may take place and knows already what it does to overrides,
// so that only those are read that it needs to see.
type Release struct {
	publication Publication
	made        Published // but for its Variants
	migration   *migration
}

// NewRelease decides a publish by its Theme alone. It returns what PublishTheme refuses.
func NewRelease(s ThemeState, p Publication) (*Release, error) {
	if err := p.Review.check(s.etag()); err != nil {
		return nil, err
	}
	if s.Draft == nil && (!p.Unchanged || s.Base == nil) {
		return nil, Conflicting(NoDraft)
	}
	document, err := s.Document()
	if err != nil {
		return nil, err
	}
	var moves []record.Move
	if s.Draft != nil {
		moves = s.Draft.Moves
	}
	r := &Release{p, freeze(s.Theme, document, p), newMigration(s.beneath(), document, moves, p.MovesOnly)}
	r.made.Version.Moves, r.made.Version.Remark = r.migration.moves, r.migration.remark
	return r, nil
}

// Frozen returns the version that Publish publishes, with its document, before any Variant is looked
// at. The document must not be changed.
func (r *Release) Frozen() (v record.ThemeVersion, document []byte) {
	return r.made.Version, r.made.Document
}

// NeedsServed reports whether Publish has to see what v serves: if it only keeps that, and has
// no draft to make of it, its name is enough.
func (r *Release) NeedsServed(v record.Variant) bool {
	return v.DraftETag == "" || !r.migration.keeps()
}

// Publish carries every Variant over. variants must be all Variants of the Theme, with Served if
// NeedsServed says so.
func (r *Release) Publish(variants []VariantState) (made Published, err error) {
	made = r.made
	made.Variants = make([]MigratedVariant, len(variants))
	for i, v := range variants {
		if made.Variants[i], err = r.migration.migrate(v, made.Version.Number, r.publication); err != nil {
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
			Prefix: t.AssetSettings.Prefix, Module: p.Module, PublishedAt: p.Now, Modes: t.Modes,
		},
		Document: blob,
	}
}

// migrate carries one Variant over to version number: its current overrides become its draft, and
// what it served is what it keeps serving.
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
	made.NewBlob, made.SameBlob = m.migrateServed(v)
	return made, nil
}

// emptyOverrides is the blob of a Variant that was published without overrides.
var emptyOverrides = record.HashOf([]byte("{}"))

// migrateServed returns what v serves, carried over: a new blob, or the name of the one that stays.
func (m *migration) migrateServed(v VariantState) (carried []byte, unchanged record.Hash) {
	if v.Served == nil {
		if v.ServedBlob == emptyOverrides {
			return nil, ""
		}
		return nil, v.ServedBlob
	}
	served := m.carry(v.Served)
	switch {
	case len(served.Members) == 0:
		return nil, ""
	case served == v.Served && v.ServedBlob != "":
		return nil, v.ServedBlob
	}
	return jsontree.Append(nil, served), ""
}

// migrateDraft returns the draft that holds the current overrides of v, carried over, and their
// number. Its etag is empty if it is another draft than before. A draft that stays is passed on
// without being read, which is most of what a publish of changed values would cost (BenchmarkPublishTheme/values).
func (m *migration) migrateDraft(v VariantState) (d record.VariantDraft, count int, err error) {
	if v.Draft != nil && m.keeps() && isObjectText(v.Draft.Overrides) {
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

// isObjectText reports whether a JSON text, which a stored record is known to hold, is an object's.
func isObjectText(text []byte) bool {
	return len(text) > 1 && text[0] == '{' && text[len(text)-1] == '}'
}
