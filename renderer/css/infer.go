package css

import (
	"strings"

	"example.com/livery/renderer/jsontree"
)

// InferType guesses the DTCG type name of a value from its shape, "" if the shape tells none.
// The first shape that matches wins. v may be nil.
func InferType(v *jsontree.Node) string {
	if v == nil {
		return ""
	}
	switch v.Kind {
	case jsontree.Object:
		return inferObject(v)
	case jsontree.Array:
		return inferArray(v.Items())
	case jsontree.Number:
		return "number"
	case jsontree.Bool:
		return "boolean"
	case jsontree.String:
		return inferText(v)
	}
	return ""
}

func inferObject(v *jsontree.Node) string {
	switch {
	case has(v, "colorSpace"):
		return "color"
	case has(v, "value", "unit"):
		unit, _ := textOf(v.Find("unit"))
		return inferUnit(unit)
	case has(v, "offsetX"):
		return "shadow"
	case has(v, "color", "width", "style"):
		return "border"
	case has(v, "duration", "timingFunction"):
		return "transition"
	case hasTypographyPart(v):
		return "typography"
	case has(v, "dashArray"):
		return "strokeStyle"
	}
	return ""
}

// has reports whether v has all the members.
func has(v *jsontree.Node, names ...string) bool {
	for _, name := range names {
		if v.Find(name) == nil {
			return false
		}
	}
	return true
}

func hasTypographyPart(v *jsontree.Node) bool {
	for i := range typographyParts {
		if v.Find(typographyParts[i].name) != nil {
			return true
		}
	}
	return false
}

func inferUnit(unit string) string {
	switch measureOf(lower(unit)) {
	case time:
		return "duration"
	case live:
		return ""
	}
	return "dimension"
}

func inferArray(items []*jsontree.Node) string {
	every := func(matches func(*jsontree.Node) bool) bool {
		for _, item := range items {
			if item == nil || !matches(item) {
				return false
			}
		}
		return len(items) > 0
	}
	switch {
	case len(items) == 4 && every(func(n *jsontree.Node) bool { return n.Kind == jsontree.Number }):
		return "cubicBezier"
	case every(func(n *jsontree.Node) bool { return has(n, "color", "position") }):
		return "gradient"
	case every(func(n *jsontree.Node) bool { return has(n, "offsetX") }):
		return "shadow"
	case every((*jsontree.Node).IsString):
		return "fontFamily"
	}
	return ""
}

func inferText(v *jsontree.Node) string {
	s, _ := textOf(v)
	if isColorSyntax(s) {
		return "color"
	}
	if n := numberEnd(s); n > 0 && n < len(s) {
		return inferUnit(s[n:])
	}
	if strings.HasPrefix(lower(s), "cubic-bezier(") {
		return "cubicBezier"
	}
	return ""
}

// isColorSyntax reports whether s is written as only a colour is: not var(), and no keyword that
// is an everyday word, as the names of system colours are.
func isColorSyntax(s string) bool {
	switch _, reading := readColorText(s); reading {
	case noColorText:
		return false
	case liveText:
		return lower(s) == "currentcolor" || listed(colorFunctions, functionName(s))
	}
	return true
}
