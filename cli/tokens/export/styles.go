package export

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/livery/cli/escape"
	"example.com/livery/renderer/css"
)

// AppendSCSS appends a variable for each custom property, and a map of all tokens by their paths.
func (s *Sheet) AppendSCSS(dst []byte) []byte {
	dst = s.appendHead(dst, "// ", "livery pull --format scss", "")
	var list []byte
	taken := map[string]bool{"tokens": true} // the map
	for _, t := range s.Tokens {
		for i, p := range t.Properties {
			own := variable(p.Name)
			name := own
			for n := 2; taken[sassName(name)]; n++ {
				name = own + "-" + strconv.Itoa(n)
			}
			if name != own {
				dst = append(dst, "// This is $"+name+", for $"+own+" is taken.\n"...)
			}
			taken[sassName(name)] = true
			dst = append(dst, "$"+name+": "+sassValue(t.Kind, p.Text)+";\n"...)
			if i == 0 {
				list = append(list, "  "+sass(quoteCSS(t.Path))+": $"+name+",\n"...)
			}
		}
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

// sassName spells the name of a variable for comparisons: to Sass a hyphen and an underscore are one.
func sassName(name string) string { return strings.ReplaceAll(name, "_", "-") }

// A word of a value that Sass takes as CSS does, alone or in a list: a number is as Sass writes it, and a colour one that
// Sass reads. sassWords are those that mean something to Sass.
const (
	share    = `[0-9]*\.?[0-9]+`
	number   = `-?(0|[1-9][0-9]{0,14})(\.[0-9]{0,9}[1-9])?(%|[A-Za-z]+)?`
	rgb      = `rgba?\(` + share + `%?((, ` + share + `%?){2,3}|( ` + share + `%?){2})\)`
	hsl      = `hsla?\(` + share + `(deg)?(, ` + share + `%, ` + share + `%(, ` + share + `%?)?| ` + share + `% ` + share + `%)\)`
	sassWord = `("[^"\\#]*"|#([0-9A-Fa-f]{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})|` + number + `|-?[A-Za-z][A-Za-z-]*|` + rgb + `|` + hsl + `)`
)

var (
	sassWordInList = regexp.MustCompile(sassWord)
	sassList       = regexp.MustCompile("^" + sassWord + "(,? " + sassWord + ")*$")
	sassWords      = []string{"and", "or", "not", "null", "true", "false", "if", "else", "in", "through", "to", "from"}
)

// sassValue spells the value of a variable: as it is if Sass makes no more of it than CSS does, else as a text without
// quotes. Sass may write a colour in another way, so a text is none.
func sassValue(kind css.Kind, text string) string {
	isOfSass := func(word string) bool { return slices.Contains(sassWords, strings.ToLower(word)) }
	isPlain := sassList.MatchString(text) && !slices.ContainsFunc(sassWordInList.FindAllString(text, -1), isOfSass)
	if isPlain && (kind != css.String || !strings.ContainsAny(text, "#(")) {
		return text
	}
	return `#{` + sass(quoteCSS(text)) + `}`
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
// stylesheet that is served. Widths have their values, for no media query reads a custom property. Tokens that no utility
// takes are left out, and those whose name another has are named.
func (s *Sheet) AppendTailwind(dst []byte) []byte {
	dst = s.appendHead(dst, "/* ", "livery pull --format tailwind", " */")
	dst = append(dst, "/* Link or import tokens.css too: these are references to its custom properties. */\n"...)
	dst = append(dst, "@theme inline reference {\n"...)
	taken := map[string]bool{}
	var without []string
	for i := range s.Tokens {
		t := &s.Tokens[i]
		namespace, path := t.Utility()
		name := string(css.AppendName(nil, namespace, path))
		value := "var(" + t.Properties[0].Name + ")"
		if namespace == "breakpoint" || namespace == "container" {
			value = t.Properties[0].Text
		}
		switch {
		case namespace == "":
			without = append(without, commented(t.Path))
		case taken[name]:
			dst = append(dst, "  /* Left out, for another token has the name "+name+": "+commented(t.Path)+" */\n"...)
		default:
			taken[name] = true
			dst = append(dst, "  "+name+": "+value+";\n"...)
		}
	}
	dst = append(dst, "}\n"...)
	if n := len(without); n > 0 {
		dst = append(dst, "/* No utility of Tailwind takes "+strconv.Itoa(n)+" more: "+strings.Join(without[:min(n, 10)], ", ")...)
		if n > 10 {
			dst = append(dst, " …"...)
		}
		dst = append(dst, " */\n"...)
	}
	return dst
}

// commented spells a text for a comment of CSS.
func commented(text string) string { return strings.ReplaceAll(escape.Line(text), "*/", "* /") }

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

// without returns a path without its first name, or the first two, if that is one of some words, and whether any name or two
// names of the path are: font.size is a fontsize.
func without(segments, words []string) (rest []string, found bool) {
	is := func(names []string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return nameKey(strings.Join(names, "")) == nameKey(word) })
	}
	for n := min(2, len(segments)-1); n > 0; n-- {
		if is(segments[:n]) {
			return segments[n:], true
		}
	}
	for i := range segments {
		found = found || is(segments[i:i+1]) || i > 0 && is(segments[i-1:i+1])
	}
	return segments, found
}

func nameKey(name string) string { return strings.ToLower(strings.ReplaceAll(name, "-", "")) }
