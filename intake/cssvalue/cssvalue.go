// Package cssvalue converts the values of custom properties to values of tokens: it resolves var(), escapes and the functions of Tailwind.
package cssvalue

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

// Member replaces $value in a token whose value depends on other custom properties, such as "var(--a, 1px)", or that has no value,
// such as "initial". Resolve turns it into $value.
const Member = "$css"

// TokenName returns the name of the token of a custom property, without escapes and without characters that DTCG forbids.
func TokenName(property string) string {
	name := Unescaped(strings.TrimPrefix(property, "--"))
	return strings.TrimLeft(strings.NewReplacer(".", "-", "{", "-", "}", "-").Replace(name), "$")
}

// Node returns the token of a value, with Member or $value.
func Node(value string) *jsontree.Node {
	value = WithoutTailwind(UnescapedStrings(value))
	if value == "" || IsWideKeyword(value) || strings.Contains(value, "{") || strings.Contains(value, "var(") {
		return jsontree.NewObject(jsontree.Member{Name: Member, Value: jsontree.NewString(value)})
	}
	return jsontree.NewObject(tokenMembers(value)...)
}

// tokenMembers returns the $value of a value of CSS. A string that tokens.css would not write as it is becomes a token of $type string
// without its quotes.
func tokenMembers(value string) []jsontree.Member {
	node := jsontree.NewString(value)
	text, isText := TextOf(value)
	served, misfit := css.Append(nil, css.Unknown, node)
	if isText && misfit == nil && string(served) != value && served[0] == '"' {
		return []jsontree.Member{{Name: "$type", Value: jsontree.NewString("string")}, {Name: "$value", Value: jsontree.NewString(text)}}
	}
	return []jsontree.Member{{Name: "$value", Value: node}}
}

// IsWideKeyword reports whether a value is a CSS-wide keyword.
func IsWideKeyword(value string) bool {
	return slices.Contains([]string{"initial", "inherit", "unset", "revert", "revert-layer"}, strings.ToLower(value))
}

// tailwindFunctions are the functions that Tailwind replaces in a stylesheet, with their replacements.
var tailwindFunctions = []struct {
	call    *regexp.Regexp
	becomes string
}{
	{regexp.MustCompile(`--theme\(\s*(--[\w-]+)\s*(?:inline)?\s*(,[^()]*)?\)`), "var($1$2)"},
	{regexp.MustCompile(`--alpha\(\s*((?:[^()/]|\([^()]*\))+?)\s*/\s*([^()]+?)\s*\)`), "color-mix(in oklab, $1 $2, transparent)"},
	{regexp.MustCompile(`--spacing\(\s*([^()]+?)\s*\)`), "calc(var(--spacing) * $1)"},
}

// WithoutTailwind replaces the functions of Tailwind in a value.
func WithoutTailwind(value string) string {
	if strings.Contains(value, "--") {
		for _, f := range tailwindFunctions {
			value = f.call.ReplaceAllString(value, f.becomes)
		}
	}
	return value
}

// quotedText matches a string of CSS.
var quotedText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`)

// UnescapedStrings returns a value with the escapes in its strings, such as "\2014", replaced by their characters, except in
// strings that these would end.
func UnescapedStrings(value string) string {
	if !strings.Contains(value, `\`) {
		return value
	}
	return quotedText.ReplaceAllStringFunc(value, func(text string) string {
		plain := Unescaped(text)
		if inner := plain[1 : len(plain)-1]; strings.ContainsAny(inner, `"'\`) || strings.ContainsFunc(inner, unicode.IsControl) {
			return text
		}
		return plain
	})
}

// escape matches an escape of CSS (CSS Syntax Level 3, section 4.3.7).
var escape = regexp.MustCompile(`(?s)\\(?:([0-9a-fA-F]{1,6})[ \t\n]?|(.))`)

// Unescaped returns a text with its escapes replaced by their characters.
func Unescaped(text string) string {
	return escape.ReplaceAllStringFunc(text, func(escaped string) string {
		m := escape.FindStringSubmatch(escaped)
		code, _ := strconv.ParseUint(m[1], 16, 32)
		switch {
		case m[1] == "":
			return m[2]
		case code == 0 || code > unicode.MaxRune || code >= 0xd800 && code < 0xe000:
			return string(unicode.ReplacementChar)
		}
		return string(rune(code))
	})
}

// TextOf returns the text of a value that is one string of CSS, without its quotes and escapes.
func TextOf(value string) (text string, ok bool) {
	if len(value) < 2 || quotedText.FindString(value) != value {
		return "", false
	}
	return Unescaped(value[1 : len(value)-1]), true
}

// unitless matches a number without a unit that is not 0.
var unitless = regexp.MustCompile(`^[-+]?([0-9]*[1-9][0-9]*\.?[0-9]*|[0-9]*\.[0-9]*[1-9][0-9]*)$`)

// IsUnitless reports whether a value is a number without a unit that is not 0.
func IsUnitless(value string) bool { return unitless.MatchString(value) }
