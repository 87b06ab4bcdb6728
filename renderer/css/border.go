package css

import "example.com/livery/renderer/jsontree"

// borderParts are what a border object has; one that names no style is solid.
var borderParts = []part{
	{name: "width", quantity: &lineWidth},
	{name: "style", kind: StrokeStyle, optional: true, fallback: "solid"},
	{name: "color", kind: Color},
}

// appendBorder appends "width style color".
func appendBorder(dst []byte, v *jsontree.Node, f *form) ([]byte, *Misfit) {
	if s, ok := textOf(v); ok {
		return appendBorderText(dst, s, f)
	}
	if v.Kind != jsontree.Object {
		return dst, &Misfit{What: "not a border"}
	}
	return appendParts(dst, v, borderParts, f)
}

// appendBorderText appends the border that s spells: a width, a style and a colour, each at most
// once and in any order.
func appendBorderText(dst []byte, s string, f *form) ([]byte, *Misfit) {
	parts := safeParts(s, 3)
	if parts == nil {
		return dst, misfitText(s, "not a border")
	}
	var width, style, color bool
	for _, part := range parts {
		next, isWidth := lineWidth.try(dst, part)
		switch {
		case isWidth && !width:
			width = true
		case !style && listed(strokeStyles, lower(part)):
			next, style = append(dst, lower(part)...), true
		case !color && IsColor(part):
			next, _ = appendColorText(dst, part, f)
			color = true
		default:
			return dst, &Misfit{What: "not a border"}
		}
		dst = append(next, ' ')
	}
	return unblank(dst), nil
}

// safeParts cuts a safe string into its blank-separated parts; nil if s is unsafe, empty, or has
// more than limit.
func safeParts(s string, limit int) []string {
	if !safe(s) {
		return nil
	}
	parts := split(s, ' ')
	if len(parts) > limit {
		return nil
	}
	return parts
}

// IsColor reports whether s spells a colour, as no keyword does that every property knows.
func IsColor(s string) bool {
	_, reading := readColorText(s)
	return reading != noColorText && !isWide(s)
}
