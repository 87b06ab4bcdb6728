package css

import (
	"strconv"

	"example.com/livery/renderer/jsontree"
)

// shadowParts are what a shadow object has besides being inset.
var shadowParts = []part{
	{name: "offsetX", otherName: "x", quantity: &offset},
	{name: "offsetY", otherName: "y", quantity: &offset},
	{name: "blur", otherName: "blurRadius", quantity: &blurRadius, optional: true, fallback: "0px"},
	{name: "spread", otherName: "spreadRadius", quantity: &offset, optional: true, fallback: "0px"},
	{name: "color", kind: Color},
}

// appendShadow appends "[inset] x y blur spread color" for each layer. Without a layer it appends none.
func appendShadow(dst []byte, v *jsontree.Node, f *form) ([]byte, *Misfit) {
	if v.Kind != jsontree.Array {
		return appendShadowLayer(dst, v, f)
	}
	if len(v.Items()) == 0 {
		return append(dst, "none"...), nil
	}
	start := len(dst)
	var misfit *Misfit
	for i, layer := range v.Items() {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if s, ok := textOf(layer); ok && lower(s) == "none" && len(v.Items()) > 1 {
			return dst, &Misfit{What: "a shadow layer is none"}
		}
		if dst, misfit = appendShadowLayer(dst, layer, f); misfit != nil {
			misfit.What = "layer " + strconv.Itoa(i+1) + ": " + misfit.What
			return dst, misfit
		}
		if len(dst)-start > maxList {
			return dst, tooLong()
		}
	}
	return dst, nil
}

// appendShadowLayer appends one shadow, or the ones that a string spells.
func appendShadowLayer(dst []byte, v *jsontree.Node, f *form) ([]byte, *Misfit) {
	if s, ok := textOf(v); ok {
		from := len(dst)
		dst, misfit := appendShadowText(dst, s, f)
		f.rewrites(Shadow, v, dst[from:])
		return dst, misfit
	}
	if !v.IsObject() {
		return dst, &Misfit{What: "not a shadow"}
	}
	if isInset(v) {
		dst = append(dst, "inset "...)
	}
	return appendParts(dst, v, shadowParts, f)
}

// isInset reports whether a shadow object is an inner one, as DTCG or as design tools say it.
func isInset(v *jsontree.Node) bool {
	if inset := v.Find("inset"); inset != nil {
		s, _ := textOf(inset)
		return inset.Kind == jsontree.Bool && inset.True || lower(s) == "true"
	}
	s, _ := textOf(v.Find("type"))
	return lower(s) == "innershadow"
}

// appendShadowText appends the shadows that s spells, separated by commas.
func appendShadowText(dst []byte, s string, f *form) ([]byte, *Misfit) {
	if lower(s) == "none" {
		return append(dst, "none"...), nil
	}
	if !safe(s) {
		return dst, misfitText(s, "not a shadow")
	}
	if functionName(s) != "" && listed(liveFunctions, functionName(s)) {
		return append(dst, s...), nil
	}
	for i, layer := range split(s, ',') {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		ok := false
		if dst, ok = appendSpelledShadow(dst, layer, f); !ok {
			return dst, &Misfit{What: "not a shadow"}
		}
	}
	return dst, nil
}

// appendSpelledShadow appends one shadow of two to four lengths in a row, perhaps inset, perhaps
// with a colour, in the order of the object form.
func appendSpelledShadow(dst []byte, s string, f *form) ([]byte, bool) {
	var lengths []string
	color, inset, ended := "", false, false
	for _, part := range split(s, ' ') {
		switch {
		case lower(part) == "inset" && !inset:
			inset = true
			ended = len(lengths) > 0
		case !ended && len(lengths) < 4 && offset.takes(part):
			lengths = append(lengths, part)
		case color == "" && IsColor(part):
			color = part
			ended = len(lengths) > 0
		default:
			return dst, false
		}
	}
	if len(lengths) < 2 {
		return dst, false
	}
	if inset {
		dst = append(dst, "inset "...)
	}
	for i, part := range lengths {
		q, ok := &offset, false
		if i == 2 {
			q = &blurRadius
		}
		if dst, ok = q.try(dst, part); !ok {
			return dst, false
		}
		dst = append(dst, ' ')
	}
	if color != "" {
		dst, _ = appendColorText(dst, color, f)
	}
	return unblank(dst), true
}
