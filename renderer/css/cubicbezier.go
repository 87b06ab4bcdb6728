package css

import "example.com/livery/renderer/jsontree"

// easingKeywords are CSS's own names of easings.
const easingKeywords = " ease ease-in ease-in-out ease-out linear step-end step-start "

// appendCubicBezier appends an easing: of four numbers a cubic-bezier(), of a string the keyword or
// easing function that it is.
func appendCubicBezier(dst []byte, v *jsontree.Node) ([]byte, *Misfit) {
	if s, ok := textOf(v); ok {
		if dst, ok = appendEasingText(dst, s); ok {
			return dst, nil
		}
		return dst, misfitText(s, "not an easing")
	}
	if v.Kind != jsontree.Array || len(v.Items()) != 4 {
		return dst, &Misfit{What: "a cubic Bézier has four numbers"}
	}
	var points [4]string
	for i, item := range v.Items() {
		text, ok := numberText(item)
		if !ok {
			return dst, &Misfit{What: "a cubic Bézier has four numbers"}
		}
		points[i] = text
	}
	dst, ok := appendPoints(dst, points)
	if !ok {
		return dst, &Misfit{What: "the first and third number of a cubic Bézier are from 0 to 1"}
	}
	return dst, nil
}

// appendPoints appends the cubic-bezier() of four decimal numbers.
func appendPoints(dst []byte, points [4]string) ([]byte, bool) {
	dst = append(dst, "cubic-bezier("...)
	for i, text := range points {
		f, ok := parseFloat(text)
		if !ok || i%2 == 0 && (f < 0 || f > 1) {
			return dst, false
		}
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst, _ = appendNumber(dst, text)
	}
	return append(dst, ')'), true
}

// appendEasingText appends the easing that s spells, or leaves dst as it was.
func appendEasingText(dst []byte, s string) ([]byte, bool) {
	if word := easingKeyword(s); word != "" {
		return append(dst, word...), true
	}
	if n := liveEnd(s, easingFunctions); n == 0 || n != len(s) {
		return dst, false
	}
	start := len(dst)
	if functionName(s) != "cubic-bezier" || browserComputes("", s) {
		return append(dst, s...), true
	}
	parts := split(s[len("cubic-bezier("):len(s)-1], ',')
	if len(parts) != 4 {
		return dst, false
	}
	for _, part := range parts {
		if n := numberEnd(part); n == 0 || n != len(part) {
			return dst, false
		}
	}
	dst, ok := appendPoints(dst, [4]string(parts))
	if !ok {
		return dst[:start], false
	}
	return dst, true
}

// easingKeyword returns the keyword that s spells, also as "easeInOut" or "ease_in_out", else "".
func easingKeyword(s string) string {
	word := lower(s)
	if listed(easingKeywords, word) {
		return word
	}
	switch squeezed(word) {
	case "easein":
		return "ease-in"
	case "easeout":
		return "ease-out"
	case "easeinout":
		return "ease-in-out"
	}
	return ""
}
