// Package css turns one design token value (DTCG Format and Color modules 2025.10, and the older
// string forms) into CSS text or into a primitive for JavaScript. Values arrive with every alias
// already resolved. It reads no document and keeps nothing: the same value gives the same bytes, on
// every machine. Whatever it writes is one value that cannot leave its declaration and cannot make a
// browser fetch anything. It runs inside the WebAssembly guest, so it imports text and number
// packages of the standard library only.
package css

import (
	"strings"

	"example.com/livery/renderer/jsontree"
)

// Kind is what a value is rendered as. The zero value is Unknown: nothing is known of the type.
type Kind uint8

// The kinds of values: the thirteen types of DTCG 2025.10, and what extension types are rendered as.
const (
	Unknown Kind = iota
	Color
	Dimension
	FontFamily
	FontWeight
	Duration
	CubicBezier
	Number
	StrokeStyle
	Border
	Transition
	Shadow
	Gradient
	Typography
	String
	Boolean
	NumberOrDimension // a bare number stays one, all else is a dimension: opacity, line heights
)

// Misfit says why a value could not be rendered. A nil *Misfit means that it could.
type Misfit struct {
	Unsafe bool   // the text could leave its declaration or fetch something; else it is only unknown
	What   string // what is wrong, lower case, never holding any of the value's own text
}

// with returns m, which may be nil, and more in one misfit.
func (m *Misfit) with(more *Misfit) *Misfit {
	if m == nil {
		return more
	}
	return &Misfit{Unsafe: m.Unsafe || more.Unsafe, What: m.What + "; " + more.What}
}

// maxList is the length in bytes of the longest list that is written. A number of five characters
// may be written with 300, so a document could else ask for 60 times its size.
const maxList = 1 << 20

func tooLong() *Misfit { return &Misfit{What: "the list is longer than 1 MiB"} }

// form says for whom colours are written: for CSS as their author wrote them, unless it is for JavaScript.
type form struct {
	inSRGB    bool // for JavaScript: "#rrggbb" and "rgba(r, g, b, a)" wherever it can be computed
	differs   bool // a colour was written as its author wrote it, which may not be the form for JavaScript
	rewritten bool // AppendResolved writes another value than the one that was read

	font [4]span // of fontParts, in the font shorthand that was written; none: the part is not in it
}

// span is the place of a text.
type span struct{ from, to int }

// Append appends the CSS text of v as a value of kind k. If v does not fit (wrong JSON kind,
// unknown grammar, unsafe text) dst comes back as it was, with the reason. v may be nil.
func Append(dst []byte, k Kind, v *jsontree.Node) ([]byte, *Misfit) {
	return appendForm(dst, k, v, &form{})
}

func appendForm(dst []byte, k Kind, v *jsontree.Node, f *form) ([]byte, *Misfit) {
	start := len(dst)
	dst, misfit := appendKind(dst, k, v, f)
	if misfit != nil {
		return dst[:start], misfit
	}
	return dst, nil
}

// appendKind leaves at the end of dst whatever it wrote before it found a misfit.
func appendKind(dst []byte, k Kind, v *jsontree.Node, f *form) ([]byte, *Misfit) {
	if v == nil || v.Kind == jsontree.Null {
		return dst, &Misfit{What: "null is not a value of any type"}
	}
	switch k {
	case Color:
		return appendColor(dst, v, f)
	case Dimension:
		return appendQuantity(dst, &dimension, v)
	case NumberOrDimension:
		return appendQuantity(dst, &numberOrDimension, v)
	case Number:
		return appendQuantity(dst, &number, v)
	case Duration:
		return appendQuantity(dst, &duration, v)
	case FontFamily:
		return appendFontFamily(dst, v)
	case FontWeight:
		return appendFontWeight(dst, v)
	case CubicBezier:
		return appendCubicBezier(dst, v)
	case StrokeStyle:
		return appendStrokeStyle(dst, v)
	case Border:
		return appendBorder(dst, v, f)
	case Transition:
		return appendTransition(dst, v, f)
	case Shadow:
		return appendShadow(dst, v, f)
	case Gradient:
		return appendGradient(dst, v, f)
	case Typography:
		return appendFont(dst, v, f)
	case Boolean:
		return appendBoolean(dst, v)
	case String:
		return appendString(dst, v)
	default:
		return appendUnknown(dst, v)
	}
}

