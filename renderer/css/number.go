package css

import (
	"math"
	"strconv"

	"example.com/livery/renderer/jsontree"
)

// exactDigits is the number of significant digits that every decimal survives in a float64: up to
// here the text itself is the shortest form that reads back as the same number.
const exactDigits = 15

// appendNumber appends the decimal number text in the shortest form that reads back as the same
// float64, without exponent and without "-0". It reports false if no float64 holds the number.
func appendNumber(dst []byte, text string) ([]byte, bool) {
	if shortest(text) {
		return append(dst, text...), true
	}
	f, ok := parseFloat(text)
	if !ok {
		return dst, false
	}
	return appendFloat(dst, f), true
}

// shortest reports whether text needs no rewriting: no exponent, no outer zeros, few digits.
func shortest(text string) bool {
	s := text
	if s != "" && s[0] == '-' {
		s = s[1:]
	}
	whole := digits(s)
	if whole == 0 || whole > 1 && s[0] == '0' || whole > exactDigits {
		return false
	}
	if whole == len(s) {
		return text != "-0"
	}
	fraction := digits(s[whole+1:])
	return s[whole] == '.' && whole+1+fraction == len(s) &&
		fraction > 0 && s[len(s)-1] != '0' && whole+fraction <= exactDigits
}

// digits counts the ASCII digits that s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// appendFloat appends a finite f.
func appendFloat(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0') // also for -0
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

// appendPercentage appends the part f of a whole as a percentage.
func appendPercentage(dst []byte, f float64) []byte {
	const grid = 1e6 // what the multiplication adds stays far below
	return append(appendFloat(dst, math.Round(f*100*grid)/grid), '%')
}

// numberEnd returns the length of the CSS number that s begins with, 0 if there is none.
func numberEnd(s string) int {
	at := 0
	if s != "" && (s[0] == '-' || s[0] == '+') {
		at = 1
	}
	whole := digits(s[at:])
	at += whole
	if at < len(s) && s[at] == '.' {
		fraction := digits(s[at+1:])
		if fraction > 0 {
			at += 1 + fraction
			whole += fraction
		}
	}
	if whole == 0 {
		return 0
	}
	return at + exponent(s[at:])
}

// exponent returns the length of the exponent that s begins with; "em" begins with none.
func exponent(s string) int {
	if s == "" || s[0]|0x20 != 'e' {
		return 0
	}
	sign := 1
	if len(s) > 1 && (s[1] == '-' || s[1] == '+') {
		sign = 2
	}
	n := digits(s[sign:])
	if n == 0 {
		return 0
	}
	return sign + n
}

// numberText returns the number that v spells, be it a JSON number or a string of one.
func numberText(v *jsontree.Node) (string, bool) {
	if v == nil {
		return "", false
	}
	if v.Kind == jsontree.Number {
		return v.Text, true
	}
	s, ok := textOf(v)
	return s, ok && s != "" && numberEnd(s) == len(s)
}

// floatOf returns the number that v spells, if a float64 holds it.
func floatOf(v *jsontree.Node) (float64, bool) {
	s, ok := numberText(v)
	if !ok {
		return 0, false
	}
	return parseFloat(s)
}

// parseFloat reads a decimal number that is finite.
func parseFloat(s string) (float64, bool) {
	if f, ok := exactFloat(s); ok {
		return f, true
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && f-f == 0
}

// powers are the powers of ten by which the digits of a short decimal are divided, each a float64 itself.
var powers = [exactDigits + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// exactFloat reads a decimal of a few digits without an exponent, as nearly every component of a colour is: its digits and
// the power of ten are exact, so that one division rounds as strconv does, at a tenth of its cost.
func exactFloat(s string) (float64, bool) {
	if len(s) > exactDigits+len(".") {
		return 0, false
	}
	digits, point := len(s), 0
	value := uint64(0)
	for i := range len(s) {
		if c := s[i] - '0'; c <= 9 {
			value = value*10 + uint64(c)
			continue
		}
		if s[i] != '.' || point > 0 || i == 0 || i == len(s)-1 {
			return 0, false
		}
		point, digits = i+1, len(s)-len(".")
	}
	if digits == 0 || digits > exactDigits {
		return 0, false
	}
	if point == 0 {
		return float64(value), true
	}
	return float64(value) / powers[len(s)-point], true
}
