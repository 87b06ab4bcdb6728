package api

import (
	"fmt"
	"time"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/api/bulk"
	"example.com/livery/origin/api/listing"
	"example.com/livery/origin/derive"
	"example.com/livery/origin/events"
	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/modes"
	"example.com/livery/origin/operator"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// variants answers about Variants, and about many of a Theme at once.
type variants struct {
	documents documents
	now       func() time.Time
	cdn       cdn
	lists     *listing.Cache
	derive    *derive.Deriver
}

// resource is the Variant as it is read.
func (h variants) resource(t target) any { return h.cdn.variantBody(t.theme, t.variant) }

func (h variants) list(r storage.Reader, q *request, t target) (httpserver.Answer, error) {
	p, err := q.page(true)
	if err != nil {
		return httpserver.Answer{}, err
	}
	w, err := h.window(r, q, t, p.Query)
	if err != nil {
		return httpserver.Answer{}, err
	}
	items := make([]variantBody, 0, len(w.IDs))
	for _, id := range w.IDs {
		v, err := storage.Variants.Read(r, t.environment.ID, t.theme.ID, id)
		if err != nil {
			return httpserver.Answer{}, err
		}
		items = append(items, h.cdn.variantBody(t.theme, v))
	}
	return listAnswer(p, items, w)
}

// window finds a page of the Variants of a Theme.
func (h variants) window(r storage.Reader, q *request, t target, page listing.Query) (listing.Window, error) {
	list := listing.List{
		Index: storage.VariantSlugs, Entries: storage.VariantEntries, Records: storage.ListedVariants,
		Parts: []string{t.environment.ID, t.theme.ID}, Cache: h.lists, Refresh: q.turn != nil,
	}
	w, err := list.Page(r, page)
	if err == nil {
		err = prefetch(r, w.IDs, storage.Variants.Table, t.environment.ID, t.theme.ID)
	}
	return w, err
}

func (h variants) show(_ storage.Reader, _ *request, t target) (httpserver.Answer, error) {
	return tagged(h.resource(t))
}

// input reads the body of a create or an update, and refuses it for everything that needs no
// state to be seen.
func (h variants) input(q *request) (theming.VariantInput, error) {
	root, err := q.object()
	if err != nil {
		return theming.VariantInput{}, err
	}
	f := fields{root: root}
	in := theming.VariantInput{Slug: f.text("slug"), DisplayName: f.text("displayName"), Metadata: f.labels()}
	_, rule := theming.UpdateVariant(record.Variant{}, in, h.now())
	if err := f.with(rule); err != nil {
		return in, err
	}
	return in, rule
}

func (h variants) create(q *request) (change, error) {
	in, err := h.input(q)
	if err != nil {
		return change{}, err
	}
	return change{decide: func(r storage.Reader, t target) (decision, error) {
		team, err := storage.Teams.Read(r, t.environment.TeamID)
		if err != nil {
			return decision{}, err
		}
		existing := 0
		err = storage.VariantSlugs.Scan(r, storage.Ascending, func(_, _ string) bool {
			existing++
			return true
		}, t.environment.ID, t.theme.ID)
		if err != nil {
			return decision{}, err
		}
		now := h.now()
		v, err := theming.NewVariant(operator.NewID("var_", now), t.theme, in, existing, team.Plan, now)
		if err != nil {
			return decision{}, err
		}
		d := decision{outdated: t.theme, apply: func(tx storage.Tx) error { return writeVariant(tx, v, "") }}
		d.events = []record.Event{{Kind: events.VariantCreated, VariantID: v.ID}}
		d.answer, err = created(h.cdn.variantBody(t.theme, v))
		return d, err
	}}, nil
}

func (h variants) update(q *request) (change, error) {
	in, err := h.input(q)
	if err != nil {
		return change{}, err
	}
	return change{decide: func(_ storage.Reader, t target) (decision, error) {
		v, err := theming.UpdateVariant(t.variant, in, h.now())
		if err != nil {
			return decision{}, err
		}
		d := decision{apply: func(tx storage.Tx) error {
			if theming.SameRecord(v, t.variant) {
				return nil
			}
			return writeVariant(tx, v, t.variant.Slug)
		}}
		if d.events = event(events.VariantChanged); v.Slug != t.variant.Slug {
			d.outdated = t.theme // its manifest has the slugs
		}
		d.answer, err = tagged(h.cdn.variantBody(t.theme, v))
		return d, err
	}}, nil
}

// writeVariant stores a Variant under its slug. oldSlug is the one it had, empty for a new Variant.
func writeVariant(tx storage.Tx, v record.Variant, oldSlug string) error {
	if err := writeSlug(tx, storage.VariantSlugs, v.ID, oldSlug, v.Slug, v.EnvironmentID, v.ThemeID); err != nil {
		return err
	}
	return storage.Variants.Write(tx, v, v.EnvironmentID, v.ThemeID, v.ID)
}

// delete removes the Variant with all its versions, and answers with its Theme. What the modes of published versions of the
// Theme serve of it stays until the Theme is deleted.
func (h variants) delete(*request) (change, error) {
	return change{decide: func(_ storage.Reader, t target) (d decision, err error) {
		if modes.Use(t.theme.Modes, t.variant.ID) {
			return d, theming.Conflicting(theming.ModeUsesVariant)
		}
		d.outdated, d.apply = t.theme, func(tx storage.Tx) error { return removeVariant(tx, t.variant) }
		d.events = event(events.VariantDeleted)
		d.answer, err = bare(fasthttp.StatusOK, h.cdn.themeBody(t.theme, t.serving))
		return d, err
	}}, nil
}

func removeVariant(tx storage.Tx, v record.Variant) error {
	key := []string{v.EnvironmentID, v.ThemeID, v.ID}
	return firstError(
		func() error { return storage.VariantSlugs.Delete(tx, v.Slug, key[:2]...) },
		func() error { return storage.Variants.Delete(tx, key...) },
		func() error { return storage.VariantDrafts.Delete(tx, key...) },
		func() error { return storage.VariantVersions.DeleteAll(tx, key...) },
		func() error { return removePairs(tx, v) },
	)
}

// removePairs deletes the pairs of a Variant but for those that a version's modes serve.
func removePairs(tx storage.Tx, v record.Variant) error {
	pairs := map[string]bool{} // numbers of the versions, in keys
	err := storage.Pairs.Scan(tx, storage.Ascending, func(key []byte, _ record.Pair) bool {
		pairs[storage.LastPart(key)] = true
		return true
	}, v.EnvironmentID, v.ThemeID, v.ID)
	if err != nil || len(pairs) == 0 {
		return err
	}
	err = storage.ThemeVersions.Scan(tx, storage.Ascending, func(_ []byte, version record.ThemeVersion) bool {
		if storage.ModesServe(version, v.ID) {
			delete(pairs, storage.Number(version.Number))
		}
		return true
	}, v.EnvironmentID, v.ThemeID)
	for number := range pairs {
		if err == nil {
			err = storage.Pairs.Delete(tx, v.EnvironmentID, v.ThemeID, v.ID, number)
		}
	}
	return err
}

// batch creates and changes many Variants in one commit: all or none.
func (h variants) batch(q *request) (change, error) {
	items, err := q.batchItems()
	if err != nil {
		return change{}, err
	}
	return change{depends: onVariants, decide: func(r storage.Reader, t target) (d decision, err error) {
		team, err := storage.Teams.Read(r, t.environment.TeamID)
		if err != nil {
			return d, err
		}
		_, all, err := h.picked(r, t, bulk.Request{})
		if err == nil {
			err = prefetchStates(r, t.theme, changed(items), all)
		}
		if err != nil {
			return d, err
		}
		now := h.now()
		made, err := theming.VariantBatch{
			Items: items, Now: now, Limits: q.limits.patch(), MaxBytes: largestDocuments * q.limits.DocumentBytes,
			NewID: func() string { return operator.NewID("var_", now) }, NewETag: newETag,
		}.Apply(t.theme, team.Plan, all, func(v record.Variant) (theming.VariantState, error) { return h.documents.variantState(r, t.theme, v) })
		if err != nil {
			return d, err
		}
		return h.batched(q, t, made)
	}}, nil
}

// largestDocuments is how many of the largest documents a request for many Variants may take in memory, of what it writes or
// answers.
const largestDocuments = 2

// changed are the Variants that a batch changes.
func changed(items []theming.VariantItem) (picks []bulk.Pick) {
	for _, item := range items {
		if item.ID != "" {
			picks = append(picks, bulk.Pick{ID: item.ID})
		}
	}
	return picks
}

// batched is the decision to store what a batch made.
func (h variants) batched(q *request, t target, made []theming.VariantOutcome) (d decision, err error) {
	created, changed := []bulk.Batched{}, []bulk.Batched{}
	for _, o := range made {
		v, minimal := o.After.Variant, q.wantsMinimal()
		b := bulk.NewBatched(v, o.Changes, h.cdn.variantBody(t.theme, v), minimal)
		if o.Before.ID == "" {
			created = append(created, b)
			d.events = append(d.events, record.Event{Kind: events.VariantCreated, VariantID: v.ID})
		} else if changed = append(changed, b); o.Details {
			d.events = append(d.events, record.Event{Kind: events.VariantChanged, VariantID: v.ID})
		}
		if o.Drafts() {
			d.events = append(d.events, variantDraftEvent(v)...)
		}
		if v.Slug != o.Before.Slug {
			d.outdated = t.theme // its manifest has the slugs
		}
	}
	if len(d.events) > 0 {
		d.apply = func(tx storage.Tx) error { return writeBatch(tx, made) }
	}
	d.answer, err = bare(fasthttp.StatusOK, map[string]any{"created": created, "changed": changed})
	if q.wantsMinimal() {
		d.answer = d.answer.With("Preference-Applied", "return=minimal")
	}
	return d, err
}

// writeBatch stores the Variants of a batch. A slug that one of them gives up is free for another.
func writeBatch(tx storage.Tx, made []theming.VariantOutcome) error {
	for _, o := range made {
		if v := o.Before; v.ID != "" && v.Slug != o.After.Variant.Slug {
			if err := storage.VariantSlugs.Delete(tx, v.Slug, v.EnvironmentID, v.ThemeID); err != nil {
				return err
			}
		}
	}
	for _, o := range made {
		v, old := o.After.Variant, o.Before.Slug
		if v.Slug != old {
			old = "" // it is deleted
		}
		err := writeSlug(tx, storage.VariantSlugs, v.ID, old, v.Slug, v.EnvironmentID, v.ThemeID)
		if err == nil {
			err = writeVariantState(tx, o.After)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// batchItems reads the body of a batch, and refuses it for everything that needs no state to be seen.
func (q *request) batchItems() (items []theming.VariantItem, err error) {
	root, err := q.object()
	if err != nil {
		return nil, err
	}
	var faults []string
	for _, name := range []string{"create", "change"} {
		list := root.Find(name)
		if list != nil && list.Kind != jsontree.Array {
			faults = append(faults, name+": must be a list")
			continue
		}
		for i, n := range itemsOf(list) {
			item, what := q.batchItem(n, name == "change")
			item.At = fmt.Sprintf("%s[%d]", name, i)
			for _, w := range what {
				faults = append(faults, item.At+": "+w)
			}
			items = append(items, item)
		}
	}
	switch {
	case root.Find("create") == nil && root.Find("change") == nil:
		faults = append(faults, "create, change: the body must have one of the two lists")
	case len(items) > bulk.MaxVariants:
		faults = append(faults, fmt.Sprintf("create, change: a request may name %d Variants, not %d", bulk.MaxVariants, len(items)))
	}
	return items, invalid(append(faults, twice(items)...)...)
}

func itemsOf(list *jsontree.Node) []*jsontree.Node {
	if list == nil {
		return nil
	}
	return list.Items()
}

// twice says which Variants a batch changes more than once.
func twice(items []theming.VariantItem) (faults []string) {
	seen := map[string]bool{}
	for _, item := range items {
		if item.ID != "" && seen[item.ID] {
			faults = append(faults, fmt.Sprintf("%s: id: %q stands in the list twice", item.At, item.ID))
		}
		seen[item.ID] = true
	}
	return faults
}

// batchItem reads one Variant of a batch, and says everything that is wrong with it on its own.
func (q *request) batchItem(n *jsontree.Node, exists bool) (item theming.VariantItem, faults []string) {
	if !n.IsObject() {
		return item, []string{"must be an object"}
	}
	f := fields{root: n}
	item.Input = theming.VariantInput{Slug: f.text("slug"), DisplayName: f.text("displayName"), Metadata: f.labels()}
	if n.Find("operations") != nil {
		batch, what := q.operations(n, variantOperations)
		item.Operations, f.faults = batch, append(f.faults, what...)
	}
	if !exists {
		return item, f.faults
	}
	if id := n.Find("id"); id.IsString() && id.Text != "" {
		item.ID = id.Text
	} else {
		f.fault("id", "the id of a Variant")
	}
	if etag := n.Find("etag"); etag != nil && etag.Kind == jsontree.Null {
		item.ETag = new(string)
	} else {
		item.ETag = f.text("etag")
	}
	return item, f.faults
}
