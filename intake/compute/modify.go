package compute

import (
	"math"
	"slices"
	"strconv"
)

// modifier is what Tokens Studio does to a colour.
type modifier struct {
	kind, space, format string
	amount              float64
	with                string // the other colour of a mix
}

// apply returns the modified colour as CSS; ok is false if it cannot be computed as Tokens Studio does.
func (m modifier) apply(text string) (modified string, ok bool) {
	c, ok := parse(text)
	if !ok || !slices.Contains([]string{lch, srgb, p3, hsl}, m.space) || !c.isInside(m.space) {
		return "", false
	}
	switch m.kind {
	case "lighten", "darken":
		c = m.shift(c)
	case "alpha":
		c.alpha = unit(m.amount)
	case "mix":
		other, isColor := parse(m.with)
		if !isColor || !other.isInside(m.space) {
			return "", false
		}
		c = m.mix(c, other)
	default:
		return "", false
	}
	space := m.space
	if m.format != "" && m.format != "hex" {
		space = m.format
	}
	switch {
	case m.format == "hex":
		return c.hex(), c.isInside(srgb)
	case !slices.Contains([]string{lch, srgb, p3, hsl}, space) || !c.isInside(space):
		return "", false
	}
	return c.spell(space), true
}

// shift moves a colour towards white or black, by a part of the way.
func (m modifier) shift(c color) color {
	v, lighter := c.in(m.space), m.kind == "lighten"
	switch m.space {
	case lch:
		v[0], v[1] = towards(v[0], 100, lighter, m.amount), max(0, v[1]-m.amount*v[1])
	case hsl:
		v[2] = towards(v[2], 100, lighter, m.amount)
	default:
		for i := range v {
			v[i] = towards(v[i], 1, lighter, m.amount)
		}
	}
	return colorIn(m.space, v, c.alpha)
}

func towards(x, end float64, up bool, amount float64) float64 {
	if up {
		return min(end, x+amount*(end-x))
	}
	return max(0, x-amount*x)
}

// mix returns the colour on the way between two, round the shorter arc of hues.
func (m modifier) mix(a, b color) color {
	part := unit(m.amount)
	from, to := a.in(m.space), b.in(m.space)
	hue := map[string]int{lch: 2, hsl: 0}
	if i, ok := hue[m.space]; ok {
		switch {
		case math.IsNaN(from[i]):
			from[i] = to[i]
		case math.IsNaN(to[i]):
			to[i] = from[i]
		case to[i]-from[i] > 180:
			from[i] += 360
		case to[i]-from[i] < -180:
			to[i] += 360
		}
	}
	var v vector
	for i := range v {
		v[i] = from[i] + part*(to[i]-from[i])
	}
	if i, ok := hue[m.space]; ok && !math.IsNaN(v[i]) {
		v[i] = math.Mod(v[i], 360)
	}
	return colorIn(m.space, v, a.alpha+part*(b.alpha-a.alpha))
}

// number reads the amount of a modifier, as a part of one or in percent.
func number(text string) (float64, bool) {
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}
