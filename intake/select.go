package intake

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/livery/intake/form"
	"example.com/livery/intake/model"
)

// byKind returns the modes for each kind except CSS.
func (s *Select) byKind() [5]map[string]string {
	return [...]map[string]string{model.Figma: s.Figma, model.Studio: s.Studio, model.Resolver: s.Resolver, model.Value: s.Value}
}

// conditions returns the modes in s in a deterministic order.
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

// add adds a mode to s.
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

// dimensions is a list of declared dimensions without duplicates.
type dimensions []model.Dimension

// dimensionsOf merges the dimensions of documents. If several documents declare a dimension, the first of them sets the default.
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

// withElements adds the selectors that the documents use but do not declare as dimensions, because they only match elements.
func (all dimensions) withElements(documents []*model.Document) dimensions {
	all = slices.Clip(all)
	for _, document := range documents {
		for i := range document.Decls {
			for _, c := range document.Decls[i].Conditions() {
				if !slices.ContainsFunc(all, func(d model.Dimension) bool { return d.Axis == c.Axis }) {
					all = append(all, model.Dimension{Axis: c.Axis})
				}
			}
		}
	}
	return all
}

// defaults returns the choice of the default mode in each dimension.
func (all dimensions) defaults() model.Choice {
	c := model.Choice{}
	for _, d := range all {
		if d.Kind != model.CSS {
			c[d.Axis] = d.Default
		}
	}
	return c
}

// conditions returns all modes of the dimensions. Each selector and media condition is a mode.
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

// nearest returns a hint for a mode that is not declared.
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

// chosen returns a copy of a choice with the modes in s. at is the path to s in the mapping.
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

// describe returns a mode in the syntax of livery.yaml.
func describe(c model.Condition) string {
	if c.Kind == model.CSS {
		return "css: " + c.Name
	}
	return fmt.Sprintf("%s: {%s: %s}", c.Kind, c.Name, c.Mode)
}

// named adds the modes from a command line to a choice. A mode has the form DIMENSION=MODE. For an attribute selector, the dimension is the
// name of the attribute.
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
