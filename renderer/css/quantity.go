package css

import "example.com/livery/renderer/jsontree"

// measure is what a number with a unit measures; measures are combined as a set of bits.
type measure uint8

const (
	pure    measure = 1 << iota // no unit
	length                      // px, rem, vh, cqw and so on
	percent                     // %
	angle
	flex // fr
	time
	live measure = 0 // only the browser can tell: var(), calc()
)

// measureOf returns what a lower-case unit measures, live if CSS has no such unit.
func measureOf(unit string) measure {
	switch unit {
	case "cap", "ch", "cm", "cqb", "cqh", "cqi", "cqmax", "cqmin", "cqw", "dvb", "dvh", "dvi", "dvmax", "dvmin", "dvw",
		"em", "ex", "ic", "in", "lh", "lvb", "lvh", "lvi", "lvmax", "lvmin", "lvw", "mm", "pc", "pt", "px", "q",
		"rcap", "rch", "rem", "rex", "ric", "rlh", "svb", "svh", "svi", "svmax", "svmin", "svw", "vb", "vh", "vi",
		"vmax", "vmin", "vw":
		return length
	case "%":
		return percent
	case "ms", "s":
		return time
	case "deg", "grad", "rad", "turn":
		return angle
	case "fr":
		return flex
	}
	return live
}

// quantity is what one numeric place of CSS takes.
type quantity struct {
	what        string  // for misfits
	measures    measure // the set of measures; pure if a number may stay without a unit
	bare        string  // the unit that a number without one gets, "" for none
	keywords    string  // for listed
	auto        string  // what the keyword auto is written as, "" for itself
	max         int     // how many values one string may hold
	nonNegative bool
}

const sizes = " auto fit-content max-content medium min-content none normal stretch thick thin " +
	"larger large small smaller x-large x-small xx-large xx-small xxx-large" + wideKeywords

var (
	dimension = quantity{
		what: "not a dimension", measures: length | percent | angle | flex, bare: "px", keywords: sizes, max: 4,
	}
	numberOrDimension = quantity{
		what: "not a number or a dimension", measures: pure | length | percent | angle | flex, keywords: sizes, max: 1,
	}
	number        = quantity{what: "not a number", measures: pure, max: 1}
	duration      = quantity{what: "not a duration", measures: time, bare: "ms", max: 1}
	lapse         = quantity{what: "not a duration", measures: time, bare: "ms", max: 1, nonNegative: true}
	offset        = quantity{what: "not a length", measures: length, bare: "px", max: 1}
	blurRadius    = quantity{what: "not a length from 0 on", measures: length, bare: "px", max: 1, nonNegative: true}
	lineWidth     = quantity{what: "not a line width", measures: length, bare: "px", keywords: " medium thick thin ", max: 1, nonNegative: true}
	letterSpacing = quantity{what: "not a letter spacing", measures: length | percent, bare: "px", keywords: " normal ", max: 1}
	lineHeight    = quantity{
		what: "not a line height", measures: pure | length | percent, max: 1, nonNegative: true,
		keywords: " auto normal ", auto: "normal", // design tools say AUTO
	}
	fontSize = quantity{
		what: "not a font size", measures: length | percent, bare: "px", max: 1, nonNegative: true,
		keywords: " large larger medium small smaller x-large x-small xx-large xx-small xxx-large ",
	}
)

// appendQuantity appends v, a number, a string or {value, unit}, as q takes it.
func appendQuantity(dst []byte, q *quantity, v *jsontree.Node) ([]byte, *Misfit) {
	ok := false
	switch v.Kind {
	case jsontree.Number:
		dst, ok = q.appendMeasured(dst, v.Text, "")
	case jsontree.Object:
		dst, ok = q.appendObject(dst, v)
	case jsontree.String:
		s, _ := textOf(v)
		if dst, ok = q.appendText(dst, s); !ok {
			return dst, misfitText(s, q.what)
		}
	}
	if !ok {
		return dst, &Misfit{What: q.what}
	}
	return dst, nil
}

func (q *quantity) appendObject(dst []byte, v *jsontree.Node) ([]byte, bool) {
	number, name := quantityParts(v)
	unit, ok := textOf(name)
	if !ok {
		return dst, false
	}
	value, ok := numberText(number)
	if !ok {
		return dst, false
	}
	return q.appendMeasured(dst, value, unit)
}

// quantityParts returns the members value and unit of v.
func quantityParts(v *jsontree.Node) (value, unit *jsontree.Node) {
	if len(v.Members) > 4 {
		return v.Find("value"), v.Find("unit")
	}
	for i := range v.Members {
		switch m := &v.Members[i]; m.Name {
		case "value":
			value = m.Value
		case "unit":
			unit = m.Value
		}
	}
	return value, unit
}

// appendMeasured appends the number text with its unit, or with the one it gets for having none.
func (q *quantity) appendMeasured(dst []byte, text, unit string) ([]byte, bool) {
	if unit == "" && q.bare == "" {
		if q.measures&pure == 0 {
			return dst, false
		}
	} else if unit == "px" && q.measures&length != 0 { // as most are
	} else if unit = lower(unit); unit == "" {
		unit = q.bare
	} else if measureOf(unit)&q.measures == 0 {
		return dst, false
	}
	start := len(dst)
	dst, ok := appendNumber(dst, text)
	if !ok || q.nonNegative && dst[start] == '-' {
		return dst, false
	}
	return append(dst, unit...), true
}

// appendText appends a keyword, a number with or without a unit, or an expression.
func (q *quantity) appendText(dst []byte, s string) ([]byte, bool) {
	if word := lower(s); listed(q.keywords, word) {
		if word == "auto" && q.auto != "" {
			word = q.auto
		}
		return append(dst, word...), true
	}
	if n := numberEnd(s); n > 0 && (n == len(s) || measureOf(lower(s[n:])) != live) {
		return q.appendMeasured(dst, s[:n], s[n:])
	}
	return q.appendExpression(dst, s)
}

// try is appendText for one part of a composite's older string form: dst comes back as it was if
// the part is not such a quantity.
func (q *quantity) try(dst []byte, s string) ([]byte, bool) {
	start := len(dst)
	dst, ok := q.appendText(dst, s)
	if !ok {
		return dst[:start], false
	}
	return dst, true
}

// takes reports whether q takes the text s.
func (q *quantity) takes(s string) bool {
	_, ok := q.try(nil, s)
	return ok
}
