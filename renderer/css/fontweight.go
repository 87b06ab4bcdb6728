package css

import (
	"strings"

	"example.com/livery/renderer/jsontree"
)

// weights are the names of weights, as DTCG and design tools spell them but for case, blanks,
// hyphens and underscores.
var weights = [...]struct{ names, weight string }{
	{" thin hairline ", "100"},
	{" extralight ultralight ", "200"},
	{" light ", "300"},
	{" normal regular book roman plain ", "400"},
	{" medium ", "500"},
	{" semibold demibold demi semi ", "600"},
	{" bold ", "700"},
	{" extrabold ultrabold ", "800"},
	{" black heavy ", "900"},
	{" extrablack ultrablack extraheavy ultraheavy ", "950"},
	{" bolder ", "bolder"},
	{" lighter ", "lighter"},
}

// appendFontWeight appends a number from 1 to 1000, or what a name stands for.
func appendFontWeight(dst []byte, v *jsontree.Node) ([]byte, *Misfit) {
	if text, ok := numberText(v); ok {
		f, ok := floatOf(v)
		if !ok || f < 1 || f > 1000 {
			return dst, &Misfit{What: "a font weight is a number from 1 to 1000"}
		}
		dst, _ = appendNumber(dst, text)
		return dst, nil
	}
	s, ok := textOf(v)
	if !ok {
		return dst, &Misfit{What: "not a font weight"}
	}
	if weight := weightByName(s); weight != "" {
		return append(dst, weight...), nil
	}
	if n := liveEnd(s, mathFunctions); n > 0 && n == len(s) {
		return append(dst, s...), nil
	}
	return dst, misfitText(s, "not a font weight")
}

// weightByName returns the weight that a name like "Semi Bold Italic" stands for, else "".
func weightByName(s string) string {
	name := squeezed(s)
	for _, slant := range [...]string{"italic", "oblique"} {
		if upright, slanted := strings.CutSuffix(name, slant); slanted {
			if name = upright; name == "" {
				return "400"
			}
		}
	}
	for _, w := range weights {
		if listed(w.names, name) {
			return w.weight
		}
	}
	return ""
}
