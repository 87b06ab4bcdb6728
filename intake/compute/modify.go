package compute

import (
	"math"
	"slices"
	"strconv"

	"example.com/livery/renderer/css"
)

// modifier is what Tokens Studio does to a colour.
type modifier struct {
	kind, space, format string
	amount              float64
	with                string // the other colour of a mix
}

// spaces are the names that Tokens Studio has for the spaces in which it modifies colours.
var spaces = map[string]string{"srgb": "srgb", "p3": "display-p3", "hsl": "hsl", "lch": "lch"}

// apply returns the modified colour as CSS; ok is false if it cannot be computed as Tokens Studio does.
func (m modifier) apply(text string) (modified string, ok bool) {
	c, ok := parseIn(m.space, text)
	if !ok {
		return "", false
	}
	switch m.kind {
	case "lighten", "darken":
		c = m.shift(c)
	case "alpha":
		c.Alpha = clamp(m.amount)
	case "mix":
		other, isColor := parseIn(m.space, m.with)
		if !isColor {
			return "", false
		}
		c = m.mix(c, other)
	default:
		return "", false
	}
	switch m.format {
	case "":
		return spell(c), true
	case "hex":
		return string(c.AppendHex(nil)), isInside(c)
	}
	c, ok = c.In(spaces[m.format])
	return spell(c), ok && isInside(c)
}

// parseIn reads a colour as one of a space, which must be able to show it.
func parseIn(space, text string) (css.ColorValue, bool) {
	c, ok := css.ParseColor(text)
	if ok {
		c, ok = c.In(spaces[space])
	}
	return c, ok && isInside(c)
}

// isInside reports whether the space of a colour can show it, but for what rounding makes of it. That of lch can show all, and hsl those
// of sRGB.
func isInside(c css.ColorValue) bool {
	if c.Space == "lch" {
		return true
	}
	if c.Space != "display-p3" {
		c, _ = c.In("srgb")
	}
	return !slices.ContainsFunc(c.Components[:], func(x float64) bool { return x < -1e-4 || x > 1+1e-4 })
}

// shift moves a colour towards white or black, by a part of the way.
func (m modifier) shift(c css.ColorValue) css.ColorValue {
	v := &c.Components
	switch c.Space {
	case "lch":
		v[0], v[1] = m.towards(v[0], 100), max(0, v[1]-m.amount*v[1])
	case "hsl":
		v[2] = m.towards(v[2], 100)
	default:
		for i := range v {
			v[i] = m.towards(v[i], 1)
		}
	}
	return c
}

func (m modifier) towards(x, end float64) float64 {
	if m.kind == "lighten" {
		return min(end, x+m.amount*(end-x))
	}
	return max(0, x-m.amount*x)
}

// mix returns the colour on the way between two of one space, round the shorter arc of hues.
func (m modifier) mix(from, to css.ColorValue) css.ColorValue {
	part, a, b := clamp(m.amount), &from.Components, &to.Components
	hue, hasHue := map[string]int{"lch": 2, "hsl": 0}[from.Space]
	if hasHue {
		switch {
		case math.IsNaN(a[hue]):
			a[hue] = b[hue]
		case math.IsNaN(b[hue]):
			b[hue] = a[hue]
		case b[hue]-a[hue] > 180:
			a[hue] += 360
		case b[hue]-a[hue] < -180:
			b[hue] += 360
		}
	}
	for i := range a {
		a[i] += part * (b[i] - a[i])
	}
	if hasHue {
		a[hue] = math.Mod(a[hue], 360)
	}
	from.Alpha += part * (to.Alpha - from.Alpha)
	return from
}

// spell writes a colour as CSS, with five digits. Parts of sRGB are in percent.
func spell(c css.ColorValue) string {
	for i := range c.Components {
		x := &c.Components[i]
		if c.Space == "srgb" || c.Space == "display-p3" {
			*x = clamp(*x)
		}
		if c.Space == "srgb" {
			*x *= 100
		}
		if *x = round(*x); *x == 360 { // a hue
			*x = 0
		}
	}
	c.Alpha = round(c.Alpha)
	if c.Space != "srgb" {
		return string(c.Append(nil))
	}
	text := "rgb("
	for i, x := range c.Components {
		if i > 0 {
			text += " "
		}
		text += strconv.FormatFloat(x, 'f', -1, 64) + "%"
	}
	if c.Alpha < 1 {
		text += " / " + strconv.FormatFloat(c.Alpha, 'f', -1, 64)
	}
	return text + ")"
}

func clamp(x float64) float64 { return max(0, min(1, x)) }

// round returns a number with five digits.
func round(x float64) float64 {
	if math.Abs(x) < 1e-9 {
		return 0
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 5, 64), 64)
	return rounded
}
