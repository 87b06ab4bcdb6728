package designsystem

import (
	"fmt"
	"strings"
	"testing"

	"example.com/livery/cli/tokenfile"
	"example.com/livery/renderer/jsontree"
)

// modesOf returns the list of the modes of dimensions and what is left out, each as text.
func modesOf(all ...tokenfile.Dimension) (list, left string) {
	var plan []Mode
	for _, d := range all {
		for _, mode := range d.Modes[1:] {
			plan = append(plan, Mode{d.Name, mode, jsontree.NewObject(), nil})
		}
	}
	entries, out := Modes(all, Make(jsontree.NewObject(), plan, nil, nil).Variants)
	var lines, rest []string
	for _, e := range entries {
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%s.%s=%s %s", e.Dimension, e.Mode, e.Variant, e.When), " "))
	}
	for _, l := range out {
		rest = append(rest, l.Dimension+": "+strings.Join(l.Modes, ", ")+": "+l.Why)
	}
	return strings.Join(lines, "; "), strings.Join(rest, "; ")
}

func TestDimensionsOfFilesBecomeModesOfTheTheme(t *testing.T) {
	of := func(name string, modes ...string) tokenfile.Dimension {
		return tokenfile.Dimension{Name: name, Modes: modes}
	}
	hinted := of("", "", "more", "dark", "tight", "ocean", ".a .b", "ocean-b")
	hinted.Hints = map[string]tokenfile.Hint{
		"more": {When: "(prefers-contrast: more)"}, "dark": {Attribute: "theme"}, "tight": {Attribute: "spacing", When: "(min-width: 1px)"},
		".a .b": {}, "ocean-b": {Attribute: "theme", IsJoint: true},
	}
	const brand = "a brand has files of its own"
	const maybe = "they may be brands: none is called as modes are, such as dark or compact"
	const elements = "they may be brands or elements of a page: none is called as modes are, such as dark or compact"
	const rules = "they are selectors, conditions or several modes together, which a list of modes cannot have"
	long := strings.Repeat("x", 40)
	for _, c := range []struct {
		all        []tokenfile.Dimension
		list, left string
	}{
		{[]tokenfile.Dimension{of("Color Mode", "Light", "Dark Mode", "Dim")}, "color-mode.light=; color-mode.dark-mode=dark-mode (prefers-color-scheme: dark); color-mode.dim=dim", ""},
		{[]tokenfile.Dimension{of("", "dark", "light")}, "scheme.dark=; scheme.light=light (prefers-color-scheme: light)", ""},
		{[]tokenfile.Dimension{of("", "light", "dark", "hc")}, "scheme.light=; scheme.dark=dark (prefers-color-scheme: dark); contrast.default=; contrast.hc=hc (prefers-contrast: more)", ""},
		{[]tokenfile.Dimension{of("", "Light", "Dark", "Ocean")}, "scheme.light=; scheme.dark=dark (prefers-color-scheme: dark); scheme.ocean=ocean", ""},
		{[]tokenfile.Dimension{of("Contrast", "Normal", "High", "Low")}, "contrast.normal=; contrast.high=high (prefers-contrast: more); contrast.low=low (prefers-contrast: less)", ""},
		{[]tokenfile.Dimension{of("Motion", "Full", "Reduced"), of("Movement", "Full", "Reduce")}, "motion.full=; motion.reduced=reduced (prefers-reduced-motion: reduce); movement.full=; movement.reduce=reduce", ""},
		{[]tokenfile.Dimension{of("", "", "reduce motion")}, "motion.default=; motion.reduce-motion=reduce-motion (prefers-reduced-motion: reduce)", ""},
		{[]tokenfile.Dimension{of("Level", "Normal", "High")}, "level.normal=; level.high=high", ""},
		{[]tokenfile.Dimension{hinted}, "contrast.default=; contrast.more=more (prefers-contrast: more); scheme.light=; scheme.dark=dark (prefers-color-scheme: dark); spacing.default=; spacing.tight=tight", ": ocean: " + elements + "; : .a .b: " + rules + "; : ocean-b: " + rules},
		{[]tokenfile.Dimension{{Modes: []string{"", "hc", "more"}, Hints: map[string]tokenfile.Hint{"more": {When: "(prefers-contrast: more)"}}}}, "contrast.default=; contrast.hc=hc; contrast.more=more (prefers-contrast: more)", ""},
		{[]tokenfile.Dimension{of("", "", "dark", "hc", "dark-hc", "acme")}, "scheme.light=; scheme.dark=dark (prefers-color-scheme: dark); contrast.default=; contrast.hc=hc (prefers-contrast: more)", ": dark-hc: " + rules + "; : acme: " + maybe},
		{[]tokenfile.Dimension{of("Brand", "Acme", "Dark"), of("themes", "", "globex"), of("Theme", "Day", "Dark")}, "theme.day=; theme.dark=theme-dark (prefers-color-scheme: dark)", "Brand: Dark: " + brand + "; themes: globex: " + maybe},
		{[]tokenfile.Dimension{of("Mode", "Light", "Dark", "dark!")}, "mode.light=; mode.dark=mode-dark (prefers-color-scheme: dark); mode.dark-2=mode-dark-2", ""},
		{[]tokenfile.Dimension{of("02-theme", "mode.light", "mode.dark")}, "theme.mode-light=; theme.mode-dark=mode-dark (prefers-color-scheme: dark)", ""},
		{[]tokenfile.Dimension{of("Theme", "Acme Light", "Acme Dark", "Soft")}, "theme.acme-light=; theme.acme-dark=acme-dark (prefers-color-scheme: dark); theme.soft=soft", ""},
		{[]tokenfile.Dimension{of("Theme", "Acme Light", "Acme Dark", "Globex Light", "Globex Dark")}, "", "Theme: Acme Dark, Globex Light, Globex Dark: " + maybe},
		{[]tokenfile.Dimension{of("夜", "1x", "2x"), of(long, "a", long)}, "mode.mode-1x=; mode.mode-2x=2x; " + long[:32] + ".a=; " + long[:32] + "." + long[:32] + "=" + long, ""},
		{[]tokenfile.Dimension{of("a", "x", "1"), of("b", "x", "2"), of("c", "x", "3"), of("d", "x", "4"), of("e", "x", "5")}, "a.x=; a.mode-1=1; b.x=; b.mode-2=2; c.x=; c.mode-3=3; d.x=; d.mode-4=4", "e: 5: a Theme has no more than 4 dimensions of modes"},
		{[]tokenfile.Dimension{of("a", strings.Split("abcdefghijklmnopq", "")...), of("b", "x", "y")}, "b.x=; b.y=y", "a: b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q: a Theme has no more than 16 modes"},
		{[]tokenfile.Dimension{of("a", "x")}, "", ""},
	} {
		if list, left := modesOf(c.all...); list != c.list || left != c.left {
			t.Errorf("Modes(%v) =\n%s\nwithout %q, want\n%s\nwithout %q", c.all, list, left, c.list, c.left)
		}
	}
}

// A mode that was left out of the plan is not in the list.
func TestModesWithoutAVariantAreNotInTheList(t *testing.T) {
	d := tokenfile.Dimension{Name: "Mode", Modes: []string{"Light", "Dark", "Dim"}}
	plan := Make(jsontree.NewObject(), []Mode{{"Mode", "Dim", jsontree.NewObject(), nil}}, nil, map[[2]string]string{{"Mode", "Dim"}: "dusk"})
	if list, left := Modes([]tokenfile.Dimension{d}, plan.Variants); fmt.Sprint(list, left) != "[{mode light   } {mode dim dusk  }] []" {
		t.Errorf("Modes() = %v, %v", list, left)
	}
}
