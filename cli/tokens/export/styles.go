package export

import (
	"slices"
	"strings"

	"example.com/livery/renderer/css"
)

// AppendSCSS appends a variable for each custom property, and a map of all tokens by their paths.
func (s *Sheet) AppendSCSS(dst []byte) []byte {
	dst = s.appendHead(dst, "// ", "livery pull --format scss", "")
	var list []byte
	for _, t := range s.Tokens {
		for _, p := range t.Properties {
			dst = append(dst, "$"+variable(p.Name)+": "+sass(p.Text)+";\n"...)
		}
		list = append(list, "  "+sass(quoteCSS(t.Path))+": $"+variable(t.Properties[0].Name)+",\n"...)
	}
	return append(append(append(dst, "\n$tokens: (\n"...), list...), ");\n"...)
}

// variable is the name of a variable for a custom property. A name of Sass must not begin with a digit.
func variable(property string) string {
	name := strings.TrimLeft(property, "-")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return "_" + name
	}
	return name
}

// sass spells a CSS value so that Sass takes it as it is: "#{" begins an expression of Sass, in strings too.
func sass(text string) string { return strings.ReplaceAll(text, "#{", `\#{`) }

// quoteCSS spells a text as a string of CSS.
func quoteCSS(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\a `).Replace(text) + `"`
}

// namespaces say which theme variables of Tailwind a token is: by its kind, or for a length by a word of its path.
var namespaces = []struct {
	name  string
	kind  css.Kind
	words []string // of the path, any of which must stand in it; none means that the kind is enough
}{
	{"color", css.Color, nil},
	{"font", css.FontFamily, nil},
	{"font-weight", css.FontWeight, nil},
	{"shadow", css.Shadow, nil},
	{"ease", css.CubicBezier, nil},
	{"leading", css.NumberOrDimension, []string{"leading", "lineheight", "line-height", "lineheights"}},
	{"leading", css.Dimension, []string{"leading", "lineheight", "line-height", "lineheights"}},
	{"tracking", css.Dimension, []string{"tracking", "letterspacing", "letter-spacing"}},
	{"text", css.Dimension, []string{"text", "fontsize", "font-size", "fontsizes"}},
	{"radius", css.Dimension, []string{"radius", "radii", "rounded", "borderradius", "border-radius", "corner"}},
	{"breakpoint", css.Dimension, []string{"breakpoint", "breakpoints", "screen", "screens"}},
	{"container", css.Dimension, []string{"container", "containers"}},
	{"blur", css.Dimension, []string{"blur"}},
	{"spacing", css.Dimension, []string{"spacing", "space", "gap", "padding", "margin", "size", "sizing", "inset"}},
}

// AppendTailwind appends a theme for Tailwind 4 that names the custom properties of tokens.css: utilities follow a
// stylesheet that is served. Tokens that no utility takes are left out.
func (s *Sheet) AppendTailwind(dst []byte) []byte {
	dst = s.appendHead(dst, "/* ", "livery pull --format tailwind", " */")
	dst = append(dst, "/* Link or import tokens.css too: these are references to its custom properties. */\n"...)
	dst = append(dst, "@theme inline reference {\n"...)
	taken := map[string]bool{}
	for i := range s.Tokens {
		t := &s.Tokens[i]
		namespace, path := t.Utility()
		name := string(css.AppendName(nil, namespace, path))
		if namespace == "" || taken[name] {
			continue
		}
		taken[name] = true
		dst = append(dst, "  "+name+": var("+t.Properties[0].Name+");\n"...)
	}
	return append(dst, "}\n"...)
}

// Utility returns the namespace of Tailwind's theme variables that a token belongs to and its path there: "color" and
// "brand" of bg-brand and --color-brand. The namespace is empty if no utility takes the token.
func (t *Token) Utility() (namespace string, path []string) {
	for _, n := range namespaces {
		if n.kind != t.Kind {
			continue
		}
		rest, found := without(t.Segments, append(n.words, n.name, n.name+"s"))
		if found || n.words == nil {
			return n.name, rest
		}
	}
	return "", nil
}

// without returns a path without its first name if that is one of some words, and whether any name is one of them.
func without(segments, words []string) (rest []string, found bool) {
	is := func(name string) bool { return slices.Contains(words, strings.ToLower(name)) }
	if len(segments) > 1 && is(segments[0]) {
		return segments[1:], true
	}
	return segments, slices.ContainsFunc(segments, is)
}
