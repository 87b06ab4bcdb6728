package css

import "math"

// maxComponent bounds components before they are converted, so that no product overflows.
const maxComponent = 1e6

// bytes returns c in 8-bit sRGB, gamut-mapped as CSS Color 4 does it if sRGB cannot show c.
func (c *colour) bytes() [3]uint8 {
	if c.space == spaceSRGB && !c.missing() && shows(c.c) {
		return [3]uint8{toByte(c.c[0]), toByte(c.c[1]), toByte(c.c[2])}
	}
	bounded := *c
	for i, f := range c.c {
		bounded.c[i] = math.Max(-maxComponent, math.Min(maxComponent, f))
		if c.none[i] {
			bounded.c[i] = 0
		}
	}
	encoded := bounded.encoded()
	if !shows(encoded) {
		encoded = mapped(intoGamut(bounded.linear()), encodeSRGB)
	}
	var rgb [3]uint8
	for i, f := range encoded {
		rgb[i] = toByte(f)
	}
	return rgb
}

// toByte rounds after a rounding far below the precision of a byte, so that an exact half rounds up
// however the last bits of its computation fell.
func toByte(f float64) uint8 {
	const grid = 1 << 20
	return uint8(math.Floor(math.Round(clamped(f)*255*grid)/grid + 0.5))
}

// clamped returns f within 0 and 1, and what is not a number as it is.
func clamped(f float64) float64 {
	switch {
	case f > 1:
		return 1
	case f <= 0:
		return 0
	}
	return f
}

// shows reports whether sRGB shows a colour, linear or encoded, but for rounding errors.
func shows(v vector) bool {
	const slack = 1e-7
	for _, f := range v {
		if !(f >= -slack && f <= 1+slack) {
			return false
		}
	}
	return true
}

func clip(v vector) vector { return vector{clamped(v[0]), clamped(v[1]), clamped(v[2])} }

// intoGamut brings a linear-light sRGB colour into sRGB (CSS Color 4, "CSS gamut mapping"): it
// reduces the chroma in OKLCH until clipping makes no difference that can be noticed.
func intoGamut(linear vector) vector {
	const noticeable, precision = 0.02, 0.0001
	const rounding = 1e-9 // a lightness of 1 that went through the matrices
	origin := okLab(linear)
	if origin[0] >= 1-rounding {
		return vector{1, 1, 1}
	}
	if !(origin[0] > rounding) {
		return vector{}
	}
	clipped := clip(linear)
	if distance(okLab(clipped), origin) < noticeable {
		return clipped
	}
	// The chroma as a part of the original one.
	full := math.Sqrt(float64(origin[1]*origin[1]) + float64(origin[2]*origin[2]))
	low, high, lowShows := 0., 1., true
	for (high-low)*full > precision {
		middle := (low + high) / 2
		current := vector{origin[0], origin[1] * middle, origin[2] * middle}
		linear = xyzToSRGB.times(okLabToXYZ(current))
		if lowShows && shows(linear) {
			low = middle
			continue
		}
		clipped = clip(linear)
		switch gap := distance(okLab(clipped), current); {
		case gap >= noticeable:
			high = middle
		case noticeable-gap < precision:
			return clipped
		default:
			low, lowShows = middle, false
		}
	}
	return clipped
}

// distance is deltaEOK.
func distance(a, b vector) float64 {
	sum := 0.
	for i := range a {
		sum += float64((a[i] - b[i]) * (a[i] - b[i]))
	}
	return math.Sqrt(sum)
}
