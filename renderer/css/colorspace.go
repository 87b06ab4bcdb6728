package css

// space is a colour space of DTCG 2025.10. The zero value is sRGB.
type space uint8

const (
	spaceSRGB space = iota
	spaceLinearSRGB
	spaceHSL
	spaceHWB
	spaceLab
	spaceLCH
	spaceOKLab
	spaceOKLCH
	spaceDisplayP3
	spaceA98RGB
	spaceProPhotoRGB
	spaceRec2020
	spaceXYZD65
	spaceXYZD50
)

// spaceNames spells each space as DTCG and CSS do, in the order of the constants.
var spaceNames = [...]string{
	"srgb", "srgb-linear", "hsl", "hwb", "lab", "lch", "oklab", "oklch",
	"display-p3", "a98-rgb", "prophoto-rgb", "rec2020", "xyz-d65", "xyz-d50",
}

// spaceByName returns the space called name, as DTCG spells it.
func spaceByName(name string) (space, bool) {
	if name == "xyz" {
		return spaceXYZD65, true
	}
	for i, known := range spaceNames {
		if name == known {
			return space(i), true
		}
	}
	return 0, false
}

// ownFunction reports whether CSS writes the space as a function of its own and not by color().
func (s space) ownFunction() bool { return s >= spaceHSL && s <= spaceOKLCH }

// percentages reports whether the second and third component are percentages, from 0 to 100.
func (s space) percentages() bool { return s == spaceHSL || s == spaceHWB }

// hueAt returns the index of the component that is an angle, -1 if there is none.
func (s space) hueAt() int {
	switch s {
	case spaceHSL, spaceHWB:
		return 0
	case spaceLCH, spaceOKLCH:
		return 2
	}
	return -1
}

// whole returns what 100% of a component stands for in CSS functional notation.
func (s space) whole(component int) float64 {
	switch {
	case s.percentages(), component == 0 && (s == spaceLab || s == spaceLCH):
		return 100
	case s == spaceLab:
		return 125
	case s == spaceLCH:
		return 150
	case component > 0 && (s == spaceOKLab || s == spaceOKLCH):
		return 0.4
	}
	return 1
}

// colour is a colour in the space it was written in. The components of hsl and hwb are degrees and
// percentages; lightness of lab and lch goes to 100, of oklab and oklch to 1.
type colour struct {
	space space
	c     [3]float64
	none  [4]bool // which components, and last the alpha, are missing: "none"
	alpha float64 // from 0 to 1
}

// missing reports whether any component is "none".
func (c *colour) missing() bool { return c.none != [4]bool{} }

// appendAuthored appends c as CSS Color 4 writes it; what is plain sRGB in its older syntax.
func appendAuthored(dst []byte, c *colour) []byte {
	if c.space == spaceSRGB && !c.missing() {
		return appendSRGB(dst, c.bytes(), c.alpha)
	}
	if !c.space.ownFunction() {
		dst = append(dst, "color("...)
	}
	dst = append(dst, spaceNames[c.space]...)
	separator := byte('(')
	if !c.space.ownFunction() {
		separator = ' '
	}
	for i, component := range c.c {
		dst = append(dst, separator)
		dst = appendComponent(dst, component, c.none[i])
		if c.space.percentages() && i > 0 && !c.none[i] {
			dst = append(dst, '%')
		}
		separator = ' '
	}
	if c.alpha < 1 || c.none[3] {
		dst = append(dst, " / "...)
		dst = appendComponent(dst, c.alpha, c.none[3])
	}
	return append(dst, ')')
}

func appendComponent(dst []byte, f float64, none bool) []byte {
	if none {
		return append(dst, "none"...)
	}
	return appendFloat(dst, f)
}

// appendSRGB appends "#rrggbb" or, with an alpha below 1, "rgba(r, g, b, a)".
func appendSRGB(dst []byte, rgb [3]uint8, alpha float64) []byte {
	if alpha >= 1 {
		dst = append(dst, '#')
		for _, b := range rgb {
			dst = append(dst, hexDigits[b>>4], hexDigits[b&0xF])
		}
		return dst
	}
	dst = append(dst, "rgba("...)
	for _, b := range rgb {
		dst = appendFloat(dst, float64(b))
		dst = append(dst, ", "...)
	}
	return append(appendFloat(dst, alpha), ')')
}
