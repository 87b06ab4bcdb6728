package css

import "math"

// The transfer functions are built from square, cube and fifth roots, not from math.Pow: its
// exponential is written in assembly on some machines, and every machine must give the same bytes.

// decodeSRGB makes a gamma-encoded sRGB or Display P3 component linear.
func decodeSRGB(x float64) float64 {
	if x <= 0.04045 {
		return x / 12.92
	}
	return power24((x + 0.055) / 1.055)
}

// encodeSRGB is the inverse of decodeSRGB.
func encodeSRGB(x float64) float64 {
	if x <= 0.0031308 {
		return 12.92 * x
	}
	twelfth := math.Sqrt(math.Sqrt(math.Cbrt(x)))
	square := twelfth * twelfth
	return float64(1.055*(square*square*twelfth)) - 0.055
}

// decodeRec2020 makes a Rec. 2020 component linear: a display's gamma of 2.4, as CSS Color 4 has it.
func decodeRec2020(x float64) float64 { return power24(x) }

// decodeA98 makes an Adobe RGB (1998) component linear: gamma 563/256, which is 2 + 51/256.
func decodeA98(x float64) float64 {
	y, root := x*x, x
	for bit := 7; bit >= 0; bit-- {
		root = math.Sqrt(root)
		if 51>>bit&1 == 1 {
			y *= root
		}
	}
	return y
}

// decodeProPhoto makes a ProPhoto RGB component linear: gamma 1.8.
func decodeProPhoto(x float64) float64 {
	if x <= 16./512 {
		return x / 16
	}
	root := fifthRoot(x)
	square := root * root
	return x * square * square
}

// power24 raises x, from 0 on, to the power of 2.4.
func power24(x float64) float64 {
	root := fifthRoot(x)
	return x * x * root * root
}

// fifthRoot returns the fifth root of x, from 0 on, by Newton's method from a guess that divides
// the exponent.
func fifthRoot(x float64) float64 {
	if x == 0 {
		return 0
	}
	const bias = 1023 << 52
	root := math.Float64frombits((math.Float64bits(x)-bias)/5 + bias)
	if x < 1 {
		root = math.Float64frombits(bias - (bias-math.Float64bits(x))/5)
	}
	for range 6 {
		square := root * root
		root -= (root - x/(square*square)) / 5
	}
	return root
}
