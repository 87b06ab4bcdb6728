package tokens

import (
	"context"
	"errors"
	"slices"
	"strings"

	"example.com/livery/cli/page"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/changeset"
	"example.com/livery/client"
	"example.com/livery/renderer/jsontree"
)

// column is what a page shows beside the Theme: Variants laid over one another.
type column struct {
	name string
	ids  []string // of Variants, the later over the earlier
}

// columnsOf returns what a page of a Theme shows beside it: each Variant, and each of them, or the Theme if there are none, in a
// combination of modes such as "scheme.dark,contrast.more", or in each mode of whole dimensions. Without Variants and modes
// each mode of the Theme is shown.
func columnsOf(theme client.Theme, variants []client.Variant, list []client.Mode, named string) (all []column, err error) {
	dimensions, modes := namesOf(list)
	parts := strings.FieldsFunc(named, func(r rune) bool { return r == ',' })
	for _, part := range parts {
		if !slices.Contains(dimensions, part) && !slices.Contains(modes, part) {
			return nil, target.NotFound("mode", part, " of Theme "+theme.Slug, append(dimensions, modes...))
		}
	}
	if len(variants) == 0 && named == "" {
		parts = dimensions
	}
	combinations, isCombination := []string{named}, strings.Contains(named, ".")
	if !isCombination {
		combinations = slices.DeleteFunc(modes, func(mode string) bool {
			dimension, _, _ := strings.Cut(mode, ".")
			return !slices.Contains(parts, dimension)
		})
	}
	brands := []column{{}}
	if len(variants) > 0 {
		brands = nil
	}
	for _, v := range variants {
		brands = append(brands, column{v.DisplayName, []string{v.ID}})
	}
	for _, brand := range brands {
		if len(brand.ids) > 0 {
			all = append(all, brand)
		}
		for _, combination := range combinations {
			c := column{combination, slices.Clone(brand.ids)}
			for mode := range strings.SplitSeq(combination, ",") {
				if id := variantOf(list, mode, brand); id != "" {
					c.ids = append(c.ids, id)
				}
			}
			if !isCombination && len(c.ids) == len(brand.ids) {
				continue // the mode overrides nothing
			}
			if brand.name != "" {
				c.name = brand.name + ", " + c.name
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// namesOf returns the dimensions of a list of modes, and the modes as DIMENSION.MODE, each once.
func namesOf(list []client.Mode) (dimensions, modes []string) {
	for _, m := range list {
		if !slices.Contains(dimensions, m.Dimension) {
			dimensions = append(dimensions, m.Dimension)
		}
		if mode := m.Dimension + "." + m.Mode; !slices.Contains(modes, mode) {
			modes = append(modes, mode)
		}
	}
	return dimensions, modes
}

// variantOf returns the Variant that a mode is for a brand, or for the Theme itself; empty if it overrides nothing.
func variantOf(list []client.Mode, mode string, brand column) (id string) {
	for _, m := range list {
		if m.Dimension+"."+m.Mode != mode || m.For != "" && !slices.Contains(brand.ids, m.For) {
			continue
		}
		if id = ""; m.Variant != nil {
			id = *m.Variant
		}
		if m.For != "" {
			return id
		}
	}
	return id
}

// draw reads the current overrides of a column.
func (l column) draw(ctx context.Context, c *client.Client, f target.Resolved) (page.Variant, error) {
	joined := jsontree.NewObject()
	for _, id := range l.ids {
		_, overrides, err := changeset.CurrentOverrides(ctx, c, f.Theme, id)
		if err != nil {
			return page.Variant{}, err
		}
		joined = changeset.JoinFlat(joined, overrides)
	}
	return page.Variant{Name: l.name, Overrides: joined}, nil
}

// withoutModes says which modes are missing, if that is why the origin answered that there is nothing.
func withoutModes(err error, f target.Resolved, value, file string) error {
	if value == "" || !errors.Is(err, client.ErrNotFound) {
		return err
	}
	return term.Fail("livery theme modes "+f.Theme.Slug+" lists them; name them in their order, and whole dimensions for tokens.css only.",
		"Theme %s has no %s in the modes %s", f.Theme.Slug, file, value)
}
