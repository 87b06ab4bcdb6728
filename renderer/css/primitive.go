package css

import (
	"bytes"

	"example.com/livery/renderer/jsontree"
)

// AppendPrimitive appends v as tokens.values.json holds a value of kind k: a JSON string, number or
// boolean, for a typography an object of these. Colours are in sRGB, "#rrggbb" or "rgba(r, g, b, a)",
// gamut-mapped per CSS Color 4; one that only a browser can compute (currentColor, color-mix())
// does not fit. Of a typography the parts that fit are written. If v does not fit dst comes back
// as it was, with the reason.
func AppendPrimitive(dst []byte, k Kind, v *jsontree.Node) ([]byte, *Misfit) {
	start := len(dst)
	dst, misfit := appendPrimitive(dst, k, v)
	if misfit != nil {
		return dst[:start], misfit
	}
	return dst, nil
}

// AppendPrimitiveOf is AppendPrimitive for a value of kind k that has one text in CSS and for JavaScript, which is given.
func AppendPrimitiveOf(dst []byte, k Kind, text []byte) []byte {
	if k == Boolean || isNumeric(k) && numberEnd(string(text)) == len(text) {
		return append(dst, text...)
	}
	return jsontree.AppendString(dst, text)
}

func appendPrimitive(dst []byte, k Kind, v *jsontree.Node) ([]byte, *Misfit) {
	if v.IsString() && (k == String || k == Unknown) {
		return jsontree.AppendString(dst, v.Text), nil
	}
	if v.IsObject() && k == Typography {
		return appendTypographyObject(dst, v, nil, 0)
	}
	start := len(dst)
	var misfit *Misfit
	if k == Color && v != nil {
		dst, misfit = appendPlainColor(dst, v)
	} else {
		dst, misfit = appendKind(dst, k, v, &form{inSRGB: true})
	}
	if misfit != nil || k == Boolean || v.Kind == jsontree.Bool {
		return dst, misfit
	}
	return quote(dst, start, isNumeric(k)), nil
}

// isNumeric reports whether a value of kind k may be a JSON number.
func isNumeric(k Kind) bool {
	switch k {
	case Number, NumberOrDimension, FontWeight, String, Unknown:
		return true
	}
	return false
}

// quote makes one JSON string of the CSS text that begins at start, unless it is a number and may
// be one.
func quote(dst []byte, start int, mayBeNumber bool) []byte {
	text := dst[start:]
	if mayBeNumber && numberEnd(string(text)) == len(text) {
		return dst
	}
	return jsontree.AppendString(dst[:start], string(text))
}

// AppendTypographyOf is AppendPrimitive for a typography, an object, whose declarations are given. Their names begin with
// one of so many bytes.
func AppendTypographyOf(dst []byte, v *jsontree.Node, declarations []byte, nameBytes int) []byte {
	start := len(dst)
	dst, misfit := appendTypographyObject(dst, v, declarations, nameBytes)
	if misfit != nil {
		return dst[:start]
	}
	return dst
}

// appendTypographyObject appends the parts that v has, in its order, under their DTCG names. The texts of those that fit
// stand in its declarations, unless they are nil.
func appendTypographyObject(dst []byte, v *jsontree.Node, declarations []byte, nameBytes int) ([]byte, *Misfit) {
	misfit := noTypography()
	dst = append(dst, '{')
	start := len(dst)
	for i, m := range v.Members {
		p, suffix := typographyPart(m.Name)
		style := ""
		if m.Name == "fontStyle" {
			style = fontStyle(v)
		}
		if p == nil && style == "" {
			continue
		}
		before := len(dst)
		if before > start {
			dst = append(dst, ',')
		}
		dst = v.AppendName(dst, i)
		if p == nil {
			dst = jsontree.AppendString(dst, style)
			continue
		}
		value := len(dst)
		var failed *Misfit
		if declarations == nil {
			dst, failed = p.append(dst, m.Value, &form{inSRGB: true})
		} else if dst = append(dst, declared(declarations, nameBytes, suffix)...); len(dst) == value {
			failed = misfit
		}
		if failed != nil {
			dst, misfit = dst[:before], failed
			continue
		}
		dst = quote(dst, value, p.kind == FontWeight || p.quantity == &lineHeight)
	}
	if len(dst) == start {
		return dst, misfit
	}
	return append(dst, '}'), nil
}

// declared returns the value of the property whose name ends with suffix after so many bytes, or nothing.
func declared(declarations []byte, nameBytes int, suffix string) []byte {
	for at := len("  ") + nameBytes; at < len(declarations); {
		end := at + bytes.IndexByte(declarations[at:], '\n')
		if text, ok := bytes.CutPrefix(declarations[at:end], []byte(suffix)); ok && text[0] == ':' {
			return text[len(": ") : len(text)-len(";")]
		}
		at = end + len("\n  ") + nameBytes
	}
	return nil
}
