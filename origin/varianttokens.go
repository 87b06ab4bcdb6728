package origin

import (
	"github.com/valyala/fasthttp"

	"example.com/livery/origin/theming"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

func (o *Origin) showVariantTokens(r storage.Reader, q *request, p place) (answer, error) {
	asked, err := q.tokenQuery()
	if err != nil {
		return answer{}, err
	}
	var set tokenSet
	if asked.version == nil {
		set, err = o.currentVariantTokens(r, p)
	} else {
		set, err = o.publishedVariantTokens(r, p.variant, asked)
	}
	if err == nil && asked.includeVersions {
		set.versions, err = versionNumbers(r, storage.VariantVersions, p.variant.EnvironmentID, p.variant.ThemeID, p.variant.ID)
	}
	if err != nil {
		return answer{}, err
	}
	return set.answer(), nil
}

func (o *Origin) currentVariantTokens(r storage.Reader, p place) (tokenSet, error) {
	s, err := o.variantState(r, p.theme, p.variant)
	if err != nil {
		return tokenSet{}, err
	}
	return variantTokens(s)
}

// variantTokens is the token set of a Variant's current overrides.
func variantTokens(s theming.VariantState) (tokenSet, error) {
	overrides, err := s.Overrides()
	if err != nil {
		return tokenSet{}, err
	}
	set := newVariantSet(s.Variant)
	set.etag, set.tokens = s.Variant.DraftETag, theming.OverrideSet(overrides)
	return set, nil
}

func (o *Origin) publishedVariantTokens(r storage.Reader, v record.Variant, asked tokenQuery) (tokenSet, error) {
	number, err := asked.number()
	if err != nil {
		return tokenSet{}, err
	}
	version, err := variantVersion(r, v, number)
	if err != nil {
		return tokenSet{}, err
	}
	overrides, err := o.tree(version.Overrides)
	if err != nil {
		return tokenSet{}, err
	}
	set := newVariantSet(v)
	set.version, set.publishedAt, set.tokens = &number, timeOrNull(version.PublishedAt), theming.OverrideSet(overrides)
	return set, nil
}

func newVariantSet(v record.Variant) tokenSet {
	return tokenSet{
		latestVersion: numberOrNull(v.LatestVersion), publishedAt: timeOrNull(v.PublishedAt), hasUnpublished: v.DraftETag != "",
	}
}

func (o *Origin) editVariant(q *request) (write, error) {
	e, err := o.edit(q, variantOperations)
	if err != nil {
		return nil, err
	}
	return func(tx storage.Tx, p place) (a answer, c record.Change, err error) {
		theme, err := o.themeState(tx, p.theme)
		if err != nil {
			return a, c, err
		}
		document, err := theme.Document()
		if err != nil {
			return a, c, err
		}
		before, err := o.variantState(tx, p.theme, p.variant)
		if err != nil {
			return a, c, err
		}
		after, err := theming.EditVariant(p.theme, document, before, theming.VariantEdit{
			Operations: e.overrides(), Claim: e.claim, Strict: e.strict, NewETag: newETag(), Now: o.now(), Limits: o.patchLimits(),
		})
		if err != nil {
			return a, c, err
		}
		if after.Variant.DraftETag != before.Variant.DraftETag {
			if err := writeVariantState(tx, after); err != nil {
				return a, c, err
			}
		}
		set, err := variantTokens(after)
		if err != nil {
			return a, c, err
		}
		return set.answer(), o.unseen(), nil
	}, nil
}

func (o *Origin) discardVariant(q *request) (write, error) {
	params := q.params()
	claim := params.claim()
	if err := params.err(); err != nil {
		return nil, err
	}
	return func(tx storage.Tx, p place) (a answer, c record.Change, err error) {
		before, err := o.variantState(tx, p.theme, p.variant)
		if err != nil {
			return a, c, err
		}
		served := 0
		if before.Served != nil {
			served = len(before.Served.Members)
		}
		after, err := theming.DiscardVariant(before, claim, served, o.now())
		if err != nil {
			return a, c, err
		}
		if before.Draft != nil {
			err = writeVariantState(tx, after)
		}
		if err == nil {
			a, err = bare(fasthttp.StatusOK, o.newVariantBody(p.theme, after.Variant))
		}
		return a, o.unseen(), err
	}, nil
}

// publishVariant freezes the draft at the Theme's newest version and seals what the Variant serves
// there.
func (o *Origin) publishVariant(q *request) (write, error) {
	params := q.params()
	ifMatch := params.ifMatchValue()
	if err := params.err(); err != nil {
		return nil, err
	}
	return func(tx storage.Tx, p place) (a answer, c record.Change, err error) {
		state, err := o.variantState(tx, p.theme, p.variant)
		if err != nil {
			return a, c, err
		}
		v, version, overrides, err := theming.PublishVariant(p.theme, state, ifMatch, o.now())
		if err != nil {
			return a, c, err
		}
		if version.Overrides, err = o.store.PutBlob(o.ctx, overrides); err != nil {
			return a, c, err
		}
		key := []string{v.EnvironmentID, v.ThemeID, v.ID, storage.Number(version.Number)}
		if err := storage.VariantVersions.Write(tx, version, key...); err != nil {
			return a, c, err
		}
		if err := storage.Pairs.Write(tx, record.Pair{Overrides: version.Overrides, Published: true}, key...); err != nil {
			return a, c, err
		}
		if err := storage.VariantDrafts.Delete(tx, v.EnvironmentID, v.ThemeID, v.ID); err != nil {
			return a, c, err
		}
		a, err = o.writeVariant(tx, p.theme, v)
		return a, o.seen(p.theme), err
	}, nil
}
