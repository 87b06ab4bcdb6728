package api

import (
	"time"

	"example.com/livery/origin/derive"
	"example.com/livery/origin/events"
	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// variantTokens answers about the overrides of Variants, and publishes them.
type variantTokens struct {
	documents documents
	now       func() time.Time
	cdn       cdn
	derive    *derive.Deriver
}

func (h variantTokens) show(r storage.Reader, q *request, t target) (httpserver.Answer, error) {
	query, err := q.tokenQuery()
	if err != nil {
		return httpserver.Answer{}, err
	}
	set := newVariantSet(t.variant)
	if query.version == nil {
		var state theming.VariantState
		if state, err = h.documents.variantState(r, t.theme, t.variant); err == nil {
			err = set.addOverrides(state)
		}
	} else {
		err = h.addVersion(&set, r, t.variant, query)
	}
	return query.answer(set, err, func() ([]uint32, error) {
		return versionNumbers(r, storage.VariantVersions, t.variant.EnvironmentID, t.variant.ThemeID, t.variant.ID)
	})
}

func newVariantSet(v record.Variant) tokenSet {
	return newTokenSet(v.LatestVersion, v.PublishedAt, v.DraftETag)
}

// addOverrides adds the current overrides.
func (s *tokenSet) addOverrides(of theming.VariantState) error {
	overrides, err := of.Overrides()
	if err == nil {
		s.tokens = theming.OverrideSet(overrides)
	}
	return err
}

// addVersion adds the overrides of the version that the query names.
func (h variantTokens) addVersion(set *tokenSet, r storage.Reader, v record.Variant, query tokenQuery) error {
	number, err := query.number()
	if err != nil {
		return err
	}
	version, err := variantVersion(r, v, number)
	if err != nil {
		return err
	}
	overrides, err := h.documents.tree(version.Overrides)
	if err == nil {
		set.ofVersion(number, version.PublishedAt)
		set.tokens = theming.OverrideSet(overrides)
	}
	return err
}

func (h variantTokens) edit(q *request) (change, error) {
	e, err := q.edit(variantOperations)
	if err != nil {
		return change{}, err
	}
	depends := onVariantAndVersion
	if e.Strict {
		depends = onPath
	}
	return change{depends: depends, decide: func(r storage.Reader, t target) (decision, error) {
		document, err := h.strictDocument(r, t.theme, e)
		if err != nil {
			return decision{}, err
		}
		before, err := h.documents.variantState(r, t.theme, t.variant)
		if err != nil {
			return decision{}, err
		}
		e.NewETag, e.Now = newETag(), h.now()
		after, err := theming.EditVariant(t.theme, document, before, e)
		if err != nil {
			return decision{}, err
		}
		return draftedVariant(q, before, after)
	}}, nil
}

// draftedVariant is the decision to store the draft of after, if it is another one, and to answer with its overrides.
func draftedVariant(q *request, before, after theming.VariantState) (decision, error) {
	set := newVariantSet(after.Variant)
	if set.minimal = q.wantsMinimal(); !set.minimal {
		if err := set.addOverrides(after); err != nil {
			return decision{}, err
		}
	}
	d := decision{answer: set.answer()}
	if after.Variant.DraftETag != before.Variant.DraftETag {
		d.apply, d.events = func(tx storage.Tx) error { return writeVariantState(tx, after) }, variantDraftEvent(after.Variant)
	}
	return d, nil
}

// variantDraftEvent is the event that tells of a change of a Variant's draft.
func variantDraftEvent(v record.Variant) []record.Event {
	return draftEvent(events.VariantDrafted, events.VariantDiscarded, v.ID, v.DraftETag)
}

// strictDocument reads the document that an edit of a Variant is checked against: the Theme's current
// one for a strict edit, and none for any other, which may override what the Theme lacks.
func (h variantTokens) strictDocument(r storage.Reader, t record.Theme, e theming.Edit) (*jsontree.Node, error) {
	if !e.Strict {
		return nil, nil
	}
	s, err := h.documents.themeState(r, t)
	if err != nil {
		return nil, err
	}
	return s.Document()
}

func (h variantTokens) discard(q *request) (change, error) {
	params := q.params()
	claim := params.claim()
	if err := params.err(); err != nil {
		return change{}, err
	}
	return change{depends: onPath, decide: func(r storage.Reader, t target) (decision, error) {
		before, err := h.documents.variantState(r, t.theme, t.variant)
		if err != nil {
			return decision{}, err
		}
		served := 0
		if before.Served != nil {
			served = len(before.Served.Members)
		}
		after, err := theming.DiscardVariant(before, claim, served, h.now())
		if err != nil {
			return decision{}, err
		}
		d := decision{}
		if before.Draft != nil {
			d.apply, d.events = func(tx storage.Tx) error { return writeVariantState(tx, after) }, event(events.VariantDiscarded)
		}
		d.answer, err = tagged(h.cdn.variantBody(t.theme, after.Variant))
		return d, err
	}}, nil
}

// publish freezes the draft at the Theme's newest version and seals what the Variant serves
// there.
func (h variantTokens) publish(q *request) (change, error) {
	params := q.params()
	review := params.review()
	if err := params.err(); err != nil {
		return change{}, err
	}
	note, err := q.note()
	if err != nil {
		return change{}, err
	}
	return change{depends: onPath, decide: func(r storage.Reader, t target) (decision, error) {
		state, err := h.documents.variantState(r, t.theme, t.variant)
		if err != nil {
			return decision{}, err
		}
		published, version, overrides, err := theming.PublishVariant(t.theme, state, review, h.now())
		if err != nil {
			return decision{}, err
		}
		pair, err := h.putOverrides(r, t.theme, overrides)
		if err != nil {
			return decision{}, err
		}
		version.Overrides = pair.Overrides
		version.Remark.By, version.Remark.Note = q.caller.Subject, note
		d := decision{outdated: t.theme, apply: func(tx storage.Tx) error { return writeVariantVersion(tx, published, version, pair) }}
		d.events = []record.Event{{Kind: events.VariantPublished, Version: version.Number, Note: note}}
		if derive.Lacks(pair) {
			d.after = func() { h.derive.Backfill(t.theme.EnvironmentID, t.theme.ID) }
		}
		d.answer, err = tagged(h.cdn.variantBody(t.theme, published))
		return d, err
	}}, nil
}

// putOverrides stores the blobs of a Variant that is published at the newest version of its Theme,
// and returns the pair that this seals.
func (h variantTokens) putOverrides(r storage.Reader, t record.Theme, overrides []byte) (pair record.Pair, err error) {
	version, err := themeVersion(r, t, t.LatestVersion)
	if err != nil {
		return pair, err
	}
	pair.Published = true
	if pair.Overrides, err = h.documents.put(overrides); err != nil {
		return pair, err
	}
	pair.Overlay, err = h.derive.PublishedOverlay(h.documents.ctx, version, overrides)
	return pair, err
}

// writeVariantVersion stores a Variant that was published, its new version and the pair that this
// seals.
func writeVariantVersion(tx storage.Tx, v record.Variant, version record.VariantVersion, pair record.Pair) error {
	key := []string{v.EnvironmentID, v.ThemeID, v.ID, storage.Number(version.Number)}
	if err := storage.VariantVersions.Write(tx, version, key...); err != nil {
		return err
	}
	if err := storage.Pairs.Write(tx, pair, key...); err != nil {
		return err
	}
	return writeVariantState(tx, theming.VariantState{Variant: v})
}
