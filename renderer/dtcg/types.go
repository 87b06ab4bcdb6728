package dtcg

import "example.com/livery/renderer/css"

// standardTypes are the types of DTCG 2025.10.
var standardTypes = []string{
	"color", "dimension", "fontFamily", "fontWeight", "duration", "cubicBezier", "number",
	"strokeStyle", "border", "transition", "shadow", "gradient", "typography",
}

// TypeNames returns the 13 standard types, for messages. The caller may keep and change the result.
func TypeNames() []string { return append([]string(nil), standardTypes...) }

// KindOf returns what values of a $type are rendered as; ok is false for an unknown $type. Beside
// the standard types it knows those that real files use ("Types" in the rendering rules).
func KindOf(typ string) (k css.Kind, ok bool) {
	switch typ {
	case "color":
		return css.Color, true
	case "dimension", "spacing", "sizing", "size", "space", "borderRadius", "borderWidth", "fontSizes", "fontSize",
		"letterSpacing", "letterSpacings", "paragraphSpacing", "paragraphIndent", "radius":
		return css.Dimension, true
	case "fontFamily", "fontFamilies":
		return css.FontFamily, true
	case "fontWeight", "fontWeights":
		return css.FontWeight, true
	case "duration", "time":
		return css.Duration, true
	case "cubicBezier", "cubic-bezier":
		return css.CubicBezier, true
	case "number":
		return css.Number, true
	case "opacity", "percentage", "lineHeights", "lineHeight":
		return css.NumberOrDimension, true
	case "string", "text", "other", "link", "asset", "content", "custom-string", "textCase", "textDecoration", "mediaQuery":
		return css.String, true
	case "boolean":
		return css.Boolean, true
	}
	return compositeKind(typ)
}

func compositeKind(typ string) (css.Kind, bool) {
	switch typ {
	case "strokeStyle":
		return css.StrokeStyle, true
	case "border":
		return css.Border, true
	case "transition":
		return css.Transition, true
	case "shadow", "boxShadow":
		return css.Shadow, true
	case "gradient":
		return css.Gradient, true
	case "typography":
		return css.Typography, true
	}
	return css.Unknown, false
}
