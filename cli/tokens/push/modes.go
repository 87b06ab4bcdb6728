package push

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"example.com/livery/cli/escape"
	"example.com/livery/cli/target"
	"example.com/livery/cli/term"
	"example.com/livery/cli/tokens/designsystem"
	"example.com/livery/client"
)

// modesChoices are the values of --modes.
var modesChoices = []string{"auto", "replace", "none"}

// checkModes refuses a wrong --modes.
func (p *pushFlags) checkModes() error {
	switch {
	case !slices.Contains(modesChoices, p.modes):
		return term.UsageError("Valid values: auto, replace, none.", "--modes cannot be %q", p.modes)
	case p.modes != "auto" && p.variants != "auto":
		return term.UsageError("Leave it out, or add --variants auto.", "--modes says what becomes of several modes, and a push of one has one")
	}
	return nil
}

// decideModes makes the list of the Theme's modes: that of livery.yaml, without what the files no longer have and with
// what is new, or one made of the files.
func (s *system) decideModes(choice string) {
	made, left := designsystem.Modes(s.source.Dimensions, s.plan.Variants)
	switch {
	case choice == "none":
		s.list = []designsystem.ThemeMode{}
	case s.decided == nil || s.decided.Modes == nil:
		s.list, s.left = made, left
	default:
		s.list = s.decidedModes(made)
		for _, l := range left {
			isPlanned := func(mode string) bool {
				return slices.ContainsFunc(s.decided.Variants, func(v planVariant) bool { return v.Dimension == l.Dimension && v.Mode == mode })
			}
			if !slices.ContainsFunc(l.Modes, isPlanned) {
				s.left = append(s.left, l)
			}
		}
	}
}

// decidedModes is the list of livery.yaml as the files are now: a new mode joins its dimension, and a new dimension the
// list. What the list has no room for is left.
func (s *system) decidedModes(made []designsystem.ThemeMode) []designsystem.ThemeMode {
	list := slices.DeleteFunc(slices.Clone(*s.decided.Modes), func(m designsystem.ThemeMode) bool {
		return s.isGone(m.Variant) || s.isGone(m.For)
	})
	dimensions := s.decidedDimensions(made)
	for _, m := range made {
		own, isIn := dimensions[m.Dimension]
		if isIn && (own == "" || m.Variant == "" || s.decided.has(m.Variant)) {
			continue
		}
		m.Dimension = cmp.Or(own, m.Dimension)
		at := len(list)
		for i, d := range list {
			if d.Dimension == m.Dimension {
				at = i + 1
			}
		}
		joined := slices.Insert(slices.Clone(list), at, m)
		switch faults := designsystem.Faults(joined); {
		case len(faults) == len(designsystem.Faults(list)):
			list = joined
		case m.Variant != "":
			s.left = append(s.left, designsystem.LeftOut{Dimension: m.Dimension + "." + m.Mode, Why: "the list in " + planName + " does not take it (" + faults[0] + ")"})
		}
	}
	return list
}

// decidedDimensions returns the names that livery.yaml has for the dimensions of a list that was made of the files: that
// of one of its modes, or of a mode that the files had in the same dimension. One that livery.yaml knows and leaves out of
// its list has an empty name, and a new one none.
func (s *system) decidedDimensions(made []designsystem.ThemeMode) map[string]string {
	of, names := map[string]string{}, map[string]string{} // the dimension of the files, by the slug of a Variant
	for _, v := range s.decided.Variants {
		of[v.Slug] = v.Dimension
	}
	for _, v := range s.plan.Variants {
		of[v.Slug] = v.Dimension
	}
	for _, m := range made {
		if s.decided.has(m.Variant) {
			names[m.Dimension] = cmp.Or(names[m.Dimension], "")
		}
		for _, d := range *s.decided.Modes {
			isOne := of[d.Variant] == of[m.Variant] && (of[m.Variant] != "" || d.Dimension == m.Dimension)
			if m.Variant != "" && d.Variant != "" && (d.Variant == m.Variant || isOne) {
				names[m.Dimension] = d.Dimension
			}
		}
	}
	return names
}

// refuseModes returns the failure that the API would refuse the list of the Theme's modes, as livery.yaml has it.
func (s *system) refuseModes() error {
	faults := designsystem.Faults(s.list)
	if len(faults) == 0 {
		return nil
	}
	f := term.Fail("Fix them in "+planName+".", "nothing is pushed, for the modes of the Theme are not valid:")
	f.Faults = faults
	return f
}

// isGone reports whether livery.yaml has a Variant for a mode that the files no longer have, or that is left out.
func (s *system) isGone(slug string) bool {
	return s.decided.has(slug) && !slices.ContainsFunc(s.plan.Variants, func(v designsystem.Variant) bool { return v.Slug == slug })
}

