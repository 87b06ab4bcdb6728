package tokenfile

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/spelling"
)

// SameType returns the known $type of which an unknown one is another spelling, or that stands for it in Tokens Studio;
// empty if there is none.
func SameType(unknown string) string {
	types := dtcg.TypeNames()
	if i := slices.IndexFunc(types, func(t string) bool { return letters(t) == letters(unknown) }); i >= 0 {
		return types[i]
	}
	for _, former := range slices.Sorted(maps.Keys(studioTypes)) {
		if t := studioTypes[former].types[0]; letters(former) == letters(unknown) && slices.Contains(types, t) {
			return t
		}
	}
	return ""
}

// NearestType returns the known $type that an unknown one is likely meant to be; empty if none is near.
func NearestType(unknown string) string {
	if same := SameType(unknown); same != "" {
		return same
	}
	return spelling.Nearest(unknown, dtcg.TypeNames())
}

// letters returns the letters of a name in lower case, without an s at the end: font-family, fontFamily and
// font_families differ in spelling only.
func letters(name string) string {
	only := func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}
	return strings.TrimSuffix(strings.Map(only, name), "s")
}

// ofWords are the types of texts of several words, in the order in which they are tried: a text of lengths alone is of
// the first, and the last takes nearly all that the others take.
var ofWords = []string{"dimension", "shadow", "border", "transition", "gradient", "typography"}

// emojiFonts are fonts of emoji at the end of a list of fonts.
var emojiFonts = regexp.MustCompile(`(?:\s*,\s*["'][^"',]*(?:Emoji|Symbol)[^"',]*["'])+\s*$`)

// Shape returns the type that the shape of a value tells, "" if it tells none: what css.InferType says, and more of
// texts. A list of fonts ends in one that all browsers have, or in fonts of emoji behind it. v may be nil.
func Shape(v *jsontree.Node) string {
	typ := css.InferType(v)
	if typ == "fontFamily" && slices.ContainsFunc(v.Items(), func(item *jsontree.Node) bool { return css.InferType(item) != "" }) {
		return "" // a list of colours, say
	}
	if typ != "" || !v.IsString() || strings.Contains(v.Text, "{") {
		return typ
	}
	fonts := emojiFonts.ReplaceAllString(v.Text, "")
	if at := strings.LastIndexByte(fonts, ','); at > 0 && slices.Contains(everywhere, strings.TrimSpace(fonts[at+1:])) {
		return "fontFamily"
	}
	fits := func(typ string) bool { return Fits(typ, v) }
	if strings.HasPrefix(v.Text, "ease-") && fits("cubicBezier") {
		return "cubicBezier"
	}
	if !strings.ContainsAny(v.Text, " (") || withoutUnit.MatchString(arguments.ReplaceAllString(v.Text, "")) { // which some types give one
		return ""
	}
	if i := slices.IndexFunc(ofWords, fits); i >= 0 {
		return ofWords[i]
	}
	return ""
}

// arguments are those of a function, such as the three numbers of a colour.
var arguments = regexp.MustCompile(`\([^()]*\)`)

// withoutUnit is a number but 0 that is a word of its own.
var withoutUnit = regexp.MustCompile(`(^|[ ,])[-+]?[0-9.]*[1-9][0-9.]*([ ,]|$)`)

var everywhere = []string{"serif", "sans-serif", "monospace", "cursive", "system-ui"}
