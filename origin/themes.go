package origin

import (
	"github.com/valyala/fasthttp"

	"example.com/livery/origin/operator"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// seen is the change-log entry of a commit after which an edge may hold something outdated of the
// Theme.
func (o *Origin) seen(t record.Theme) record.Change {
	return record.Change{EnvironmentID: t.EnvironmentID, ThemeID: t.ID, At: o.now()}
}

// unseen is the change-log entry of a commit that changes nothing an edge holds: names, labels and
// drafts.
func (o *Origin) unseen() record.Change { return record.Change{At: o.now()} }

func (o *Origin) listThemes(r storage.Reader, q *request, p place) (answer, error) {
	asked, err := q.page(true)
	if err != nil {
		return answer{}, err
	}
	w, err := asked.walk(r, storage.ThemeSlugs, o.counted.Load(), p.environment.ID)
	if err == nil {
		err = prefetch(r, w.ids, storage.Themes, p.environment.ID)
	}
	if err != nil {
		return answer{}, err
	}
	items := make([]themeBody, 0, len(w.ids))
	for _, id := range w.ids {
		t, err := storage.Themes.Read(r, p.environment.ID, id)
		if err != nil {
			return answer{}, err
		}
		items = append(items, o.newThemeBody(t))
	}
	return listed(asked, items, w.total)
}

func (o *Origin) showTheme(_ storage.Reader, _ *request, p place) (answer, error) {
	return bare(fasthttp.StatusOK, o.newThemeBody(p.theme))
}

// themeInput reads the body of a create or an update, and refuses it for everything that needs no
// state to be seen.
func (o *Origin) themeInput(q *request, creates bool) (theming.ThemeInput, error) {
	root, err := o.object(q)
	if err != nil {
		return theming.ThemeInput{}, err
	}
	f := fields{root: root}
	in := theming.ThemeInput{Slug: f.text("slug"), DisplayName: f.text("displayName"), Metadata: f.labels()}
	if creates {
		in.Integration = f.integration()
	}
	_, rule := theming.NewTheme("", "", in, o.now())
	if err := f.with(rule); err != nil {
		return in, err
	}
	return in, rule
}

func (o *Origin) createTheme(q *request) (write, error) {
	in, err := o.themeInput(q, true)
	if err != nil {
		return nil, err
	}
	return func(tx storage.Tx, p place) (a answer, c record.Change, err error) {
		now := o.now()
		t, err := theming.NewTheme(operator.NewID("thm_", now), p.environment.ID, in, now)
		if err != nil {
			return a, c, err
		}
		if err := writeSlug(tx, storage.ThemeSlugs, t.ID, "", t.Slug, t.EnvironmentID); err != nil {
			return a, c, err
		}
		if err := storage.Themes.Write(tx, t, t.EnvironmentID, t.ID); err != nil {
			return a, c, err
		}
		a, err = wrapped(fasthttp.StatusCreated, o.newThemeBody(t))
		return a, o.seen(t), err
	}, nil
}

func (o *Origin) updateTheme(q *request) (write, error) {
	in, err := o.themeInput(q, false)
	if err != nil {
		return nil, err
	}
	return func(tx storage.Tx, p place) (a answer, c record.Change, err error) {
		t, err := theming.UpdateTheme(p.theme, in, o.now())
		if err != nil {
			return a, c, err
		}
		if err := writeSlug(tx, storage.ThemeSlugs, t.ID, p.theme.Slug, t.Slug, t.EnvironmentID); err != nil {
			return a, c, err
		}
		a, err = o.writeTheme(tx, t)
		return a, o.unseen(), err
	}, nil
}

func (o *Origin) setIntegrations(q *request) (write, error) {
	root, err := o.object(q)
	if err != nil {
		return nil, err
	}
	f := fields{root: root}
	list := f.integrations()
	if err := invalid(f.faults...); err != nil {
		return nil, err
	}
	return func(tx storage.Tx, p place) (a answer, c record.Change, err error) {
		t, err := theming.SetIntegrations(p.theme, list, o.now())
		if err != nil {
			return a, c, err
		}
		a, err = o.writeTheme(tx, t)
		return a, o.seen(t), err
	}, nil
}

// writeTheme stores a Theme that exists and answers with it.
func (o *Origin) writeTheme(tx storage.Tx, t record.Theme) (answer, error) {
	if err := storage.Themes.Write(tx, t, t.EnvironmentID, t.ID); err != nil {
		return answer{}, err
	}
	return bare(fasthttp.StatusOK, o.newThemeBody(t))
}

// deleteTheme removes the Theme with every Variant and every version of both. Blobs stay: another
// version may be of the same content.
func (o *Origin) deleteTheme(*request) (write, error) {
	return func(tx storage.Tx, p place) (a answer, c record.Change, err error) {
		environment, theme := p.theme.EnvironmentID, p.theme.ID
		for _, remove := range []func() error{
			func() error { return storage.ThemeSlugs.Delete(tx, p.theme.Slug, environment) },
			func() error { return storage.Themes.Delete(tx, environment, theme) },
			func() error { return storage.ThemeDrafts.Delete(tx, environment, theme) },
			func() error { return storage.ThemeVersions.DeleteAll(tx, environment, theme) },
			func() error { return storage.VariantSlugs.DeleteAll(tx, environment, theme) },
			func() error { return storage.Variants.DeleteAll(tx, environment, theme) },
			func() error { return storage.VariantDrafts.DeleteAll(tx, environment, theme) },
			func() error { return storage.VariantVersions.DeleteAll(tx, environment, theme) },
			func() error { return storage.Pairs.DeleteAll(tx, environment, theme) },
		} {
			if err := remove(); err != nil {
				return a, c, err
			}
		}
		a, err = bare(fasthttp.StatusOK, newEnvironmentBody(p.environment, p.role))
		return a, o.seen(p.theme), err
	}, nil
}

// writeSlug moves id from the slug old, empty where it has none, to slug: a conflict where another
// has it. parts are those of the index.
func writeSlug(tx storage.Tx, index storage.Index, id, old, slug string, parts ...string) error {
	if old == slug {
		return nil
	}
	switch _, err := index.Read(tx, slug, parts...); {
	case err == nil:
		return errConflict
	case !isMissing(err):
		return err
	}
	if old != "" {
		if err := index.Delete(tx, old, parts...); err != nil {
			return err
		}
	}
	return index.Write(tx, id, slug, parts...)
}
