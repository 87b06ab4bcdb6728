package api

import (
	"time"

	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/modes"
	"example.com/livery/origin/patch"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// history is what a Theme was, version by version, and the current document.
type history struct {
	documents documents
	reader    storage.Reader
	theme     record.Theme

	state *theming.ThemeState // nil until the current document is read
}

// current reads the current document, once.
func (h *history) current() (theming.ThemeState, *jsontree.Node, error) {
	if h.state == nil {
		s, err := h.documents.themeState(h.reader, h.theme)
		if err != nil {
			return s, nil, err
		}
		h.state = &s
	}
	document, err := h.state.Document()
	return *h.state, document, err
}

// edition reads one side of a comparison: errNotFound if it does not exist.
func (h *history) edition(e edition) (theming.Edition, error) {
	if e.current {
		_, document, err := h.current()
		return theming.Edition{Document: document, Prefix: nextPrefix(h.theme)}, err
	}
	number, err := e.version()
	if err != nil {
		return theming.Edition{}, err
	}
	if number == 0 {
		return theming.Edition{Document: jsontree.NewObject()}, nil
	}
	version, err := themeVersion(h.reader, h.theme, number)
	if err != nil {
		return theming.Edition{}, err
	}
	document, err := h.documents.tree(version.Document)
	return theming.Edition{Document: document, Prefix: version.Prefix}, err
}

// number returns the version of an edition that was read; the draft stands after the newest.
func (h *history) number(e edition) uint32 {
	switch {
	case !e.current:
		return uint32(e.number)
	case h.theme.DraftETag != "":
		return h.theme.LatestVersion + 1
	}
	return h.theme.LatestVersion
}

// renames returns the renames from one version to another, later or earlier. Before the first
// version there is nothing that could be renamed.
func (h *history) renames(from, to uint32) ([]record.Move, error) {
	if from == 0 || to == 0 {
		return nil, nil
	}
	var moves []record.Move
	for n := min(from, to) + 1; n <= max(from, to); n++ {
		next, err := h.renamesTo(n)
		if err != nil {
			return nil, err
		}
		moves = patch.Compose(moves, next)
	}
	if from > to {
		moves = patch.Invert(moves)
	}
	return moves, nil
}

// renamesTo returns the renames that led to a version, or that a publish of the draft would use.
func (h *history) renamesTo(number uint32) ([]record.Move, error) {
	if number <= h.theme.LatestVersion {
		version, err := themeVersion(h.reader, h.theme, number)
		return version.Moves, err
	}
	s, document, err := h.current()
	if err != nil {
		return nil, err
	}
	return theming.Renames(s.Base, document, s.Draft.Moves), nil
}

// nextPrefix is the prefix of custom properties that the next publish makes live.
func nextPrefix(t record.Theme) string {
	if t.DraftPrefix != nil {
		return *t.DraftPrefix
	}
	return t.AssetSettings.Prefix
}

// versions answers about published versions, and goes back to them.
type versions struct {
	documents documents
	now       func() time.Time
}

// versionBody is a version in the list of versions.
type versionBody struct {
	Version     uint32     `json:"version"`
	PublishedAt *time.Time `json:"publishedAt"`
	PublishedBy *string    `json:"publishedBy"` // null if the caller is not told
	Note        *string    `json:"note"`        // null without one
	TokenCount  int        `json:"tokenCount"`
	Added       int        `json:"added"`
	Removed     int        `json:"removed"`
	Changed     int        `json:"changed"`

	Modes []modes.Entry `json:"modes,omitempty"` // that the publish of a Theme froze
}

func (t target) newVersionBody(number uint32, at time.Time, tokens int, r record.Remark) versionBody {
	b := versionBody{Version: number, PublishedAt: timeOrNull(at), TokenCount: tokens, Added: r.Added, Removed: r.Removed, Changed: r.Changed}
	if t.identifies() {
		b.PublishedBy = &r.By
	}
	if r.Note != "" {
		b.Note = &r.Note
	}
	return b
}

// list lists the versions of a Theme, or of the Variant that the path names, the newest first.
func (h versions) list(r storage.Reader, q *request, t target) (httpserver.Answer, error) {
	p, err := q.page(false)
	if err != nil {
		return httpserver.Answer{}, err
	}
	list := rows[versionBody]{page: p}
	add := func(b versionBody) bool { return list.add(storage.Number(b.Version), b) }
	if t.variant.ID != "" {
		err = storage.VariantVersions.ScanBetween(r, storage.Descending, "", p.AfterKey(), func(_ []byte, v record.VariantVersion) bool {
			return add(t.newVersionBody(v.Number, v.PublishedAt, v.TokenCount, v.Remark))
		}, t.environment.ID, t.theme.ID, t.variant.ID)
	} else {
		err = storage.ThemeVersions.ScanBetween(r, storage.Descending, "", p.AfterKey(), func(_ []byte, v record.ThemeVersion) bool {
			b := t.newVersionBody(v.Number, v.PublishedAt, v.TokenCount, v.Remark)
			b.Modes = modes.NewBody(v.Modes).Modes
			return add(b)
		}, t.environment.ID, t.theme.ID)
	}
	return list.answer(err)
}

// restoration reads the parameters of a restore.
func (q *request) restoration() (version tokenQuery, claim theming.Claim, err error) {
	params := q.params()
	claim = params.claim()
	number, given := params.integer("version", 0)
	if !given {
		params.fault("version", "must name the version to restore")
	}
	return tokenQuery{version: &number}, claim, params.err()
}

// restoreFunc is how a draft is made of an earlier version, of the Theme or of a Variant.
type restoreFunc func(r storage.Reader, t target, number uint32, claim theming.Claim) (decision, error)

// restore is the change that makes a draft of the version which the request names.
func (q *request) restore(draft restoreFunc) (change, error) {
	query, claim, err := q.restoration()
	if err != nil {
		return change{}, err
	}
	return change{depends: onPath, decide: func(r storage.Reader, t target) (decision, error) {
		number, err := query.number()
		if err != nil {
			return decision{}, err
		}
		return draft(r, t, number, claim)
	}}, nil
}

// restoreTheme makes a draft with the document of an earlier version.
func (h versions) restoreTheme(q *request) (change, error) {
	return q.restore(func(r storage.Reader, t target, number uint32, claim theming.Claim) (decision, error) {
		past := history{documents: h.documents, reader: r, theme: t.theme}
		document, moves, err := past.back(t.theme.LatestVersion, number)
		if err != nil {
			return decision{}, err
		}
		before, err := h.documents.themeState(r, t.theme)
		if err != nil {
			return decision{}, err
		}
		after, err := theming.RestoreTheme(before, theming.Restoration{
			Document: document, Moves: moves, Claim: claim, NewETag: newETag(), Now: h.now(),
		})
		if err != nil {
			return decision{}, err
		}
		return draftedTheme(q, before, after)
	})
}

// restoreVariant makes a draft with the overrides of an earlier version.
func (h versions) restoreVariant(q *request) (change, error) {
	return q.restore(func(r storage.Reader, t target, number uint32, claim theming.Claim) (decision, error) {
		version, err := variantVersion(r, t.variant, number)
		if err != nil {
			return decision{}, err
		}
		overrides, err := h.documents.tree(version.Overrides)
		if err != nil {
			return decision{}, err
		}
		past := history{documents: h.documents, reader: r, theme: t.theme}
		document, moves, err := past.back(t.theme.LatestVersion, number)
		if err != nil {
			return decision{}, err
		}
		newest, err := past.edition(edition{number: int64(t.theme.LatestVersion)})
		if err != nil {
			return decision{}, err
		}
		before, err := h.documents.variantState(r, t.theme, t.variant)
		if err != nil {
			return decision{}, err
		}
		after, err := theming.RestoreVariant(t.theme, before, overrides, newest.Document, theming.Restoration{
			Document: document, Moves: patch.Invert(moves), Claim: claim, NewETag: newETag(), Now: h.now(),
		})
		if err != nil {
			return decision{}, err
		}
		return draftedVariant(q, before, after)
	})
}

// back returns the document of an earlier version, and the renames that lead from the newest back to it.
func (h *history) back(newest, number uint32) (*jsontree.Node, []record.Move, error) {
	past, err := h.edition(edition{number: int64(number), given: true})
	if err != nil {
		return nil, nil, err
	}
	moves, err := h.renames(newest, number)
	return past.Document, moves, err
}
