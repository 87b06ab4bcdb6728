package css

import "example.com/livery/renderer/jsontree"

// AppendResolved appends v as tokens.json and tokens.flat.json hold a value of kind k: in its own shape, each text of a kind
// that has a grammar as tokens.css has it, and what is a number there as a JSON number. Text of no grammar and font families
// stay as they are, and so does what does not fit.
func AppendResolved(dst []byte, k Kind, v *jsontree.Node) []byte {
	switch {
	case v.IsString():
		return appendResolvedText(dst, k, nil, v)
	case v.Kind == jsontree.Array && (k == Shadow || k == Gradient):
		return appendResolvedList(dst, k, v)
	case v.IsObject():
		if parts := partsOf(k); parts != nil {
			return appendResolvedObject(dst, parts, v)
		}
	}
	return jsontree.Append(dst, v)
}

// appendResolvedText appends the text v of a quantity, which is nil if k tells.
func appendResolvedText(dst []byte, k Kind, q *quantity, v *jsontree.Node) []byte {
	if !resolvesText(k) {
		return jsontree.Append(dst, v)
	}
	start := len(dst)
	var misfit *Misfit
	if q != nil {
		dst, misfit = appendQuantity(dst, q, v)
	} else {
		dst, misfit = appendKind(dst, k, v, &form{})
	}
	if misfit != nil {
		return jsontree.Append(dst[:start], v)
	}
	return quote(dst, start, isNumeric(k))
}

func appendResolvedList(dst []byte, k Kind, v *jsontree.Node) []byte {
	dst = append(dst, '[')
	for i, item := range v.Items() {
		if i > 0 {
			dst = append(dst, ',')
		}
		if k == Gradient && item.IsString() {
			dst = appendResolvedText(dst, Color, nil, item)
			continue
		}
		dst = AppendResolved(dst, k, item)
	}
	return append(dst, ']')
}

func appendResolvedObject(dst []byte, parts []part, v *jsontree.Node) []byte {
	dst = append(dst, '{')
	for i, m := range v.Members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = v.AppendName(dst, i)
		p := partNamed(parts, m.Name)
		switch {
		case p == nil:
			dst = jsontree.Append(dst, m.Value)
		case m.Value.IsString():
			dst = appendResolvedText(dst, p.resolvedKind(), p.quantity, m.Value)
		default:
			dst = AppendResolved(dst, p.kind, m.Value)
		}
	}
	return append(dst, '}')
}

// partsOf returns the parts of an object of kind k, or nil.
func partsOf(k Kind) []part {
	switch k {
	case Border:
		return borderParts
	case Transition:
		return transitionParts
	case Shadow:
		return shadowParts
	case Gradient:
		return stopParts
	case Typography:
		return resolvedTypographyParts
	}
	return nil
}

// resolvedTypographyParts are typographyParts as AppendResolved reads them.
var resolvedTypographyParts = func() (parts []part) {
	for i := range typographyParts {
		parts = append(parts, typographyParts[i].part)
	}
	return parts
}()

func partNamed(parts []part, name string) *part {
	for i := range parts {
		if p := &parts[i]; p.name == name || p.otherName == name && name != "" {
			return p
		}
	}
	return nil
}

// resolvedKind returns the kind by which AppendResolved writes a text of the part.
func (p *part) resolvedKind() Kind {
	switch p.quantity {
	case nil:
		return p.kind
	case &lineHeight:
		return NumberOrDimension
	}
	return Dimension
}

// resolvesText reports whether AppendResolved writes texts of kind k as tokens.css has them.
func resolvesText(k Kind) bool {
	switch k {
	case Unknown, String, FontFamily, FontWeight, CubicBezier, StrokeStyle, Boolean:
		return false
	}
	return true
}

// rewrites notes that AppendResolved writes another value than v, whose CSS text is given.
func (f *form) rewrites(k Kind, v *jsontree.Node, text []byte) {
	if v.IsString() && resolvesText(k) && (isNumeric(k) || string(text) != v.Text) {
		f.rewritten = true
	}
}
