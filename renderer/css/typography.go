package css

import "example.com/livery/renderer/jsontree"

// fontParts are the parts of a typography value that make up CSS's font shorthand, in its order.
var fontParts = []part{
	{name: "fontWeight", kind: FontWeight, optional: true, shorthand: true},
	{name: "fontSize", quantity: &fontSize, shorthand: true},
	{name: "lineHeight", quantity: &lineHeight, optional: true, separator: "/", shorthand: true},
	{name: "fontFamily", kind: FontFamily, shorthand: true},
}

// typographyParts are the members of a typography value that CSS and JavaScript get, each also as a
// custom property with a suffix of its own.
var typographyParts = [...]struct {
	part
	suffix string
	place  int // in fontParts; -1: it is not one of these
}{
	{part{name: "fontFamily", kind: FontFamily}, "-font-family", 3},
	{part{name: "fontSize", quantity: &fontSize}, "-font-size", 1},
	{part{name: "fontWeight", kind: FontWeight}, "-font-weight", 0},
	{part{name: "letterSpacing", quantity: &letterSpacing}, "-letter-spacing", -1},
	{part{name: "lineHeight", quantity: &lineHeight}, "-line-height", 2},
}

// typographyPart returns the part of this name and the suffix of its custom property, or nil.
func typographyPart(name string) (p *part, suffix string) {
	for i := range typographyParts {
		if typographyParts[i].name == name {
			return &typographyParts[i].part, typographyParts[i].suffix
		}
	}
	return nil, ""
}

// fontStyle returns the keyword that the member fontStyle of v is, "" if CSS has no such style. DTCG does not have this
// member and tools write it: what is not a style is as absent, like any other member that DTCG does not have.
func fontStyle(v *jsontree.Node) string {
	s, _ := textOf(v.Find("fontStyle"))
	if s = lower(s); !listed(" normal italic oblique ", s) {
		return ""
	}
	return s
}

// appendFont appends the font shorthand: "style weight size/line-height family".
func appendFont(dst []byte, v *jsontree.Node, f *form) ([]byte, *Misfit) {
	if s, ok := textOf(v); ok {
		return appendFontText(dst, s)
	}
	if v.Kind != jsontree.Object {
		return dst, &Misfit{What: "not a typography"}
	}
	if style := fontStyle(v); style != "" && style != "normal" {
		dst = append(append(dst, style...), ' ')
	}
	return appendParts(dst, v, fontParts, f)
}

// appendTypographyDeclarations appends the shorthand, unless size or family is missing, and a
// declaration for each part.
func appendTypographyDeclarations(dst, name []byte, v *jsontree.Node, f *form) ([]byte, *Misfit) {
	if !v.IsObject() {
		return appendDeclaration(dst, name, Typography, v, f)
	}
	start := len(dst)
	if v.Find("fontSize") != nil && v.Find("fontFamily") != nil {
		dst, _ = appendDeclaration(dst, name, Typography, v, f) // the parts tell what does not fit
	}
	hasFont := len(dst) > start
	var misfit *Misfit
	for i := range typographyParts {
		p := &typographyParts[i]
		found := v.Find(p.name)
		if found == nil {
			continue
		}
		if hasFont && p.place >= 0 { // the shorthand holds it
			text := f.font[p.place]
			dst = closeDeclaration(append(openDeclaration(dst, name, p.suffix), dst[text.from:text.to]...))
			continue
		}
		line := len(dst)
		written, failed := p.append(openDeclaration(dst, name, p.suffix), found, f)
		if failed == nil {
			dst = closeDeclaration(written)
			continue
		}
		dst, misfit = written[:line], misfit.with(failed)
	}
	if style := fontStyle(v); style != "" {
		dst = closeDeclaration(append(openDeclaration(dst, name, "-font-style"), style...))
	}
	if len(dst) == start && misfit == nil {
		return dst, noTypography()
	}
	return dst, misfit
}

func noTypography() *Misfit { return &Misfit{What: "a typography has at least one of its parts"} }
