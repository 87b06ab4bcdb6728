package storage

import (
	"slices"

	"example.com/livery/storage/record"
)

// ServedAs returns the Theme whose Serving counts for t, a Theme of e: t itself or, if t is a preview, the one that it is
// a preview of, and ErrNotFound if that does not exist any more.
func ServedAs(r Reader, e record.Environment, t record.Theme) (record.Theme, error) {
	if t.PreviewOf == "" {
		return t, nil
	}
	return Themes.Read(r, e.PreviewOf, t.PreviewOf)
}

// ModesServe reports whether a mode of a version has the overrides of a Variant. The pair of the two then stays when the
// Variant is deleted, because the version serves it for ever.
func ModesServe(v record.ThemeVersion, variantID string) bool {
	return slices.ContainsFunc(v.Modes, func(m record.Mode) bool { return m.Variant == variantID })
}
