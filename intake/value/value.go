// Package value tells what values of tokens are: their types by name and shape, what expressions say, and how messages show them.
package value

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"example.com/livery/intake/tree"
	"example.com/livery/internal/spelling"
	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// mostShown is the most of a value that a message shows, in bytes.
const mostShown = 60

// Spell returns a value as a message shows it: JSON, cut if it is long. n may be nil.
func Spell(n *jsontree.Node) string {
	if n == nil {
		return "null"
	}
	return Clip(strings.ReplaceAll(string(jsontree.Append(nil, n)), `\u003c`, "<"))
}

// Clip returns the beginning of a text for a message.
func Clip(text string) string {
	if len(text) <= mostShown {
		return text
	}
	cut := mostShown
	for cut > 0 && text[cut]&0xc0 == 0x80 {
		cut--
	}
	return text[:cut] + "…"
}

// Text returns the text of a string, and "" for anything else. n may be nil.
func Text(n *jsontree.Node) string {
	if n.IsString() {
		return n.Text
	}
	return ""
}

// MapStrings returns a value with each string in it changed. A value that does not change is returned as it is.
func MapStrings(n *jsontree.Node, change func(string) string) *jsontree.Node {
	if n.IsString() {
		if text := change(n.Text); text != n.Text {
			return jsontree.NewString(text)
		}
		return n
	}
	return tree.MapChildren(n, func(_ string, value *jsontree.Node) *jsontree.Node { return MapStrings(value, change) })
}

// MapAliases returns a text with change applied to the paths between braces.
func MapAliases(text string, change func(path string) string) string {
	var b strings.Builder
	for {
		before, rest, opened := strings.Cut(text, "{")
		path, after, closed := strings.Cut(rest, "}")
		if !opened || !closed {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(before + "{" + change(strings.TrimSpace(path)) + "}")
		text = after
	}
}

// noTokens is a document in which no alias leads anywhere.
var noTokens = dtcg.Read(jsontree.NewObject())

// Fits reports whether a value without aliases is one of a type by its kind and grammar.
func Fits(typ string, value *jsontree.Node) bool { return dtcg.Fits(noTokens, typ, value) }

// StudioTypes are the types of Tokens Studio, of which some are former types of DTCG: the first type of DTCG that the value fits counts, the
// last if it fits none, and the first if it is an alias.
var StudioTypes = map[string][]string{
	"borderRadius": lengthTypes, "borderWidth": lengthTypes, "strokeWidth": lengthTypes, "sizing": lengthTypes, "spacing": lengthTypes,
	"dimension": lengthTypes, "fontSizes": lengthTypes, "paragraphSpacing": lengthTypes, "paragraphIndent": lengthTypes,
	"letterSpacing": lengthTypes, "lineHeights": {"number", "dimension"}, "opacity": {"number"}, "rotation": {"number", "string"},
	"fontFamilies": {"fontFamily"}, "fontWeights": {"fontWeight", "string"}, "boxShadow": {"shadow"},
	"text": {"string"}, "other": {"string"}, "asset": {"string"}, "textCase": {"string"}, "textDecoration": {"string"},
}

var lengthTypes = []string{"dimension", "string"}

// SameType returns the known $type of which an unknown one is another spelling or a former name; "" if there is none.
func SameType(unknown string) string {
	types := dtcg.TypeNames()
	if i := slices.IndexFunc(types, func(t string) bool { return letters(t) == letters(unknown) }); i >= 0 {
		return types[i]
	}
	for name, types := range StudioTypes {
		if letters(name) == letters(unknown) {
			return types[0]
		}
	}
	return ""
}

// NearestType returns the known $type that an unknown one is likely meant to be; "" if none is near.
func NearestType(unknown string) string {
	if same := SameType(unknown); same != "" {
		return same
	}
	return spelling.Nearest(unknown, dtcg.TypeNames())
}

// letters returns the letters of a name in lower case, without an s at the end: font-family, fontFamily and font_families differ in
// spelling only.
func letters(name string) string {
	only := func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}
	return strings.TrimSuffix(strings.Map(only, name), "s")
}

// wordTypes are the types of texts of several words, in the order in which they are tried: a text of lengths alone is of the first, and
// the last takes nearly all that the others take.
var wordTypes = []string{"dimension", "shadow", "border", "transition", "gradient", "typography"}

// genericFonts end a list of fonts.
var genericFonts = []string{"serif", "sans-serif", "monospace", "cursive", "system-ui"}

