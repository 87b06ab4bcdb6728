package origin

import (
	"github.com/valyala/fasthttp"

	"example.com/livery/origin/operator"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

func (o *Origin) listVariants(r storage.Reader, q *request, p place) (answer, error) {
	asked, err := q.page(true)
	if err != nil {
		return answer{}, err
	}
	w, err := asked.walk(r, storage.VariantSlugs, false, p.environment.ID, p.theme.ID) // a hundred at most
	if err == nil {
		err = prefetch(r, w.ids, storage.Variants, p.environment.ID, p.theme.ID)
	}
	if err != nil {
		return answer{}, err
	}
	items := make([]variantBody, 0, len(w.ids))
	for _, id := range w.ids {
		v, err := storage.Variants.Read(r, p.environment.ID, p.theme.ID, id)
		if err != nil {
			return answer{}, err
		}
		items = append(items, o.newVariantBody(p.theme, v))
	}
	return listed(asked, items, w.total)
}

func (o *Origin) showVariant(_ storage.Reader, _ *request, p place) (answer, error) {
	return bare(fasthttp.StatusOK, o.newVariantBody(p.theme, p.variant))
}

// variantInput reads the body of a create or an update, and refuses it for everything that needs no
// state to be seen.
func (o *Origin) variantInput(q *request) (theming.VariantInput, error) {
	root, err := o.object(q)
	if err != nil {
		return theming.VariantInput{}, err
	}
	f := fields{root: root}
	in := theming.VariantInput{Slug: f.text("slug"), DisplayName: f.text("displayName"), Metadata: f.labels()}
	_, rule := theming.UpdateVariant(record.Variant{}, in, o.now())
	if err := f.with(rule); err != nil {
		return in, err
	}
	return in, rule
}

func (o *Origin) createVariant(q *request) (write, error) {
	in, err := o.variantInput(q)
	if err != nil {
		return nil, err
	}
	return func(tx storage.Tx, p place) (a answer, c record.Change, err error) {
		team, err := storage.Teams.Read(tx, p.environment.TeamID)
		if err != nil {
			return a, c, err
		}
		existing := 0
		err = storage.VariantSlugs.Scan(tx, storage.Ascending, func(_, _ string) bool {
			existing++
			return true
		}, p.environment.ID, p.theme.ID)
		if err != nil {
			return a, c, err
		}
		now := o.now()
		v, err := theming.NewVariant(operator.NewID("var_", now), p.theme, in, existing, team.Plan, now)
		if err != nil {
			return a, c, err
		}
		if err := writeSlug(tx, storage.VariantSlugs, v.ID, "", v.Slug, v.EnvironmentID, v.ThemeID); err != nil {
			return a, c, err
		}
		if err := storage.Variants.Write(tx, v, v.EnvironmentID, v.ThemeID, v.ID); err != nil {
			return a, c, err
		}
		a, err = wrapped(fasthttp.StatusCreated, o.newVariantBody(p.theme, v))
		return a, o.seen(p.theme), err
	}, nil
}

func (o *Origin) updateVariant(q *request) (write, error) {
	in, err := o.variantInput(q)
	if err != nil {
		return nil, err
	}
	return func(tx storage.Tx, p place) (a answer, c record.Change, err error) {
		v, err := theming.UpdateVariant(p.variant, in, o.now())
		if err != nil {
			return a, c, err
		}
		if err := writeSlug(tx, storage.VariantSlugs, v.ID, p.variant.Slug, v.Slug, v.EnvironmentID, v.ThemeID); err != nil {
			return a, c, err
		}
		a, err = o.writeVariant(tx, p.theme, v)
		return a, o.unseen(), err
	}, nil
}

// writeVariant stores a Variant that exists and answers with it.
func (o *Origin) writeVariant(tx storage.Tx, t record.Theme, v record.Variant) (answer, error) {
	if err := storage.Variants.Write(tx, v, v.EnvironmentID, v.ThemeID, v.ID); err != nil {
		return answer{}, err
	}
	return bare(fasthttp.StatusOK, o.newVariantBody(t, v))
}

// deleteVariant removes the Variant with all its versions, and answers with its Theme.
func (o *Origin) deleteVariant(*request) (write, error) {
	return func(tx storage.Tx, p place) (a answer, c record.Change, err error) {
		key := []string{p.variant.EnvironmentID, p.variant.ThemeID, p.variant.ID}
		for _, remove := range []func() error{
			func() error { return storage.VariantSlugs.Delete(tx, p.variant.Slug, key[:2]...) },
			func() error { return storage.Variants.Delete(tx, key...) },
			func() error { return storage.VariantDrafts.Delete(tx, key...) },
			func() error { return storage.VariantVersions.DeleteAll(tx, key...) },
			func() error { return storage.Pairs.DeleteAll(tx, key...) },
		} {
			if err := remove(); err != nil {
				return a, c, err
			}
		}
		a, err = bare(fasthttp.StatusOK, o.newThemeBody(p.theme))
		return a, o.seen(p.theme), err
	}, nil
}
