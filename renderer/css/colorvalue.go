package css

import (
	"math"
	"slices"
)

// ColorValue is a colour in a space of DTCG 2025.10, for programs that compute with colours.
type ColorValue struct {
	Space      string     // as DTCG spells it
	Components [3]float64 // in the units of the space, as CSS writes them; one that is not a number is missing: "none"
	Alpha      float64    // from 0 to 1
}

// ParseColor reads a colour of CSS whose value is known without a browser, or a design tool's rgba(#rrggbb, 50%).
func ParseColor(text string) (ColorValue, bool) {
	c, reading := readColorText(trim(text))
	v := ColorValue{spaceNames[c.space], c.c, c.alpha}
	for i := range v.Components {
		if c.none[i] {
			v.Components[i] = math.NaN()
		}
	}
	return v, reading == colorText || reading == toolText
}

// colour returns the colour as the rest of the package has it; missing components are 0.
func (v ColorValue) colour() (c colour, ok bool) {
	c = colour{c: v.Components, alpha: v.Alpha}
	for i, f := range c.c {
		if c.none[i] = math.IsNaN(f); c.none[i] {
			c.c[i] = 0
		}
	}
	c.space, ok = spaceByName(v.Space)
	return c, ok
}

// In returns the colour in srgb, hsl, lch or display-p3, perhaps outside of its gamut. A grey has no hue there. ok is false for another space.
func (v ColorValue) In(space string) (converted ColorValue, ok bool) {
	c, ok := v.colour()
	if !ok || v.Space == space {
		return v, ok
	}
	v.Space = space
	switch space {
	case "srgb":
		v.Components = c.encoded()
	case "hsl":
		v.Components = srgbToHSL(c.encoded())
	case "lch":
		v.Components = xyzToLCH(srgbToXYZ.times(c.linear()))
	case "display-p3":
		v.Components = mapped(xyzToP3.times(srgbToXYZ.times(c.linear())), encodeSRGB)
	default:
		return v, false
	}
	return v, true
}

// Append appends the colour as CSS Color 4 writes its space.
func (v ColorValue) Append(dst []byte) []byte {
	c, _ := v.colour()
	return appendAuthored(dst, &c)
}

// AppendHex appends the colour as #rrggbb, or as #rrggbbaa if it is translucent. What sRGB cannot show is gamut-mapped.
func (v ColorValue) AppendHex(dst []byte) []byte {
	c, _ := v.colour()
	bytes := c.bytes()
	parts := bytes[:]
	if v.Alpha < 1 {
		parts = append(parts, toByte(v.Alpha))
	}
	dst = append(dst, '#')
	for _, b := range parts {
		dst = append(dst, hexDigits[b>>4], hexDigits[b&0xF])
	}
	return dst
}

var (
	xyzToP3 = matrix{
		{446124. / 178915, -333277. / 357830, -72051. / 178915},
		{-14852. / 17905, 63121. / 35810, 423. / 17905},
		{11844. / 330415, -50337. / 660830, 316169. / 330415},
	}
	d65ToD50 = matrix{
		{1.0479297925449969, 0.022946870601609652, -0.05019226628920524},
		{0.02962780877005599, 0.9904344267538799, -0.017073799063418826},
		{-0.009243040646204504, 0.015055191490298152, 0.7518742814281371},
	}
)

func srgbToHSL(v vector) vector {
	most, least := slices.Max(v[:]), slices.Min(v[:])
	light, spread := (most+least)/2, most-least
	if spread < 1e-9 {
		return vector{math.NaN(), 0, 100 * light}
	}
	hue, saturation := 0., 0.
	switch most {
	case v[0]:
		hue = (v[1] - v[2]) / spread
	case v[1]:
		hue = (v[2]-v[0])/spread + 2
	default:
		hue = (v[0]-v[1])/spread + 4
	}
	if light > 0 && light < 1 {
		saturation = (most - light) / min(light, 1-light)
	}
	return vector{turned(60 * hue), 100 * saturation, 100 * light}
}

// xyzToLCH returns lightness, chroma and hue of XYZ with the white of D65.
func xyzToLCH(xyz vector) vector {
	const kappa, epsilon, grey = 24389. / 27, 216. / 24389, 0.02
	f := d65ToD50.times(xyz)
	for i := range f {
		if f[i] /= whiteD50[i]; f[i] > epsilon {
			f[i] = math.Cbrt(f[i])
		} else {
			f[i] = (float64(kappa*f[i]) + 16) / 116
		}
	}
	a, b, hue := 500*(f[0]-f[1]), 200*(f[1]-f[2]), math.NaN()
	if math.Abs(a) >= grey || math.Abs(b) >= grey {
		hue = turned(math.Atan2(b, a) * (180 / math.Pi))
	}
	return vector{float64(116*f[1]) - 16, math.Hypot(a, b), hue}
}
