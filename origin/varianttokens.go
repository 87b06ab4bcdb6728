package origin

import (
	"github.com/valyala/fasthttp"

	"example.com/livery/origin/derive"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
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
	basis := byVariantAndVersion
	if e.strict {
		basis = byVariant
	}
	return o.ahead(q, judgement{basis, func(r storage.Reader, p place) (verdict, error) {
		document, err := o.judgedAgainst(r, p.theme, e)
		if err != nil {
			return verdict{}, err
		}
		before, err := o.variantState(r, p.theme, p.variant)
		if err != nil {
			return verdict{}, err
		}
		after, err := theming.EditVariant(p.theme, document, before, theming.VariantEdit{
			Operations: e.overrides(), Claim: e.claim, Strict: e.strict, NewETag: newETag(), Now: o.now(), Limits: o.patchLimits(),
		})
		if err != nil {
			return verdict{}, err
		}
		set, err := variantTokens(after)
		v := verdict{answer: set.answer(), change: o.unseen()}
		if after.Variant.DraftETag != before.Variant.DraftETag {
			v.write = func(tx storage.Tx) error { return writeVariantState(tx, after) }
		}
		return v, err
	}})
}

// judgedAgainst reads the document that an edit of a Variant is judged against: the Theme's current
// one for a strict edit, and none for any other, which may override what the Theme lacks.
func (o *Origin) judgedAgainst(r storage.Reader, t record.Theme, e edit) (*jsontree.Node, error) {
	if !e.strict {
		return nil, nil
	}
	s, err := o.themeState(r, t)
	if err != nil {
		return nil, err
	}
	return s.Document()
}

func (o *Origin) discardVariant(q *request) (write, error) {
	params := q.params()
	claim := params.claim()
	if err := params.err(); err != nil {
		return nil, err
	}
	return o.ahead(q, judgement{byVariant, func(r storage.Reader, p place) (verdict, error) {
		before, err := o.variantState(r, p.theme, p.variant)
		if err != nil {
			return verdict{}, err
		}
		served := 0
		if before.Served != nil {
			served = len(before.Served.Members)
		}
		after, err := theming.DiscardVariant(before, claim, served, o.now())
		if err != nil {
			return verdict{}, err
		}
		v := verdict{change: o.unseen()}
		if before.Draft != nil {
			v.write = func(tx storage.Tx) error { return writeVariantState(tx, after) }
		}
		v.answer, err = bare(fasthttp.StatusOK, o.newVariantBody(p.theme, after.Variant))
		return v, err
	}})
}

// publishVariant freezes the draft at the Theme's newest version and seals what the Variant serves
// there.
func (o *Origin) publishVariant(q *request) (write, error) {
	params := q.params()
	ifMatch := params.ifMatchValue()
	if err := params.err(); err != nil {
		return nil, err
	}
	return o.ahead(q, judgement{byVariant, func(r storage.Reader, p place) (verdict, error) {
		state, err := o.variantState(r, p.theme, p.variant)
		if err != nil {
			return verdict{}, err
		}
		published, version, overrides, err := theming.PublishVariant(p.theme, state, ifMatch, o.now())
		if err != nil {
			return verdict{}, err
		}
		pair, err := o.putOverrides(r, p.theme, overrides)
		if err != nil {
			return verdict{}, err
		}
		version.Overrides = pair.Overrides
		v := verdict{change: o.seen(p.theme), write: func(tx storage.Tx) error { return writeVariantVersion(tx, published, version, pair) }}
		if derive.Lacks(pair) {
			v.after = func() { o.derive.Fill(p.theme.EnvironmentID, p.theme.ID) }
		}
		v.answer, err = bare(fasthttp.StatusOK, o.newVariantBody(p.theme, published))
		return v, err
	}})
}

// putOverrides stores the blobs of a Variant that is published at the newest version of its Theme,
// and returns the pair that this seals.
func (o *Origin) putOverrides(r storage.Reader, t record.Theme, overrides []byte) (pair record.Pair, err error) {
	version, err := themeVersion(r, t, t.LatestVersion)
	if err != nil {
		return pair, err
	}
	pair.Published = true
	if pair.Overrides, err = o.store.PutBlob(o.ctx, overrides); err != nil {
		return pair, err
	}
	pair.Overlay, err = o.derive.PublishedOverlay(o.ctx, version, overrides)
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
