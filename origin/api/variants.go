package api

import (
	"github.com/valyala/fasthttp"

	"example.com/livery/origin/api/listing"
	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/operator"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

func (h variants) list(r storage.Reader, q *request, t target) (httpserver.Answer, error) {
	p, err := q.page(true)
	if err != nil {
		return httpserver.Answer{}, err
	}
	list := listing.List{Index: storage.VariantSlugs, Records: storage.ListedVariants, Counted: false, Parts: []string{t.environment.ID, t.theme.ID}} // a hundred at most
	w, err := list.Page(r, p.Query)
	if err == nil {
		err = prefetch(r, w.IDs, storage.Variants, t.environment.ID, t.theme.ID)
	}
	if err != nil {
		return httpserver.Answer{}, err
	}
	items := make([]variantBody, 0, len(w.IDs))
	for _, id := range w.IDs {
		v, err := storage.Variants.Read(r, t.environment.ID, t.theme.ID, id)
		if err != nil {
			return httpserver.Answer{}, err
		}
		items = append(items, h.newVariantBody(t.theme, v))
	}
	return listAnswer(p, items, w)
}

func (h variants) show(_ storage.Reader, _ *request, t target) (httpserver.Answer, error) {
	return bare(fasthttp.StatusOK, h.newVariantBody(t.theme, t.variant))
}

// input reads the body of a create or an update, and refuses it for everything that needs no
// state to be seen.
func (h variants) input(q *request) (theming.VariantInput, error) {
	root, err := h.object(q)
	if err != nil {
		return theming.VariantInput{}, err
	}
	f := fields{root: root}
	in := theming.VariantInput{Slug: f.text("slug"), DisplayName: f.text("displayName"), Metadata: f.labels()}
	_, rule := theming.UpdateVariant(record.Variant{}, in, h.config.Now())
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
		now := h.config.Now()
		v, err := theming.NewVariant(operator.NewID("var_", now), t.theme, in, existing, team.Plan, now)
		if err != nil {
			return decision{}, err
		}
		d := decision{entry: servedChange(h.config.Now(), t.theme), apply: func(tx storage.Tx) error { return writeVariant(tx, v, "") }}
		d.answer, err = wrapped(fasthttp.StatusCreated, h.newVariantBody(t.theme, v))
		return d, err
	}}, nil
}

func (h variants) update(q *request) (change, error) {
	in, err := h.input(q)
	if err != nil {
		return change{}, err
	}
	return change{decide: func(_ storage.Reader, t target) (decision, error) {
		v, err := theming.UpdateVariant(t.variant, in, h.config.Now())
		if err != nil {
			return decision{}, err
		}
		d := decision{entry: internalChange(h.config.Now()), apply: func(tx storage.Tx) error { return writeVariant(tx, v, t.variant.Slug) }}
		d.answer, err = bare(fasthttp.StatusOK, h.newVariantBody(t.theme, v))
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

// delete removes the Variant with all its versions, and answers with its Theme.
func (h variants) delete(*request) (change, error) {
	return change{decide: func(_ storage.Reader, t target) (d decision, err error) {
		d.entry, d.apply = servedChange(h.config.Now(), t.theme), func(tx storage.Tx) error { return removeVariant(tx, t.variant) }
		d.answer, err = bare(fasthttp.StatusOK, h.newThemeBody(t.theme))
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
		func() error { return storage.Pairs.DeleteAll(tx, key...) },
	)
}