// Texts tells which files share the text of a value.
type Texts struct {
	Primitive bool // AppendPrimitiveOf makes the primitive for JavaScript from the text of the first declaration
	Resolved  bool // AppendResolved writes the value as it is
}

// AppendDeclarations appends the declarations of the custom property name ("--a-b", as AppendName
// gives it), one a line: "  --a-b: value;\n". A gradient adds name-stops, a typography its parts:
// of these the ones that fit are appended even if another does not, and then both come back,
// the lines and the reason why some are missing. For every other kind a misfit leaves dst as it was.
func AppendDeclarations(dst []byte, name string, k Kind, v *jsontree.Node) ([]byte, *Misfit) {
	dst, _, misfit := Declare(dst, []byte(name), k, v)
	return dst, misfit
}

// Declare is AppendDeclarations, and tells which other files have the same text.
func Declare(dst, name []byte, k Kind, v *jsontree.Node) (out []byte, texts Texts, misfit *Misfit) {
	f := form{}
	switch k {
	case Typography:
		dst, misfit = appendTypographyDeclarations(dst, name, v, &f)
	case Gradient:
		dst, misfit = appendGradientDeclarations(dst, name, v, &f)
	default:
		dst, misfit = appendDeclaration(dst, name, k, v, &f)
	}
	texts.Primitive = misfit == nil && !f.differs && k != Typography && k != String && k != Unknown
	texts.Resolved = !f.rewritten
	return dst, texts, misfit
}

// appendDeclaration appends one line, or nothing. It refuses the texts that no custom property can hold.
func appendDeclaration(dst, name []byte, k Kind, v *jsontree.Node, f *form) ([]byte, *Misfit) {
	start := len(dst)
	dst = openDeclaration(dst, name, "")
	value := len(dst)
	dst, misfit := appendForm(dst, k, v, f)
	if misfit == nil {
		misfit = undeclarable(dst[value:])
	}
	if misfit != nil {
		return dst[:start], misfit
	}
	f.rewrites(k, v, dst[value:])
	return closeDeclaration(dst), nil
}

// undeclarable returns why no custom property can hold a text: a CSS-wide keyword sets the property itself instead of its
// value, and a program wrote the others where it had no value.
func undeclarable(text []byte) *Misfit {
	const longest = len("[object Object]") + len(`""`)
	if len(text) > longest || len(text) < len("NaN") {
		return nil
	}
	s := trim(string(text))
	if isWide(s) {
		return &Misfit{What: "a CSS-wide keyword would undeclare the custom property"}
	}
	if n := len(s); n > 1 && s[0] == '"' && s[n-1] == '"' {
		s = s[1 : n-1]
	}
	if unit, isNaN := strings.CutPrefix(s, "NaN"); s == "undefined" || s == "[object Object]" || isNaN && (unit == "" || measureOf(unit) != live) {
		return &Misfit{What: "the text is what a program writes if it has no value"}
	}
	return nil
}

func openDeclaration(dst, name []byte, suffix string) []byte {
	dst = append(dst, "  "...)
	dst = append(dst, name...)
	dst = append(dst, suffix...)
	return append(dst, ": "...)
}

func closeDeclaration(dst []byte) []byte { return append(dst, ";\n"...) }

// appendUnknown renders a value whose type nothing tells: text, numbers and booleans as such.
func appendUnknown(dst []byte, v *jsontree.Node) ([]byte, *Misfit) {
	if v.Kind == jsontree.Bool {
		return appendBoolean(dst, v)
	}
	if v.Kind == jsontree.String || v.Kind == jsontree.Number {
		return appendString(dst, v)
	}
	return dst, &Misfit{What: "the token has no type, and its value's shape tells none"}
}
