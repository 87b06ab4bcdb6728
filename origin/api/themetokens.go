package api

import (
	"crypto/rand"
	"strings"
	"time"

	"example.com/livery/origin/derive"
	"example.com/livery/origin/events"
	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// themeTokens answers about the documents of Themes, and publishes them.
type themeTokens struct {
	documents documents
	now       func() time.Time
	cdn       cdn
	derive    *derive.Deriver
	module    record.Hash // that new versions are published with
}

func (h themeTokens) show(r storage.Reader, q *request, t target) (httpserver.Answer, error) {
	query, err := q.tokenQuery()
	if err != nil {
		return httpserver.Answer{}, err
	}
	set := newThemeSet(t.theme)
	if query.version == nil {
		var state theming.ThemeState
		if state, err = h.documents.themeState(r, t.theme); err == nil {
			err = set.addTokens(state)
		}
	} else {
		err = h.addVersion(&set, r, t.theme, query)
	}
	return query.answer(set, err, func() ([]uint32, error) {
		return versionNumbers(r, storage.ThemeVersions, t.theme.EnvironmentID, t.theme.ID)
	})
}

func newThemeSet(t record.Theme) tokenSet {
	return newTokenSet(t.LatestVersion, t.PublishedAt, t.DraftETag)
}

// addTokens adds the tokens of the current document.
func (s *tokenSet) addTokens(of theming.ThemeState) error {
	document, err := of.Document()
	if err == nil {
		s.tokens, s.groups = theming.TokenSet(document)
	}
	return err
}

// addVersion adds the tokens of the version that the query names.
func (h themeTokens) addVersion(set *tokenSet, r storage.Reader, t record.Theme, query tokenQuery) error {
	number, err := query.number()
	if err != nil {
		return err
	}
	version, err := themeVersion(r, t, number)
	if err != nil {
		return err
	}
	document, err := h.documents.tree(version.Document)
	if err == nil {
		set.ofVersion(number, version.PublishedAt)
		set.tokens, set.groups = theming.TokenSet(document)
	}
	return err
}

func (h themeTokens) edit(q *request) (change, error) {
	e, err := q.edit(themeOperations)
	if err != nil {
		return change{}, err
	}
	return change{depends: onPath, decide: func(r storage.Reader, t target) (decision, error) {
		before, err := h.documents.themeState(r, t.theme)
		if err != nil {
			return decision{}, err
		}
		e.NewETag, e.Now = newETag(), h.now()
		after, err := theming.EditTheme(before, e)
		if err != nil {
			return decision{}, err
		}
		return draftedTheme(q, before, after)
	}}, nil
}

// draftedTheme is the decision to store the draft of after, if it is another one, and to answer with its tokens.
func draftedTheme(q *request, before, after theming.ThemeState) (decision, error) {
	set := newThemeSet(after.Theme)
	if set.minimal = q.wantsMinimal(); !set.minimal {
		if err := set.addTokens(after); err != nil {
			return decision{}, err
		}
	}
	d := decision{answer: set.answer()}
	if after.Theme.DraftETag != before.Theme.DraftETag {
		d.apply, d.events = func(tx storage.Tx) error { return writeThemeState(tx, after) }, draftEvent(events.ThemeDrafted, events.ThemeDiscarded, "", after.Theme.DraftETag)
	}
	return d, nil
}

func (h themeTokens) discard(q *request) (change, error) {
	params := q.params()
	claim := params.claim()
	if err := params.err(); err != nil {
		return change{}, err
	}
	return change{depends: onPath, decide: func(r storage.Reader, t target) (decision, error) {
		before, newest, err := draftState(r, t.theme)
		if err != nil {
			return decision{}, err
		}
		after, err := theming.DiscardTheme(before, claim, newest.TokenCount, h.now())
		if err != nil {
			return decision{}, err
		}
		d := decision{}
		if before.Draft != nil {
			d.apply, d.events = func(tx storage.Tx) error { return writeThemeState(tx, after) }, event(events.ThemeDiscarded)
		}
		d.answer, err = tagged(h.cdn.themeBody(after.Theme, t.serving))
		return d, err
	}}, nil
}

// publish freezes the draft as the next version in one commit: the version, its inputs, the
// moved latest, every migrated Variant's draft and what each Variant serves at the version.
func (h themeTokens) publish(q *request) (change, error) {
	params := q.params()
	wanted := theming.Publication{
		Review: params.review(), Unchanged: params.boolean("unchanged"), MovesOnly: params.word("renames", "content", "moves") == "moves",
		Module: h.module, NewETag: newETag,
	}
	if err := params.err(); err != nil {
		return change{}, err
	}
	note, err := q.note()
	if err != nil {
		return change{}, err
	}
	return change{depends: onVariants, decide: func(r storage.Reader, t target) (decision, error) {
		state, err := h.documents.themeState(r, t.theme)
		if err != nil {
			return decision{}, err
		}
		publication := wanted
		publication.Now = h.now()
		release, err := theming.NewRelease(state, publication)
		if err != nil {
			return decision{}, err
		}
		planned := h.plan(release)
		defer func() { _, _ = planned() }() // nothing goes on after the request
		variants, err := h.documents.variantsOf(r, t.theme, release)
		if err != nil {
			return decision{}, err
		}
		published, err := release.Publish(variants)
		if err != nil {
			return decision{}, err
		}
		carried, err := h.putPublished(published)
		if err != nil {
			return decision{}, err
		}
		if published.Version.Plan, err = planned(); err != nil {
			return decision{}, err
		}
		published.Version.Remark.By, published.Version.Remark.Note = q.caller.Subject, note
		d := decision{
			outdated: t.theme,
			apply:    func(tx storage.Tx) error { return writePublished(tx, published, carried) },
			events:   []record.Event{{Kind: events.ThemePublished, Version: published.Version.Number, Note: note}},
			after:    func() { h.derive.Backfill(t.theme.EnvironmentID, t.theme.ID) },
		}
		d.answer, err = h.publishedAnswer(published, t.serving)
		return d, err
	}}, nil
}

// publishedAnswer answers with the Theme and the renames that its publish inferred, which are no part of the entity tag.
func (h themeTokens) publishedAnswer(published theming.Published, serving record.Serving) (httpserver.Answer, error) {
	body := h.cdn.themeBody(published.Theme, serving)
	a, err := tagged(body)
	if body.InferredRenames = newRenameBodies(theming.InferredRenames(published.Version.Moves)); err == nil && body.InferredRenames != nil {
		var whole httpserver.Answer
		whole, err = bare(a.Status, body)
		a.Body = whole.Body
	}
	return a, err
}

// plan compiles the plan of a release and stores it while its Variants are carried over, which takes
// about as long, and returns what waits for its name.
func (h themeTokens) plan(release *theming.Release) (wait func() (record.Hash, error)) {
	var name record.Hash
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				err = httpserver.Panicked(p)
			}
		}()
		version, document := release.Frozen()
		name, err = h.derive.Plan(h.documents.ctx, version, document)
	}()
	return func() (record.Hash, error) {
		<-done
		return name, err
	}
}

