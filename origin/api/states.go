package api

import (
	"fmt"

	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// tree reads a stored document or map of overrides; the empty name is the empty tree nil.
func (h *Handler) tree(name record.Hash) (*jsontree.Node, error) {
	if name == "" {
		return nil, nil
	}
	blob, err := h.config.Store.Blob(h.config.Context, name)
	if err != nil {
		return nil, fmt.Errorf("origin: document %s: %w", name, err)
	}
	root, err := jsontree.ParseDepth(string(blob), h.config.Limits.Depth+wrapping)
	if err != nil {
		return nil, fmt.Errorf("origin: document %s: %w: %w", name, storage.ErrCorrupt, err)
	}
	return root, nil
}

// themeVersion reads a published version: errNotFound if there is none of that number.
func themeVersion(r storage.Reader, t record.Theme, number uint32) (record.ThemeVersion, error) {
	v, err := storage.ThemeVersions.Read(r, t.EnvironmentID, t.ID, storage.Number(number))
	return v, orNotFound(err)
}

// variantVersion reads a published version: errNotFound if there is none of that number.
func variantVersion(r storage.Reader, v record.Variant, number uint32) (record.VariantVersion, error) {
	version, err := storage.VariantVersions.Read(r, v.EnvironmentID, v.ThemeID, v.ID, storage.Number(number))
	return version, orNotFound(err)
}

// themeState reads what the rules of a Theme need to see.
func (h *Handler) themeState(r storage.Reader, t record.Theme) (theming.ThemeState, error) {
	s, newest, err := draftState(r, t)
	if err == nil {
		s.Base, err = h.tree(newest.Document)
	}
	return s, err
}

// draftState reads a Theme's state without its document, and the newest version, the zero one if
// there is none.
func draftState(r storage.Reader, t record.Theme) (s theming.ThemeState, newest record.ThemeVersion, err error) {
	s.Theme = t
	if t.DraftETag != "" {
		draft, err := storage.ThemeDrafts.Read(r, t.EnvironmentID, t.ID)
		if err != nil {
			return s, newest, err
		}
		s.Draft = &draft
	}
	if t.LatestVersion > 0 {
		newest, err = storage.ThemeVersions.Read(r, t.EnvironmentID, t.ID, storage.Number(t.LatestVersion))
	}
	return s, newest, err
}

// variantState reads what the rules of a Variant of t need to see.
func (h *Handler) variantState(r storage.Reader, t record.Theme, v record.Variant) (theming.VariantState, error) {
	s, err := variantRecords(r, t, v)
	if err == nil {
		s.Served, err = h.tree(s.ServedBlob)
	}
	return s, err
}

// variantRecords is variantState with what the Variant serves by its name alone.
func variantRecords(r storage.Reader, t record.Theme, v record.Variant) (theming.VariantState, error) {
	s := theming.VariantState{Variant: v}
	if v.DraftETag != "" {
		draft, err := storage.VariantDrafts.Read(r, v.EnvironmentID, v.ThemeID, v.ID)
		if err != nil {
			return s, err
		}
		s.Draft = &draft
	}
	if t.LatestVersion == 0 {
		return s, nil
	}
	pair, err := storage.Pairs.Read(r, v.EnvironmentID, v.ThemeID, v.ID, storage.Number(t.LatestVersion))
	if isMissing(err) {
		return s, nil
	}
	s.ServedBlob = pair.Overrides
	return s, err
}

// variantsOf reads the state of every Variant of t, by id, as far as the release needs it.
func (h *Handler) variantsOf(r storage.Reader, t record.Theme, release *theming.Release) ([]theming.VariantState, error) {
	var variants []record.Variant
	err := storage.Variants.Scan(r, storage.Ascending, func(_ []byte, v record.Variant) bool {
		variants = append(variants, v)
		return true
	}, t.EnvironmentID, t.ID)
	if err != nil {
		return nil, err
	}
	var states []theming.VariantState
	for _, v := range variants {
		s, err := variantRecords(r, t, v)
		if err == nil && release.NeedsServed(v) {
			s.Served, err = h.tree(s.ServedBlob)
		}
		if err != nil {
			return nil, err
		}
		states = append(states, s)
	}
	return states, nil
}

// writeThemeState stores a Theme and its draft after a rule made them.
func writeThemeState(tx storage.Tx, s theming.ThemeState) error {
	t := s.Theme
	if s.Draft == nil {
		if err := storage.ThemeDrafts.Delete(tx, t.EnvironmentID, t.ID); err != nil {
			return err
		}
	} else if err := storage.ThemeDrafts.Write(tx, *s.Draft, t.EnvironmentID, t.ID); err != nil {
		return err
	}
	return storage.Themes.Write(tx, t, t.EnvironmentID, t.ID)
}

// writeVariantState stores a Variant and its draft after a rule made them.
func writeVariantState(tx storage.Tx, s theming.VariantState) error {
	v := s.Variant
	if s.Draft == nil {
		if err := storage.VariantDrafts.Delete(tx, v.EnvironmentID, v.ThemeID, v.ID); err != nil {
			return err
		}
	} else if err := storage.VariantDrafts.Write(tx, *s.Draft, v.EnvironmentID, v.ThemeID, v.ID); err != nil {
		return err
	}
	return storage.Variants.Write(tx, v, v.EnvironmentID, v.ThemeID, v.ID)
}
