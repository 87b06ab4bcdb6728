package css

import "example.com/livery/renderer/jsontree"

// appendGradient appends a gradient from left to right of a list of stops, or the gradient
// functions that a string spells.
func appendGradient(dst []byte, v *jsontree.Node, f *form) ([]byte, *Misfit) {
	if s, ok := textOf(v); ok {
		return appendGradientText(dst, s, f)
	}
	dst, misfit := appendStops(append(dst, "linear-gradient(90deg, "...), v, f)
	return append(dst, ')'), misfit
}

// appendGradientDeclarations appends the gradient and, if it is a list of stops, these alone for
// a gradient of another shape or direction.
func appendGradientDeclarations(dst, name []byte, v *jsontree.Node, f *form) ([]byte, *Misfit) {
	dst, misfit := appendDeclaration(dst, name, Gradient, v, f)
	if misfit != nil || v.Kind != jsontree.Array {
		return dst, misfit
	}
	dst, _ = appendStops(openDeclaration(dst, name, "-stops"), v, f)
	return closeDeclaration(dst), nil
}

// appendStops appends "color position%" for each stop. A single stop is written twice: CSS wants
// two.
func appendStops(dst []byte, v *jsontree.Node, f *form) ([]byte, *Misfit) {
	if v.Kind != jsontree.Array || len(v.Items()) == 0 {
		return dst, &Misfit{What: "a gradient has a list of stops"}
	}
	start := len(dst)
	var misfit *Misfit
	for i, stop := range v.Items() {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if dst, misfit = appendStop(dst, stop, f); misfit != nil {
			return dst, misfit
		}
		if len(dst)-start > maxList {
			return dst, tooLong()
		}
	}
	if len(v.Items()) == 1 {
		end := len(dst)
		dst = append(dst, ", "...)
		dst = append(dst, dst[start:end]...)
	}
	return dst, nil
}

// appendStop appends one stop. Its position is clamped; it may be missing, and the stop a colour
// alone.
func appendStop(dst []byte, v *jsontree.Node, f *form) ([]byte, *Misfit) {
	color, position := v, (*jsontree.Node)(nil)
	if v.IsObject() && v.Find("colorSpace") == nil {
		color, position = v.Find("color"), v.Find("position")
	}
	dst, misfit := stopParts[0].append(dst, color, f)
	if misfit != nil || position == nil {
		return dst, misfit
	}
	return appendPosition(append(dst, ' '), position)
}

// stopParts are the parts of a stop beside its position.
var stopParts = []part{{name: "color", kind: Color}}

// appendPosition appends a position from 0 to 1, or a percentage, as a percentage from 0% to 100%.
func appendPosition(dst []byte, v *jsontree.Node) ([]byte, *Misfit) {
	text := ""
	if v.Kind == jsontree.Number {
		text = v.Text
	} else if s, ok := textOf(v); ok {
		text = s
	}
	n := numberEnd(text)
	f, none, ok := readArgument(text, 1, false)
	if n == 0 || none || !ok {
		return dst, &Misfit{What: "position: not a number from 0 to 1"}
	}
	return appendPercentage(dst, clamped(f)), nil
}

// appendGradientText appends a string of one gradient function, or of several that lie over
// each other.
func appendGradientText(dst []byte, s string, f *form) ([]byte, *Misfit) {
	if !safe(s) {
		return dst, misfitText(s, "not a gradient")
	}
	f.differs = true
	start := len(dst)
	for i, layer := range split(s, ',') {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		name := functionName(layer)
		switch {
		case listed(liveFunctions, name):
			dst = append(dst, layer...)
		case listed(gradientFunctions, name):
			dst = appendGradientFunction(dst, layer, len(name), f)
		default:
			return dst, &Misfit{What: "not a gradient"}
		}
	}
	if !f.inSRGB {
		return append(dst[:start], s...), nil
	}
	return dst, nil
}

// appendGradientFunction appends the gradient function s, whose name has so many bytes, with its colours as f has them.
func appendGradientFunction(dst []byte, s string, nameBytes int, f *form) []byte {
	dst = append(dst, s[:nameBytes+1]...)
	for i, stop := range split(s[nameBytes+1:len(s)-1], ',') {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		for j, part := range split(stop, ' ') {
			if j > 0 {
				dst = append(dst, ' ')
			}
			if !IsColor(part) {
				dst = append(dst, part...)
				continue
			}
			dst, _ = appendColorText(dst, part, f)
		}
	}
	return append(dst, ')')
}
