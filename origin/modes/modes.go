// Package modes holds the rules of a Theme's modes: which lists are valid, what a value of the query parameter modes names,
// and what a combination of modes overrides. A mode is a Variant that the Theme gives a condition. The package is pure:
// records in, records out.
package modes

import (
	"slices"
	"strings"

	"example.com/livery/renderer/jsontree"
	"example.com/livery/renderer/modesheet"
	"example.com/livery/storage/record"
)

// The names of modes, and what stands behind a dimension of these two that is asked for with light-dark().
const (
	light     = "light"
	dark      = "dark"
	lightDark = "~light-dark"
)

// Of returns the dimensions of a list as a brand has them, in the order of the list, each with one mode at least: an entry for the brand takes the place of the general one, and
// a mode of which there are only entries for other brands overrides nothing. brand is the id of a Variant, or empty for
// the Theme itself.
func Of(list []record.Mode, brand string) (all []modesheet.Dimension) {
	for _, entry := range list {
		i := slices.IndexFunc(all, func(d modesheet.Dimension) bool { return d.Name == entry.Dimension })
		if i < 0 {
			i, all = len(all), append(all, modesheet.Dimension{Name: entry.Dimension})
		}
		d := &all[i]
		k := slices.IndexFunc(d.Modes, func(m modesheet.Mode) bool { return m.Name == entry.Mode })
		if k < 0 {
			k, d.Modes = len(d.Modes), append(d.Modes, modesheet.Mode{Name: entry.Mode, When: entry.When})
		}
		if entry.For == brand || entry.For == "" && !names(list, entry, brand) {
			d.Modes[k].Variant = entry.Variant
		}
	}
	return all
}

// names reports whether a list has an entry of the same mode for the brand.
func names(list []record.Mode, general record.Mode, brand string) bool {
	return slices.ContainsFunc(list, func(m record.Mode) bool {
		return m.Dimension == general.Dimension && m.Mode == general.Mode && m.For == brand
	})
}

// Select returns what a value of the query parameter modes names among the dimensions of a Theme: dimensions, separated by
// commas, with all their modes, or single modes, each as the only one of its dimension. conditional reports the former. ok
// is false if the value has more than MaxDimensions parts, mixes the two, or names what the Theme does not have, a
// dimension twice, or dimensions in another order than the Theme's. "~light-dark" may stand behind one dimension, the
// modes of which are light and dark; one of them that is missing overrides nothing.
func Select(all []modesheet.Dimension, value string) (chosen []modesheet.Dimension, conditional, ok bool) {
	conditional = !strings.Contains(value, ".")
	if strings.Count(value, lightDark) > 1 {
		return nil, false, false
	}
	for part := range strings.SplitSeq(value, ",") {
		part, withLightDark := strings.CutSuffix(part, lightDark)
		name, mode, single := strings.Cut(part, ".")
		i := slices.IndexFunc(all, func(d modesheet.Dimension) bool { return d.Name == name })
		if i < 0 || single == conditional {
			return nil, false, false
		}
		d := all[i]
		all = all[i+1:]
		if withLightDark && !(conditional && completeLightDark(&d)) {
			return nil, false, false
		}
		if single {
			k := slices.IndexFunc(d.Modes, func(m modesheet.Mode) bool { return m.Name == mode })
			if k < 0 {
				return nil, false, false
			}
			d.Modes = d.Modes[k : k+1]
		}
		chosen = append(chosen, d)
	}
	return chosen, conditional, true
}

// completeLightDark asks for light-dark(), with the mode that the dimension lacks, and reports whether its modes are light and
// dark, or one of them.
func completeLightDark(d *modesheet.Dimension) bool {
	d.LightDark = true
	others := map[string]string{light: dark, dark: light}
	if len(d.Modes) == 1 && others[d.Modes[0].Name] != "" {
		d.Modes = append(slices.Clip(d.Modes), modesheet.Mode{Name: others[d.Modes[0].Name]})
	}
	return len(d.Modes) == 2 && others[d.Modes[0].Name] == d.Modes[1].Name
}

// Merge lays flat maps of overrides over one another: of members with one name the last wins, at the place of the first.
// A map may be nil, which is one without members.
// The result shares the values of the maps.
func Merge(maps ...*jsontree.Node) *jsontree.Node {
	var members []jsontree.Member
	places := map[string]int{}
	for _, overrides := range maps {
		if overrides == nil {
			continue
		}
		for _, m := range overrides.Members {
			i, known := places[m.Name]
			if !known {
				places[m.Name], members = len(members), append(members, m)
			} else {
				members[i].Value = m.Value
			}
		}
	}
	return jsontree.NewObject(members...)
}

// Use reports whether a list names a Variant.
func Use(list []record.Mode, variantID string) bool {
	return slices.ContainsFunc(list, func(m record.Mode) bool { return m.Variant == variantID || m.For == variantID })
}

// Variants returns the ids of the Variants that a list names, each once.
func Variants(list []record.Mode) (ids []string) {
	for _, m := range list {
		for _, id := range []string{m.Variant, m.For} {
			if id != "" && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
