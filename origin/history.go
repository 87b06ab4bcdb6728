package origin

import (
	"example.com/livery/origin/patch"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// history is what a Theme was, version by version, and the current document.
type history struct {
	origin *Origin
	reader storage.Reader
	theme  record.Theme

	state *theming.ThemeState // nil until the current document is asked for
}

// current reads the current document, once.
func (h *history) current() (theming.ThemeState, *jsontree.Node, error) {
	if h.state == nil {
		s, err := h.origin.themeState(h.reader, h.theme)
		if err != nil {
			return s, nil, err
		}
		h.state = &s
	}
	document, err := h.state.Document()
	return *h.state, document, err
}

// edition reads one side of a comparison: errNotFound where there is no such version.
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
	document, err := h.origin.tree(version.Document)
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