var (
	emojiFonts  = regexp.MustCompile(`(?:\s*,\s*["'][^"',]*(?:Emoji|Symbol)[^"',]*["'])+\s*$`) // at the end of a list of fonts
	arguments   = regexp.MustCompile(`\([^()]*\)`)                                             // of a function, such as the three numbers of a colour
	withoutUnit = regexp.MustCompile(`(^|[ ,])[-+]?[0-9.]*[1-9][0-9.]*([ ,]|$)`)               // a number but 0 that is a word of its own
)

// Shape returns the type that the shape of a value tells, "" if it tells none: what css.InferType returns, and more of texts. A list of
// fonts ends in a generic one, perhaps with fonts of emoji behind it. v may be nil.
func Shape(v *jsontree.Node) string {
	typ := css.InferType(v)
	if typ == "fontFamily" && slices.ContainsFunc(v.Items(), func(item *jsontree.Node) bool { return css.InferType(item) != "" }) {
		return "" // a list of colours, say
	}
	if typ != "" || !v.IsString() || strings.Contains(v.Text, "{") {
		return typ
	}
	fonts := emojiFonts.ReplaceAllString(v.Text, "")
	if at := strings.LastIndexByte(fonts, ','); at > 0 && slices.Contains(genericFonts, strings.TrimSpace(fonts[at+1:])) {
		return "fontFamily"
	}
	if strings.HasPrefix(v.Text, "ease-") && Fits("cubicBezier", v) {
		return "cubicBezier"
	}
	if !strings.ContainsAny(v.Text, " (") || withoutUnit.MatchString(arguments.ReplaceAllString(v.Text, "")) {
		return ""
	}
	if i := slices.IndexFunc(wordTypes, func(typ string) bool { return Fits(typ, v) }); i >= 0 {
		return wordTypes[i]
	}
	return ""
}

// endOfDeclaration is what may follow the value in a declaration.
var endOfDeclaration = regexp.MustCompile(`(?i)\s*(!\s*important\s*;?|;)\s*$`)

// WithoutSemicolon returns a text without a semicolon or !important at its end, which a declaration has and a value does not.
func WithoutSemicolon(text string) string {
	if !strings.ContainsAny(text, "!;") { // as nearly all
		return text
	}
	return endOfDeclaration.ReplaceAllString(text, "")
}

// The weight of a font as a number with a style, and what may stand beside it in words: a width, and the number of a family such as
// Helvetica, "65 Medium".
var (
	styledNumber = regexp.MustCompile(`(?i)^(\d+)\s+(?:italic|oblique)$`)
	width        = regexp.MustCompile(`(?i)^[2-9]5 |\b(?:(?:ultra|extra|semi)[ -]?)?(?:condensed|compressed|narrow|expanded|extended|wide)\b`)
)

// WithoutStyle returns a weight of a font without its style, if the weight is a number, and without its width; else n itself.
func WithoutStyle(n *jsontree.Node) *jsontree.Node {
	text := Text(n)
	if m := styledNumber.FindStringSubmatch(text); m != nil {
		return jsontree.NewString(m[1])
	}
	if weight := WithoutWidth(text); weight != text {
		return jsontree.NewString(weight)
	}
	return n
}

// WithoutWidth returns a weight of a font in words without the words of its width, if a weight is left.
func WithoutWidth(text string) string {
	weight := strings.Join(strings.Fields(width.ReplaceAllString(text, "")), " ")
	if len(weight) == len(text) || strings.Contains(text, "{") || !Fits("fontWeight", jsontree.NewString(weight)) {
		return text
	}
	return weight
}

var percentage = regexp.MustCompile(`^-?[\d.]+%$`)

// StudioPercentage returns a percentage of a line height or an opacity as a number and one of a letter spacing in em, as sd-transforms
// does; any other text as it is. kind is a type of Tokens Studio or the name of a part of typography.
func StudioPercentage(kind, text string) string {
	if !percentage.MatchString(text) {
		return text
	}
	unit := ""
	switch kind {
	case "lineHeights", "lineHeight", "opacity":
	case "letterSpacing", "letterSpacings":
		unit = "em"
	default:
		return text
	}
	part, _ := Evaluate(strings.TrimSuffix(text, "%") + " / 100")
	return part + unit
}

// FixedName returns a name of a token or group without what no name may hold: dots become hyphens, braces underscores.
func FixedName(name string) string { return fixer.Replace(name) }

var fixer = strings.NewReplacer(".", "-", "{", "_", "}", "_")