// served names the mode of the list that a Variant is, and its condition; empty for the defaults if slug is.
func (s *system) served(slug string) (names, when string) {
	var all []string
	for _, m := range s.list {
		if m.Variant == slug {
			all = append(all, strings.TrimSuffix(m.Dimension+"."+m.Mode+" for "+m.For, " for "))
			when = m.When
		}
	}
	return strings.Join(all, ", "), when
}

// printLeft names the dimensions that stay Variants alone.
func (s *system) printLeft(a *term.App) {
	for _, l := range s.left {
		name := l.Dimension
		if name == "" {
			name = strings.Join(l.Modes, ", ")
		}
		a.Warn("Note: %s: Variants alone, not modes of the Theme, since %s. Else add them to modes in %s.", escape.Line(name), l.Why, planName)
	}
}

// setModes sets the modes of the Theme to the list, if the Theme has none or those that a push set before. It says what
// it did or why it did nothing. changed reports whether the Theme has another list than before.
func (a *app) setModes(ctx context.Context, c *client.Client, f target.Resolved, s *system, p pushFlags) (changed bool, err error) {
	var before []designsystem.ThemeMode
	if s.decided != nil && s.decided.Modes != nil {
		before = *s.decided.Modes
	}
	if p.modes == "none" || len(s.list) == 0 && len(before) == 0 {
		return false, nil
	}
	ids := map[string]string{}
	for v, err := range c.EveryVariant(ctx, f.Env.ID, f.Theme.ID) {
		if err != nil {
			return false, err
		}
		ids[v.Slug] = v.ID
	}
	scope := c.Scope(f.Env.ID, f.Theme.ID)
	present, err := scope.Modes(ctx)
	if errors.Is(err, client.ErrNotFound) {
		a.Warn("Note: this origin is of an earlier release and has no modes, so the Theme's are not set.")
		return false, nil
	}
	if err != nil {
		return false, err
	}
	wanted, missing := s.namedByID(s.list, ids)
	earlier, _ := s.namedByID(before, ids)
	switch {
	case missing != "":
		a.Warn("Note: the modes of the Theme are not set: %s names the Variant %s, which the Theme does not have.", planName, escape.Line(missing))
		return false, nil
	case sameModes(present.Modes, wanted):
		return false, nil
	case len(present.Modes) > 0 && !sameModes(present.Modes, earlier) && p.modes != "replace":
		a.Warn("Note: Theme %s has modes that no push set, and keeps them. See them with: livery theme modes %s. Replace them with --modes replace.", f.Theme.Slug, f.Theme.Slug)
		return false, nil
	}
	_, err = scope.SetModes(client.WithIfMatch(ctx, present.ETag), wanted)
	if errors.Is(err, client.ErrForbidden) {
		a.Warn("Note: the modes of the Theme are not set, which needs the role admin. An admin sets them with: livery push, or livery theme modes %s.", f.Theme.Slug)
		return false, nil
	}
	if err == nil {
		a.Say("Theme %s has these modes now: %s.", f.Theme.Slug, listed(s.list))
	}
	return err == nil, err
}

// namedByID is a list with the ids of its Variants. A mode that no Variant was made for, since it says nothing, has
// none. missing is the first other Variant that the Theme does not have.
func (s *system) namedByID(list []designsystem.ThemeMode, ids map[string]string) (named []client.Mode, missing string) {
	for _, m := range list {
		one := client.Mode{Dimension: m.Dimension, Mode: m.Mode, When: m.When}
		if id, ok := ids[m.Variant]; ok {
			one.Variant = &id
		} else if m.Variant != "" && !slices.ContainsFunc(s.plan.Variants, func(v designsystem.Variant) bool { return v.Slug == m.Variant }) {
			missing = m.Variant
		}
		if one.For = ids[m.For]; m.For != "" && one.For == "" {
			missing = m.For
		}
		named = append(named, one)
	}
	return named, missing
}

func sameModes(a, b []client.Mode) bool {
	return slices.EqualFunc(a, b, func(a, b client.Mode) bool {
		idOf := func(m client.Mode) string {
			if m.Variant == nil {
				return ""
			}
			return *m.Variant
		}
		return a.Dimension == b.Dimension && a.Mode == b.Mode && a.When == b.When && a.For == b.For && idOf(a) == idOf(b)
	})
}

// listed names the modes of a list in one line.
func listed(list []designsystem.ThemeMode) string {
	var names []string
	for _, m := range list {
		if name := m.Dimension + "." + m.Mode; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
