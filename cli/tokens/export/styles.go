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

// The functions of colours that Sass reads.
const (
	share = `[0-9]*\.?[0-9]+`
	rgb   = `rgba?\(` + share + `%?((, ?` + share + `%?){2,3}|( ` + share + `%?){2})\)`
	hsl   = `hsla?\((` + share + `(deg)?(, ?` + share + `%){2}(, ?` + share + `%?)?|(` + share + `(deg)?|none)( ` + share + `%| none){2})\)`
)

// sassList is a list of words that Sass takes as CSS does, sassText one whose numbers it also writes as it reads them,
// and sassWords are words that mean something to Sass.
var (
	sassList  = sassListOf(`-?[0-9]*\.?[0-9]+`, `{3,4}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8}`)
	sassText  = sassListOf(`-?(0|[1-9][0-9]{0,14})(\.[0-9]{0,9}[1-9])?`, `{3}|[0-9A-Fa-f]{6}`)
	sassWord  = regexp.MustCompile(`"[^"]*"|[^ ,]+`)
	sassWords = []string{"and", "or", "not", "null", "true", "false", "if", "else", "in", "through", "to", "from"}
)

func sassListOf(number, digits string) *regexp.Regexp {
	word := `("[^"\\#]*"|#([0-9A-Fa-f]` + digits + `)|` + number + `(%|[A-Za-z]+)?|-?[A-Za-z][A-Za-z-]*|` + rgb + `|` + hsl + `)`
	return regexp.MustCompile("^" + word + "(,? " + word + ")*$")
}

