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

// layered is what a page shows beside the Theme: Variants laid over one another.
type layered struct {
	name string
	ids  []string // of Variants, the later over the earlier
}

// columnsOf returns what a page of a Theme shows beside it: each Variant, and each of them, or the Theme if there are none,
// in the modes of each value: a combination such as "scheme.dark,contrast.more", or each mode of a dimension. Without
// Variants and values each mode of the Theme is shown.
func columnsOf(theme client.Theme, variants []client.Variant, list []client.Mode, values []string) (all []layered, err error) {
	brands := []layered{{}}
	if len(variants) > 0 {
		brands = nil
	}
	for _, v := range variants {
		brands = append(brands, layered{v.DisplayName, []string{v.ID}})
	}
	if len(variants) == 0 && len(values) == 0 {
		values = dimensionsOf(list)
	}
	for _, brand := range brands {
		if len(brand.ids) > 0 {
			all = append(all, brand)
		}
		for _, value := range values {
			columns, err := inModes(theme, brand, list, value)
			if err != nil {
				return nil, err
			}
			all = append(all, columns...)
		}
	}
	return all, nil
}

func dimensionsOf(list []client.Mode) (names []string) {
	for _, m := range list {
		if !slices.Contains(names, m.Dimension) {
			names = append(names, m.Dimension)
		}
	}
	return names
}

// inModes returns the columns of a brand for one value.
func inModes(theme client.Theme, brand layered, list []client.Mode, value string) (all []layered, err error) {
	combination := layered{name: value, ids: slices.Clone(brand.ids)}
	for part := range strings.SplitSeq(value, ",") {
		found := false
		dimension, mode, single := strings.Cut(part, ".")
		var seen []string
		for _, m := range list {
			if m.Dimension != dimension || single && m.Mode != mode || slices.Contains(seen, m.Mode) {
				continue
			}
			found, seen = true, append(seen, m.Mode)
			switch id := variantOf(list, m, brand); {
			case single && id != "":
				combination.ids = append(combination.ids, id)
			case !single && id != "":
				all = append(all, layered{m.Dimension + "." + m.Mode, append(slices.Clone(brand.ids), id)})
			}
		}
		if !found {
			return nil, target.NotFound("mode", part, " of Theme "+theme.Slug, append(dimensionsOf(list), modeNames(list)...))
		}
	}
	if strings.Contains(value, ".") {
		all = append(all, combination)
	}
	for i := range all {
		if brand.name != "" {
			all[i].name = brand.name + ", " + all[i].name
		}
	}
	return all, nil
}

// variantOf is the Variant that a mode is for a brand, or for the Theme itself; empty if it overrides nothing.
func variantOf(list []client.Mode, mode client.Mode, brand layered) (id string) {
	for _, m := range list {
		if m.Dimension != mode.Dimension || m.Mode != mode.Mode || m.For != "" && !slices.Contains(brand.ids, m.For) {
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

func modeNames(list []client.Mode) (names []string) {
	for _, m := range list {
		if name := m.Dimension + "." + m.Mode; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// modesOf returns the modes of a Theme.
func modesOf(ctx context.Context, c *client.Client, f target.Resolved) ([]client.Mode, error) {
	modes, err := c.Scope(f.Env.ID, f.Theme.ID).Modes(ctx)
	return modes.Modes, err
}

// draw reads the current overrides of a column.
func (l layered) draw(ctx context.Context, c *client.Client, f target.Resolved) (page.Variant, error) {
	joined := jsontree.NewObject()
	for _, id := range l.ids {
		set, err := c.VariantTokens(ctx, f.Env.ID, f.Theme.ID, id, client.ReadOptions{})
		if err != nil {
			return page.Variant{}, err
		}
		overrides, err := changeset.FlatMap(set)
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
	return term.Fail("livery theme modes "+f.Theme.Slug+" lists them; name them in their order, and dimensions alone for tokens.css only.",
		"Theme %s has no %s in the modes %s", f.Theme.Slug, file, value)
}
