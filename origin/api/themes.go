package api

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/valyala/fasthttp"

	"example.com/livery/feedproto"
	"example.com/livery/origin/api/listing"
	"example.com/livery/origin/auth"
	"example.com/livery/origin/derive"
	"example.com/livery/origin/events"
	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/manifest"
	"example.com/livery/origin/modes"
	"example.com/livery/origin/operator"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// themes answers about Themes.
type themes struct {
	now    func() time.Time
	cdn    cdn
	lists  *listing.Cache
	ctx    context.Context // of what a manifest is made from
	derive *derive.Deriver
}

// resource is the Theme as it is read.
func (h themes) resource(t target) any { return h.cdn.themeBody(t.theme, t.serving) }

func (h themes) list(r storage.Reader, q *request, at target) (httpserver.Answer, error) {
	p, err := q.page(true)
	if err != nil {
		return httpserver.Answer{}, err
	}
	list := listing.List{
		Index: storage.ThemeSlugs, Entries: storage.ThemeEntries, Records: storage.ListedThemes,
		Parts: []string{at.environment.ID}, Cache: h.lists, Refresh: q.turn != nil,
	}
	w, err := list.Page(r, p.Query)
	if err == nil {
		err = prefetch(r, w.IDs, storage.Themes.Table, at.environment.ID)
	}
	if err != nil {
		return httpserver.Answer{}, err
	}
	items := make([]themeBody, 0, len(w.IDs))
	for _, id := range w.IDs {
		t, err := storage.Themes.Read(r, at.environment.ID, id)
		if err != nil {
			return httpserver.Answer{}, err
		}
		serving, err := servingOf(r, at.environment, t)
		if err != nil {
			return httpserver.Answer{}, err
		}
		items = append(items, h.cdn.themeBody(t, serving))
	}
	return listAnswer(p, items, w)
}

func (h themes) show(_ storage.Reader, _ *request, t target) (httpserver.Answer, error) {
	return tagged(h.resource(t))
}

// input reads the body of a create or an update, and refuses it for everything that needs no
// state to be seen.
func (h themes) input(q *request, creates bool) (theming.ThemeInput, error) {
	root, err := q.object()
	if err != nil {
		return theming.ThemeInput{}, err
	}
	f := fields{root: root}
	in := theming.ThemeInput{Slug: f.text("slug"), DisplayName: f.text("displayName"), Metadata: f.labels()}
	if creates {
		in.Integration, in.PreviewOf = f.integration(), f.text("previewOf")
	}
	_, rule := theming.NewTheme("", "", in, h.now())
	if err := f.with(rule); err != nil {
		return in, err
	}
	return in, rule
}

func (h themes) create(q *request) (change, error) {
	in, err := h.input(q, true)
	if err != nil {
		return change{}, err
	}
	return change{decide: func(r storage.Reader, t target) (decision, error) {
		now := h.now()
		theme, err := theming.NewTheme(operator.NewID("thm_", now), t.environment.ID, in, now)
		if err != nil {
			return decision{}, err
		}
		t.serving = theme.Serving
		if t.environment.PreviewOf != "" || in.PreviewOf != nil {
			if theme, t.serving, err = newPreview(r, q.caller, t.environment, theme, in.PreviewOf); err != nil {
				return decision{}, err
			}
		}
		d := decision{outdated: theme, apply: func(tx storage.Tx) error { return writeTheme(tx, theme, "") }}
		d.events = []record.Event{{Kind: events.ThemeCreated, ThemeID: theme.ID}}
		d.answer, err = created(h.cdn.themeBody(theme, t.serving))
		return d, err
	}}, nil
}

// newPreview makes a new Theme of the Environment a preview of the Theme of the id of, and returns how that is served.
func newPreview(r storage.Reader, caller auth.Caller, e record.Environment, t record.Theme, of *string) (record.Theme, record.Serving, error) {
	var source record.Theme
	if e.PreviewOf != "" && of != nil && isID(*of, "thm_") {
		_, err := caller.Environment(r, e.PreviewOf)
		if err == nil {
			source, err = storage.Themes.Read(r, e.PreviewOf, *of)
		}
		if err != nil && !isMissing(err) && !errors.Is(err, auth.ErrForbidden) {
			return t, record.Serving{}, err
		}
	}
	existing := 0
	err := storage.ThemeSlugs.Scan(r, storage.Ascending, func(string, string) bool {
		existing++
		return existing < theming.MaxPreviews
	}, e.ID)
	if err == nil {
		t, err = theming.Preview(t, e, source, existing)
	}
	return t, source.Serving, err
}

func (h themes) update(q *request) (change, error) {
	in, err := h.input(q, false)
	if err != nil {
		return change{}, err
	}
	return change{decide: func(_ storage.Reader, t target) (decision, error) {
		theme, err := theming.UpdateTheme(t.theme, in, h.now())
		if err != nil {
			return decision{}, err
		}
		return h.changed(t, theme, theme.Slug != t.theme.Slug)
	}}, nil
}

func (h themes) setIntegrations(q *request) (change, error) {
	root, err := q.object()
	if err != nil {
		return change{}, err
	}
	f := fields{root: root}
	list := f.integrations()
	if err := invalid(f.faults...); err != nil {
		return change{}, err
	}
	return change{decide: func(_ storage.Reader, t target) (decision, error) {
		theme, err := theming.SetIntegrations(t.theme, list, h.now())
		if err != nil {
			return decision{}, err
		}
		return h.changed(t, theme, true)
	}}, nil
}