// sassValue spells the value of a variable: as it is if Sass makes no more of it than CSS does, else as a text without
// quotes. A value without a type of its own must stay the same text.
func sassValue(kind css.Kind, text string) string {
	list := sassList
	if slices.Contains(untyped, kind) {
		list = sassText
	}
	isOfSass := func(word string) bool { return slices.Contains(sassWords, strings.ToLower(word)) }
	if list.MatchString(text) && !slices.ContainsFunc(sassWord.FindAllString(text, -1), isOfSass) {
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

// namespaces say which theme variables of Tailwind a token is: by its kind, or by the words that its path begins with.
var namespaces = []struct {
	name  string
	kinds []css.Kind
	by    evidence
	words []string       // in lower case, that stand for the name as its plural does
	like  *regexp.Regexp // what values that have no kind may be, beside references and what is computed
}{
	{"color", []css.Kind{css.Color}, byKind, nil, regexp.MustCompile(`\(`)},
	{"font-weight", []css.Kind{css.FontWeight}, byKind, nil, nil},
	{"font", []css.Kind{css.FontFamily}, byKind, []string{"fontfamily", "fontfamilies"}, nil},
	{"inset-shadow", []css.Kind{css.Shadow}, byBeginning, nil, nil},
	{"drop-shadow", nil, byBeginning, nil, beginsWithNumber}, // a shadow of DTCG has a spread, which these do not take
	{"text-shadow", nil, byBeginning, nil, beginsWithNumber},
	{"shadow", []css.Kind{css.Shadow}, byKind, []string{"boxshadow"}, nil},
	{"ease", []css.Kind{css.CubicBezier}, byKind, nil, nil},
	{"animate", nil, byBeginning, []string{"animation"}, regexp.MustCompile(`[0-9]m?s\b`)},
	{"aspect", []css.Kind{css.Number}, byBeginning, []string{"aspectratio"}, beginsWithNumber},
	{"perspective", []css.Kind{css.Dimension}, byBeginning, nil, nil},
	{"leading", []css.Kind{css.NumberOrDimension, css.Dimension, css.Number}, byWord, []string{"lineheight", "lineheights"}, nil},
	{"tracking", []css.Kind{css.Dimension}, byWord, []string{"letterspacing"}, nil},
	{"text", []css.Kind{css.Dimension}, byWord, []string{"fontsize", "fontsizes"}, nil},
	{"radius", []css.Kind{css.Dimension}, byWord, []string{"radii", "rounded", "borderradius", "cornerradius", "corner"}, nil},
	{"breakpoint", []css.Kind{css.Dimension}, byWord, []string{"screen", "screens"}, nil},
	{"container", []css.Kind{css.Dimension}, byWord, nil, nil},
	{"blur", []css.Kind{css.Dimension}, byWord, nil, nil},
	{"spacing", []css.Kind{css.Dimension}, byWord, []string{"space", "gap", "padding", "margin", "size", "sizing", "inset"}, nil},
}

// evidence is what it takes beside its kind for a token to be of a namespace.
type evidence int

const (
	byKind      evidence = iota // nothing
	byWord                      // a word anywhere in the path
	byBeginning                 // a word at its beginning
)

// untyped are the kinds of values that may be of another type, or of one that DTCG does not have.
var untyped = []css.Kind{css.Unknown, css.String}

// computed is a value that may be of any type, as calc(var(--radius) - 2px), part what belongs to a size of text or to
// a font, and defaults are the namespaces that have a utility without a value.
var (
	beginsWithNumber = regexp.MustCompile(`^-?[0-9.]`)
	computed         = regexp.MustCompile(`^(var|calc|clamp|min|max)\(`)
	part             = regexp.MustCompile(`^--(text|font)-(.+--(line-height|letter-spacing|font-(weight|feature-settings|variation-settings)))$`)
	defaults         = []string{"spacing", "radius", "blur", "shadow", "inset-shadow", "drop-shadow", "text-shadow"}
)

// AppendTailwind appends a theme for Tailwind 4 that names the custom properties of tokens.css: utilities follow a
// stylesheet that is served. Widths have their values, for no media query reads a custom property, and so have lists of
// drop shadows, for each of these is a function of its own. Tokens that no utility takes are left out, and those whose
// name another has are named.
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
		isList := namespace == "drop-shadow" && strings.Contains(t.Properties[0].Text, ",")
		if namespace == "breakpoint" || namespace == "container" || isList {
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
	if m := part.FindStringSubmatch(string(css.AppendName(nil, "", t.Segments))); m != nil {
		return m[1], m[2:3]
	}
	text := t.Properties[0].Text
	isUntyped := slices.Contains(untyped, t.Kind)
	for _, n := range namespaces {
		isKind := slices.Contains(n.kinds, t.Kind)
		isLike := isUntyped && (computed.MatchString(text) || n.like != nil && n.like.MatchString(text))
		if !isKind && !isLike {
			continue
		}
		rest, begins, has := without(t.Segments, append([]string{nameKey(n.name), nameKey(n.name) + "s"}, n.words...))
		switch {
		case len(t.Segments) == 1 && t.Segments[0] == n.name && slices.Contains(defaults, n.name):
			return n.name, nil
		case begins:
			return n.name, rest
		case isKind && (n.by == byKind || n.by == byWord && has):
			return n.name, t.Segments
		}
	}
	return "", nil
}

// without returns a path without the first of some words that it begins with, if that is not all of it, whether there
// is one, and whether any name or two names of the path are one: font.size and font-size are a fontsize.
func without(segments, words []string) (rest []string, begins, has bool) {
	for _, word := range words {
		for i, name := range segments[:min(2, len(segments))] {
			before, after := strings.Join(segments[:i], ""), segments[i+1:]
			for k := range name {
				if name[k] == '-' && k+1 < len(name) && nameKey(before+name[:k]) == word {
					return append([]string{name[k+1:]}, after...), true, true
				}
			}
			if len(after) > 0 && nameKey(before+name) == word {
				return after, true, true
			}
		}
	}
	for i := range segments {
		has = has || slices.Contains(words, nameKey(segments[i])) ||
			i > 0 && slices.Contains(words, nameKey(segments[i-1]+segments[i]))
	}
	return nil, false, has
}

func nameKey(name string) string { return strings.ToLower(strings.ReplaceAll(name, "-", "")) }
