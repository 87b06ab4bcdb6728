package api

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/valyala/fasthttp"

	"example.com/livery/origin/api/bulk"
	"example.com/livery/origin/events"
	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// many reads the body of a request for many Variants.
func (q *request) many() (bulk.Request, error) {
	root, err := q.object()
	if err != nil {
		return bulk.Request{}, err
	}
	wanted, faults := bulk.Parse(root)
	return wanted, invalid(faults...)
}

// one does to one Variant what is asked of many, and returns what writes it; a conflict skips the Variant.
type one func(r storage.Reader, t target, s theming.VariantState, p bulk.Pick, done *bulk.Done) (apply func(tx storage.Tx) error, err error)

// each decides a request for many Variants. name is the member of the answer that lists those to which something is done.
func (h variants) each(q *request, wanted bulk.Request, name string, do one) change {
	return change{depends: onVariants, decide: func(r storage.Reader, t target) (d decision, err error) {
		picks, known, err := h.picked(r, t, wanted)
		if err == nil {
			err = prefetchStates(r, t.theme, picks, known)
		}
		if err != nil {
			return d, err
		}
		done, skipped := []bulk.Done{}, []bulk.Skipped{}
		var writes []func(tx storage.Tx) error
		shown, most := 0, largestDocuments*q.limits.DocumentBytes
		for _, p := range picks {
			made, write, reason, err := h.oneOf(r, t, known, wanted, p, do)
			if err != nil {
				return d, err
			}
			if reason != "" {
				skipped = append(skipped, bulk.Skipped{ID: p.ID, Reason: reason})
				continue
			}
			for _, v := range made.Values {
				shown += len(v.From) + len(v.To)
			}
			if shown > most {
				return d, invalid(fmt.Sprintf("values: those of all Variants take more than %d bytes; name fewer Variants", most))
			}
			done, writes = append(done, made), append(writes, write)
			d.changes = append(d.changes, made.Slug)
			d.events = append(d.events, eventOf(made, wanted.Note))
		}
		d.events = events.Joined("variants."+name, d.events)
		if len(writes) > 0 && !wanted.DryRun {
			d.apply = func(tx storage.Tx) error { return firstErrorIn(tx, writes) }
			if done[0].Version != nil { // they are published, and not discarded
				d.outdated, d.after = t.theme, func() { h.derive.Backfill(t.theme.EnvironmentID, t.theme.ID) }
			}
		}
		d.answer, err = bare(fasthttp.StatusOK, map[string]any{name: done, "skipped": skipped})
		return d, err
	}}
}

// eventOf tells of what was done to one Variant of many.
func eventOf(made bulk.Done, note string) record.Event {
	if made.Version == nil {
		return record.Event{Kind: events.VariantDiscarded, VariantID: made.ID}
	}
	return record.Event{Kind: events.VariantPublished, VariantID: made.ID, Version: *made.Version, Note: note}
}

// picked returns the Variants that a request is for, all in the order of slugs, and the Theme's Variants by id.
func (h variants) picked(r storage.Reader, t target, wanted bulk.Request) ([]bulk.Pick, map[string]record.Variant, error) {
	known := map[string]record.Variant{}
	all, err := storage.Variants.All(r, t.environment.ID, t.theme.ID)
	for _, v := range all {
		known[v.ID] = v
	}
	if err != nil || !wanted.All {
		return wanted.Picks, known, err
	}
	slices.SortFunc(all, func(a, b record.Variant) int { return strings.Compare(a.Slug, b.Slug) })
	var picks []bulk.Pick
	for _, v := range all {
		picks = append(picks, bulk.Pick{ID: v.ID})
	}
	return picks, known, nil
}

// prefetchStates reads the drafts of the Variants, and what they serve, together if that is cheaper.
func prefetchStates(r storage.Reader, t record.Theme, picks []bulk.Pick, known map[string]record.Variant) error {
	var keys [][]byte
	for _, p := range picks {
		if v, exists := known[p.ID]; exists {
			keys = append(keys, storage.VariantDrafts.Key(v.EnvironmentID, v.ThemeID, v.ID),
				storage.Pairs.Key(v.EnvironmentID, v.ThemeID, v.ID, storage.Number(t.LatestVersion)))
		}
	}
	return storage.Prefetch(r, keys...)
}

// oneOf decides about one Variant of many; reason says why it is skipped.
func (h variants) oneOf(r storage.Reader, t target, known map[string]record.Variant, wanted bulk.Request, p bulk.Pick, do one) (
	done bulk.Done, write func(tx storage.Tx) error, reason string, err error,
) {
	v, exists := known[p.ID]
	if !exists {
		return done, nil, bulk.NotFound, nil
	}
	s, err := h.documents.variantState(r, t.theme, v)
	if err != nil {
		return done, nil, "", err
	}
	changes, err := s.Changes()
	if err != nil {
		return done, nil, "", err
	}
	done = bulk.NewDone(v.ID, v.Slug, v.DraftETag, changes)
	if wanted.Values && wanted.Skips(changes) == "" {
		overrides, err := s.Overrides()
		if err != nil {
			return done, nil, "", err
		}
		done.Show(s.Served, overrides)
	}
	write, err = do(r, t, s, p, &done)
	var refusal *theming.Error
	if errors.As(err, &refusal) && refusal.Cause == theming.Conflict {
		return done, nil, string(refusal.Reason), nil
	}
	return done, write, wanted.Skips(changes), err
}