// putPublished stores the new inputs of a publish, and returns those that each Variant serves; empty
// if it serves none.
func (h themeTokens) putPublished(published theming.Published) (carried []record.Hash, err error) {
	if _, err := h.documents.put(published.Document); err != nil {
		return nil, err
	}
	carried = make([]record.Hash, len(published.Variants))
	for i, m := range published.Variants {
		if carried[i] = m.SameBlob; m.NewBlob == nil {
			continue
		}
		if carried[i], err = h.documents.put(m.NewBlob); err != nil {
			return nil, err
		}
	}
	return carried, nil
}

// writePublished writes the records of a publish whose blobs are stored.
func writePublished(tx storage.Tx, published theming.Published, carried []record.Hash) error {
	t, version := published.Theme, published.Version
	number := storage.Number(version.Number)
	if err := storage.ThemeVersions.Write(tx, version, t.EnvironmentID, t.ID, number); err != nil {
		return err
	}
	if err := storage.ThemeDrafts.Delete(tx, t.EnvironmentID, t.ID); err != nil {
		return err
	}
	for i, m := range published.Variants {
		if err := writeVariantState(tx, theming.VariantState{Variant: m.Variant, Draft: &m.Draft}); err != nil {
			return err
		}
		if carried[i] == "" {
			continue
		}
		if err := storage.Pairs.Write(tx, record.Pair{Overrides: carried[i]}, t.EnvironmentID, t.ID, m.Variant.ID, number); err != nil {
			return err
		}
	}
	return storage.Themes.Write(tx, t, t.EnvironmentID, t.ID)
}

// newETag returns 26 random characters that no draft had before.
func newETag() string { return strings.ToLower(rand.Text()) }
