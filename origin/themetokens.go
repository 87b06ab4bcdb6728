package origin

import (
	"crypto/rand"
	"strings"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

func (o *Origin) showThemeTokens(r storage.Reader, q *request, p place) (answer, error) {
	asked, err := q.tokenQuery()
	if err != nil {
		return answer{}, err
	}
	var set tokenSet
	if asked.version == nil {
		set, err = o.currentThemeTokens(r, p.theme)
	} else {
		set, err = o.publishedThemeTokens(r, p.theme, asked)
	}
	if err == nil && asked.includeVersions {
		set.versions, err = versionNumbers(r, storage.ThemeVersions, p.theme.EnvironmentID, p.theme.ID)
	}
	if err != nil {
		return answer{}, err
	}
	return set.answer(), nil
}

func (o *Origin) currentThemeTokens(r storage.Reader, t record.Theme) (tokenSet, error) {
	s, err := o.themeState(r, t)
	if err != nil {
		return tokenSet{}, err
	}
	return themeTokens(s)
}

// themeTokens is the token set of a Theme's current document.
func themeTokens(s theming.ThemeState) (tokenSet, error) {
	document, err := s.Document()
	if err != nil {
		return tokenSet{}, err
	}
	set := newThemeSet(s.Theme, document)
	set.etag = s.Theme.DraftETag
	return set, nil
}

func (o *Origin) publishedThemeTokens(r storage.Reader, t record.Theme, asked tokenQuery) (tokenSet, error) {
	number, err := asked.number()
	if err != nil {
		return tokenSet{}, err
	}
	version, err := themeVersion(r, t, number)
	if err != nil {
		return tokenSet{}, err
	}
	document, err := o.tree(version.Document)
	if err != nil {
		return tokenSet{}, err
	}
	set := newThemeSet(t, document)
	set.version, set.publishedAt = &number, timeOrNull(version.PublishedAt)
	return set, nil
}

func newThemeSet(t record.Theme, document *jsontree.Node) tokenSet {
	set := tokenSet{
		latestVersion: numberOrNull(t.LatestVersion), publishedAt: timeOrNull(t.PublishedAt), hasUnpublished: t.DraftETag != "",
	}
	set.tokens, set.groups = theming.TokenSet(document)
	return set
}

func (o *Origin) editTheme(q *request) (write, error) {
	e, err := o.edit(q, themeOperations)
	if err != nil {
		return nil, err
	}
	return func(tx storage.Tx, p place) (a answer, c record.Change, err error) {
		before, err := o.themeState(tx, p.theme)
		if err != nil {
			return a, c, err
		}
		after, err := theming.EditTheme(before, theming.Edit{
			Operations: e.patch(), Claim: e.claim, Strict: e.strict, NewETag: newETag(), Now: o.now(), Limits: o.patchLimits(),
		})
		if err != nil {
			return a, c, err
		}
		if after.Theme.DraftETag != before.Theme.DraftETag {
			if err := writeThemeState(tx, after); err != nil {
				return a, c, err
			}
		}
		set, err := themeTokens(after)
		if err != nil {
			return a, c, err
		}
		return set.answer(), o.unseen(), nil
	}, nil
}

func (o *Origin) discardTheme(q *request) (write, error) {
	params := q.params()
	claim := params.claim()
	if err := params.err(); err != nil {
		return nil, err
	}
	return func(tx storage.Tx, p place) (a answer, c record.Change, err error) {
		before, err := o.themeState(tx, p.theme)
		if err != nil {
			return a, c, err
		}
		published := 0
		if before.Base != nil {
			published = theming.CountTokens(before.Base)
		}
		after, err := theming.DiscardTheme(before, claim, published, o.now())
		if err != nil {
			return a, c, err
		}
		if before.Draft != nil {
			err = writeThemeState(tx, after)
		}
		if err == nil {
			a, err = bare(fasthttp.StatusOK, o.newThemeBody(after.Theme))
		}
		return a, o.unseen(), err
	}, nil
}

// publishTheme freezes the draft as the next version in one commit: the version, its inputs, the
// moved latest, every migrated Variant's draft and what each Variant serves at the version.
func (o *Origin) publishTheme(q *request) (write, error) {
	params := q.params()
	publication := theming.Publication{
		IfMatch: params.ifMatchValue(), Unchanged: params.boolean("unchanged"), Module: o.module, NewETag: newETag,
	}
	if err := params.err(); err != nil {
		return nil, err
	}
	return func(tx storage.Tx, p place) (a answer, c record.Change, err error) {
		state, err := o.themeState(tx, p.theme)
		if err != nil {
			return a, c, err
		}
		variants, err := o.variantsOf(tx, p.theme)
		if err != nil {
			return a, c, err
		}
		publication.Now = o.now()
		published, err := theming.PublishTheme(state, variants, publication)
		if err != nil {
			return a, c, err
		}
		if err := o.writePublished(tx, published); err != nil {
			return a, c, err
		}
		a, err = o.writeTheme(tx, published.Theme)
		return a, o.seen(p.theme), err
	}, nil
}

func (o *Origin) writePublished(tx storage.Tx, published theming.Published) (err error) {
	t, version := published.Theme, published.Version
	if version.Document, err = o.store.PutBlob(o.ctx, published.Document); err != nil {
		return err
	}
	number := storage.Number(version.Number)
	if err := storage.ThemeVersions.Write(tx, version, t.EnvironmentID, t.ID, number); err != nil {
		return err
	}
	if err := storage.ThemeDrafts.Delete(tx, t.EnvironmentID, t.ID); err != nil {
		return err
	}
	for _, m := range published.Variants {
		if err := writeVariantState(tx, theming.VariantState{Variant: m.Variant, Draft: &m.Draft}); err != nil {
			return err
		}
		if m.Carried == nil {
			continue
		}
		overrides, err := o.store.PutBlob(o.ctx, m.Carried)
		if err != nil {
			return err
		}
		if err := storage.Pairs.Write(tx, record.Pair{Overrides: overrides}, t.EnvironmentID, t.ID, m.Variant.ID, number); err != nil {
			return err
		}
	}
	return nil
}

// newETag returns 26 random characters that no draft had before.
func newETag() string { return strings.ToLower(rand.Text()) }