func firstErrorIn(tx storage.Tx, writes []func(tx storage.Tx) error) error {
	for _, write := range writes {
		if err := write(tx); err != nil {
			return err
		}
	}
	return nil
}

// publishMany publishes the drafts of many Variants in one commit.
func (h variants) publishMany(q *request) (change, error) {
	wanted, err := q.many()
	if err != nil {
		return change{}, err
	}
	publish := func(r storage.Reader, t target, s theming.VariantState, p bulk.Pick, done *bulk.Done) (func(tx storage.Tx) error, error) {
		v, version, overrides, err := theming.PublishVariant(t.theme, s, theming.Review{ETag: p.ETag}, h.now())
		if err != nil {
			return nil, err
		}
		done.Version = &version.Number
		version.Remark.By, version.Remark.Note = q.caller.Subject, wanted.Note
		pair, err := h.sealed(r, v, version.Number, overrides, wanted.DryRun)
		version.Overrides = pair.Overrides
		return func(tx storage.Tx) error { return writeVariantVersion(tx, v, version, pair) }, err
	}
	return h.each(q, wanted, "published", publish), nil
}

// sealed returns the pair that a publish of many seals. Its overlay is compiled behind the publish, unless it is there.
func (h variants) sealed(r storage.Reader, v record.Variant, number uint32, overrides []byte, dryRun bool) (record.Pair, error) {
	pair, err := storage.Optional(storage.Pairs.Read(r, v.EnvironmentID, v.ThemeID, v.ID, storage.Number(number)))
	if err != nil {
		return pair, err
	}
	name := record.HashOf(overrides)
	if pair.Overrides != name {
		pair = record.Pair{Overrides: name}
	}
	if pair.Published = true; !dryRun {
		_, err = h.documents.put(overrides)
		return pair, err
	}
	return pair, nil
}

// discardMany drops the drafts of many Variants in one commit.
func (h variants) discardMany(q *request) (change, error) {
	wanted, err := q.many()
	if err != nil {
		return change{}, err
	}
	discard := func(_ storage.Reader, _ target, s theming.VariantState, p bulk.Pick, _ *bulk.Done) (func(tx storage.Tx) error, error) {
		claim, served := theming.Claim{ETag: s.Variant.DraftETag}, 0
		if p.ETag != nil {
			claim.ETag = *p.ETag
		}
		if s.Served != nil {
			served = len(s.Served.Members)
		}
		if s.Draft == nil && claim.ETag == "" {
			return nil, theming.Conflicting(theming.NoDraft)
		}
		after, err := theming.DiscardVariant(s, claim, served, h.now())
		return func(tx storage.Tx) error { return writeVariantState(tx, after) }, err
	}
	return h.each(q, wanted, "discarded", discard), nil
}

// maxOverrides is how many bytes of overrides a page has, and more only if those of its first Variant are more.
const maxOverrides = 8 << 20

// overridesBody is a Variant with its current overrides.
type overridesBody struct {
	Variant       string         `json:"variant"` // id
	Slug          string         `json:"slug"`
	LatestVersion *uint32        `json:"latestVersion"`
	ETag          *string        `json:"etag"`      // of its draft; null without one
	Overrides     jsontext.Value `json:"overrides"` // from dotted path to value
}

// listOverrides lists the current overrides of many Variants.
func (h variants) listOverrides(r storage.Reader, q *request, t target) (httpserver.Answer, error) {
	p, err := q.page(true)
	if err != nil {
		return httpserver.Answer{}, err
	}
	w, err := h.window(r, q, t, p.Query)
	if err != nil {
		return httpserver.Answer{}, err
	}
	items, size, last := []overridesBody{}, 0, record.Listed{}
	for _, id := range w.IDs {
		v, err := storage.Variants.Read(r, t.environment.ID, t.theme.ID, id)
		if err != nil {
			return httpserver.Answer{}, err
		}
		item, err := h.overridesOf(r, t, v)
		if err != nil {
			return httpserver.Answer{}, err
		}
		if size += len(item.Overrides); size > maxOverrides && len(items) > 0 {
			w.Next = p.CursorAfter(last)
			break
		}
		items, last = append(items, item), record.Listed{ID: v.ID, Slug: v.Slug, UpdatedAt: v.UpdatedAt}
	}
	return listAnswer(p, items, w)
}

func (h variants) overridesOf(r storage.Reader, t target, v record.Variant) (overridesBody, error) {
	b := overridesBody{Variant: v.ID, Slug: v.Slug, LatestVersion: numberOrNull(v.LatestVersion)}
	if v.DraftETag != "" {
		b.ETag = &v.DraftETag
	}
	state, err := h.documents.variantState(r, t.theme, v)
	if err != nil {
		return b, err
	}
	overrides, err := state.Overrides()
	if err == nil {
		b.Overrides = jsontree.Append(nil, overrides)
	}
	return b, err
}