func (h themes) showModes(_ storage.Reader, _ *request, t target) (httpserver.Answer, error) {
	return tagged(modes.NewBody(t.theme.Modes))
}

// manifestBody is a Theme's manifest, and the address under which edges serve it.
type manifestBody struct {
	URL string `json:"url"`
	manifest.Manifest
}

// showManifest describes what the Theme serves. Files may have to be rendered for it, behind the snapshot.
func (h themes) showManifest(r storage.Reader, q *request, t target) (httpserver.Answer, error) {
	source, err := manifest.Read(r, t.environment, t.theme)
	if err != nil {
		return httpserver.Answer{}, orNotFound(err)
	}
	url := string(h.cdn) + "/" + t.environment.ID + "/" + t.theme.ID + "/" + feedproto.ManifestFile
	q.finish = func() (httpserver.Answer, error) {
		m, err := source.Make(h.ctx, h.derive)
		if err != nil {
			return httpserver.Answer{}, err
		}
		return tagged(manifestBody{url, m})
	}
	return httpserver.Answer{}, nil
}

func (h themes) setModes(q *request) (change, error) {
	ifMatch, err := q.ifMatchOnly()
	if err != nil {
		return change{}, err
	}
	root, err := q.object()
	if err != nil {
		return change{}, err
	}
	list, faults := modes.Parse(root)
	if err := invalid(faults...); err != nil {
		return change{}, err
	}
	return change{decide: func(r storage.Reader, t target) (decision, error) {
		if err := cmp.Or(checkVariants(r, t.theme, modes.Variants(list)), checkIfMatch(ifMatch, modes.NewBody(t.theme.Modes))); err != nil {
			return decision{}, err
		}
		theme := theming.SetModes(t.theme, list, h.now())
		d, err := h.changed(t, theme, true)
		if err == nil {
			d.answer, err = tagged(modes.NewBody(list))
		}
		return d, err
	}}, nil
}

// checkVariants returns errNotFound if the Theme lacks a Variant of one of the ids.
func checkVariants(r storage.Reader, t record.Theme, ids []string) error {
	var keys [][]byte
	for _, id := range ids {
		if !isID(id, "var_") {
			return errNotFound
		}
		keys = append(keys, storage.Variants.Key(t.EnvironmentID, t.ID, id))
	}
	err := storage.Prefetch(r, keys...)
	for _, key := range keys {
		if err == nil {
			_, err = r.Get(key)
		}
	}
	return orNotFound(err)
}

// changed is the decision to store after in place of the target's Theme, and to answer with it. served says whether edges
// hold something of what changes.
func (h themes) changed(t target, after record.Theme, served bool) (d decision, err error) {
	if served {
		d.outdated = after
	}
	d.apply = func(tx storage.Tx) error { return writeTheme(tx, after, t.theme.Slug) }
	d.events = event(events.ThemeChanged)
	d.answer, err = tagged(h.cdn.themeBody(after, t.serving))
	return d, err
}

// writeTheme stores a Theme under its slug. oldSlug is the one it had, empty for a new Theme.
func writeTheme(tx storage.Tx, t record.Theme, oldSlug string) error {
	if err := claimSlug(tx, storage.ThemeSlugs, oldSlug, t.Slug, t.EnvironmentID); err != nil {
		return err
	}
	return storage.Themes.Write(tx, t, t.EnvironmentID, t.ID)
}

// delete removes the Theme with every Variant and every version of both. Blobs stay: another
// version may be of the same content.
func (h themes) delete(*request) (change, error) {
	return change{decide: func(_ storage.Reader, t target) (d decision, err error) {
		d.outdated, d.apply = t.theme, func(tx storage.Tx) error { return removeTheme(tx, t.theme) }
		d.events = event(events.ThemeDeleted)
		d.answer, err = bare(fasthttp.StatusOK, newEnvironmentBody(t.environment, t.role))
		return d, err
	}}, nil
}

func removeTheme(tx storage.Tx, t record.Theme) error {
	key := []string{t.EnvironmentID, t.ID}
	return firstError(
		func() error { return storage.ThemeSlugs.Delete(tx, t.Slug, t.EnvironmentID) },
		func() error { return storage.Themes.Delete(tx, key...) },
		func() error { return storage.ThemeDrafts.Delete(tx, key...) },
		func() error { return storage.ThemeVersions.DeleteAll(tx, key...) },
		func() error { return storage.VariantSlugs.DeleteAll(tx, key...) },
		func() error { return storage.Variants.DeleteAll(tx, key...) },
		func() error { return storage.VariantDrafts.DeleteAll(tx, key...) },
		func() error { return storage.VariantVersions.DeleteAll(tx, key...) },
		func() error { return storage.Pairs.DeleteAll(tx, key...) },
	)
}

// firstError runs steps in order until one fails, and returns its error.
func firstError(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// writeSlug moves id from the slug old, empty if it has none, to slug: a conflict if another
// has it. parts are those of the index.
func writeSlug(tx storage.Tx, index storage.Index, id, old, slug string, parts ...string) error {
	if err := claimSlug(tx, index, old, slug, parts...); err != nil || old == slug {
		return err
	}
	return index.Write(tx, id, slug, parts...)
}

// claimSlug frees the slug old, if there is one, for another, which must be free.
func claimSlug(tx storage.Tx, index storage.Index, old, slug string, parts ...string) error {
	if old == slug {
		return nil
	}
	switch _, err := index.Read(tx, slug, parts...); {
	case err == nil:
		return theming.Conflicting(theming.SlugTaken)
	case !isMissing(err):
		return err
	}
	if old == "" {
		return nil
	}
	return index.Delete(tx, old, parts...)
}
