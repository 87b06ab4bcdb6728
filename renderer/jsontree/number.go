package jsontree

import "strings"

// equalNumbers compares two JSON number spellings by value without ever expanding an exponent:
// each is reduced to sign, digits without outer zeros, and the decimal exponent of the last digit.
func equalNumbers(a, b string) bool {
	if a == b {
		return true
	}
	an, ad, ae := reduce(a)
	bn, bd, be := reduce(b)
	if ad == "" || bd == "" { // zero, whatever its sign and exponent
		return ad == bd
	}
	return an == bn && ad == bd && ae == be
}

// reduce returns the sign, the significant digits and the exponent (a decimal spelling, so that
// no size of exponent overflows) of a JSON number.
func reduce(s string) (negative bool, digits, exponent string) {
	if strings.HasPrefix(s, "-") {
		negative, s = true, s[1:]
	}
	mantissa, exp := s, ""
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		mantissa, exp = s[:i], s[i+1:]
	}
	whole, fraction := mantissa, ""
	if i := strings.IndexByte(mantissa, '.'); i >= 0 {
		whole, fraction = mantissa[:i], mantissa[i+1:]
	}
	digits = strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	shift := len(digits) - len(trimmed) - len(fraction)
	return negative, trimmed, addDecimal(exp, shift)
}

// addDecimal adds a small int to a decimal spelling of any length.
func addDecimal(exp string, shift int) string {
	negative := strings.HasPrefix(exp, "-")
	exp = strings.TrimLeft(strings.TrimLeft(exp, "+-"), "0")
	if len(exp) > 15 { // out of reach of any shift a document of this size can make
		if negative {
			return "-" + exp
		}
		return exp
	}
	n := int64(0)
	for i := range len(exp) {
		n = n*10 + int64(exp[i]-'0')
	}
	if negative {
		n = -n
	}
	return appendInt(n + int64(shift))
}

func appendInt(n int64) string {
	if n == 0 {
		return "0"
	}
	var buf [20]byte
	i, negative := len(buf), n < 0
	if negative {
		n = -n
	}
	for ; n > 0; n /= 10 {
		i--
		buf[i] = byte('0' + n%10)
	}
	if negative {
		i--
		buf[i] = '-'
	}
	return string(buf[i:])
}
