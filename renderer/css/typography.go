package css

import "example.com/livery/renderer/jsontree"

// fontParts are the parts of a typography value that make up CSS's font shorthand, in its order.
var fontParts = []part{
	{name: "fontWeight", kind: FontWeight, optional: true},
	{name: "fontSize", quantity: &fontSize},
	{name: "lineHeight", quantity: &lineHeight, optional: true, separator: "/"},
	{name: "fontFamily", kind: FontFamily},
}

// typographyParts are the members of a typography value that CSS and JavaScript get, each also as a
// custom property with a suffix of its own.
var typographyParts = [...]struct {
	part
	suffix string
}{
	{part{name: "fontFamily", kind: FontFamily}, "-font-family"},
	{part{name: "fontSize", quantity: &fontSize}, "-font-size"},
	{part{name: "fontWeight", kind: FontWeight}, "-font-weight"},
	{part{name: "letterSpacing", quantity: &letterSpacing}, "-letter-spacing"},
	{part{name: "lineHeight", quantity: &lineHeight}, "-line-height"},
}

// typographyPart returns the part of this name, or nil.
func typographyPart(name string) *part {
	for i := range typographyParts {
		if typographyParts[i].name == name {
			return &typographyParts[i].part
		}
	}
	return nil
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
func appendTypographyDeclarations(dst []byte, name string, v *jsontree.Node, f *form) ([]byte, *Misfit) {
	if !v.IsObject() {
		return appendDeclaration(dst, name, Typography, v, f)
	}
	start := len(dst)
	var misfit *Misfit
	if v.Find("fontSize") != nil && v.Find("fontFamily") != nil {
		dst, misfit = appendDeclaration(dst, name, Typography, v, f)
	}
	for i := range typographyParts {
		p := &typographyParts[i]
		found := v.Find(p.name)
		if found == nil {
			continue
		}
		line := len(dst)
		written, failed := p.append(openDeclaration(dst, name, p.suffix), found, f)
		if failed == nil {
			dst = closeDeclaration(written)
			continue
		}
		dst = written[:line]
		if misfit == nil {
			misfit = failed
		}
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
