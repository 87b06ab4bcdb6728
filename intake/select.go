package intake

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/livery/intake/form"
	"example.com/livery/intake/model"
)

// byKind has the chosen modes by kind; those of CSS are not among them.
func (s *Select) byKind() [5]map[string]string {
	return [...]map[string]string{model.Figma: s.Figma, model.Studio: s.Studio, model.Resolver: s.Resolver, model.Value: s.Value}
}

// conditions lists the modes that s names, in a fixed order.
func (s *Select) conditions() (list []model.Condition) {
	for kind, chosen := range s.byKind() {
		for _, name := range slices.Sorted(maps.Keys(chosen)) {
			list = append(list, model.Condition{Axis: model.Axis{Kind: model.Kind(kind), Name: name}, Mode: chosen[name]})
		}
	}
	for _, name := range s.CSS {
		list = append(list, model.Condition{Axis: form.CSSAxis(name)})
	}
	return list
}

// add adds a mode to what s names.
func (s *Select) add(c model.Condition) {
	chosen := [...]*map[string]string{model.Figma: &s.Figma, model.Studio: &s.Studio, model.Resolver: &s.Resolver, model.Value: &s.Value}[c.Kind%5]
	switch {
	case c.Kind == model.CSS:
		s.CSS = append(s.CSS, c.Name)
		return
	case *chosen == nil:
		*chosen = map[string]string{}
	}
	(*chosen)[c.Name] = c.Mode
}

// dimensions are those that files declare, each once.
type dimensions []model.Dimension

// dimensionsOf collects the dimensions of documents. If several have one of the same name, the default of the first counts.
func dimensionsOf(documents []*model.Document) (all dimensions) {
	for _, document := range documents {
		for _, d := range document.Dimensions {
			i := slices.IndexFunc(all, func(known model.Dimension) bool { return known.Axis == d.Axis })
			if i < 0 {
				i, all = len(all), append(all, model.Dimension{Axis: d.Axis, Default: d.Default})
			}
			for _, mode := range d.Modes {
				if !slices.Contains(all[i].Modes, mode) {
					all[i].Modes = append(slices.Clip(all[i].Modes), mode)
				}
			}
		}
	}
	return all
}

// withElements adds the selectors and media conditions of declarations that no document has as a dimension: those of elements.
func (all dimensions) withElements(documents []*model.Document) dimensions {
	all = slices.Clip(all)
	for _, document := range documents {
		for i := range document.Decls {
			for _, c := range slices.Concat(document.Decls[i].When...) {
				if !slices.ContainsFunc(all, func(d model.Dimension) bool { return d.Axis == c.Axis }) {
					all = append(all, model.Dimension{Axis: c.Axis})
				}
			}
		}
	}
	return all
}

// defaults is the choice of the default of each dimension.
func (all dimensions) defaults() model.Choice {
	c := model.Choice{}
	for _, d := range all {
		if d.Kind != model.CSS {
			c[d.Axis] = d.Default
		}
	}
	return c
}

// conditions lists all modes of the dimensions. Of CSS each selector and each media condition is one.
func (all dimensions) conditions() (list []model.Condition) {
	for _, d := range all {
		if d.Kind == model.CSS {
			list = append(list, model.Condition{Axis: d.Axis})
		}
		for _, mode := range d.Modes {
			list = append(list, model.Condition{Axis: d.Axis, Mode: mode})
		}
	}
	return list
}

// nearest is the hint for c, which no file declares.
func (all dimensions) nearest(c model.Condition) string {
	var names, modes []string
	for _, known := range all.conditions() {
		switch {
		case known.Axis == c.Axis && c.Kind != model.CSS:
			modes = append(modes, known.Mode)
		case known.Kind == c.Kind && !slices.Contains(names, known.Name):
			names = append(names, known.Name)
		}
	}
	if modes != nil {
		return didYouMean(c.Mode, modes)
	}
	return didYouMean(c.Name, names)
}

// chosen lays what s names over a choice. at is the place of s in the mapping.
func (m *Mapping) chosen(base model.Choice, s *Select, all dimensions, at ...string) (model.Choice, error) {
	choice := maps.Clone(base)
	for _, c := range s.conditions() {
		if !slices.Contains(all.conditions(), c) {
			return nil, m.fail(append(at, c.Kind.String(), c.Name), all.nearest(c), "no file declares %s", describe(c))
		}
		choice[c.Axis] = c.Mode
	}
	return choice, nil
}

// describe names a mode as livery.yaml does.
func describe(c model.Condition) string {
	if c.Kind == model.CSS {
		return "css: " + c.Name
	}
	return fmt.Sprintf("%s: {%s: %s}", c.Kind, c.Name, c.Mode)
}

// named lays the choices of a command line, each DIMENSION=MODE, over a choice. A dimension of CSS is the attribute of its
// selectors.
func (all dimensions) named(choice model.Choice, choices []string) error {
	for _, text := range choices {
		dimension, mode, isPair := strings.Cut(text, "=")
		if !isPair {
			return &model.Error{What: fmt.Sprintf("--mode %s names no mode", text), Next: "Write --mode DIMENSION=MODE."}
		}
		var found []model.Condition
		var known []string
		for _, c := range all.conditions() {
			d, name := c.Name, c.Mode
			if c.Kind == model.CSS {
				n := nameOfCSS(c.Name)
				d, name = n.dimension, n.mode
			}
			known = append(known, d+"="+name)
			if strings.EqualFold(d, dimension) && strings.EqualFold(name, mode) {
				found = append(found, c)
			}
		}
		isOther := func(c model.Condition) bool { return c.Kind != found[0].Kind || c.Kind != model.CSS && c != found[0] }
		switch {
		case found == nil:
			return &model.Error{What: "no file declares the mode " + text, Next: didYouMean(text, known)}
		case slices.ContainsFunc(found, isOther):
			var list []string
			for _, c := range found {
				list = append(list, describe(c))
			}
			return &model.Error{What: fmt.Sprintf("--mode %s is ambiguous: the files declare %s", text, strings.Join(list, " and ")), Next: "Write select in livery.yaml; livery init makes one."}
		}
		for _, c := range found {
			choice[c.Axis] = c.Mode
		}
	}
	return nil
}
