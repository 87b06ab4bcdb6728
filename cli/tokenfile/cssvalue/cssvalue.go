// Package cssvalue reads values of CSS as stylesheets have them: var(), escapes, and the functions of Tailwind. It is pure.
package cssvalue

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// unitless is a number without a unit that is not 0.
var unitless = regexp.MustCompile(`^[-+]?([0-9]*[1-9][0-9]*\.?[0-9]*|[0-9]*\.[0-9]*[1-9][0-9]*)$`)

// IsUnitless reports whether a value is a number without a unit that is not 0.
func IsUnitless(value string) bool { return unitless.MatchString(value) }

// ReplaceVariables returns a value of CSS with each var() replaced by what replace returns for it, the ones in the value after
// a comma, its fallback, before.
func ReplaceVariables(value string, replace func(reference, to, fallback string) string) string {
	var b strings.Builder
	for {
		start := strings.Index(value, "var(")
		if start < 0 {
			break
		}
		end := closing(value, start+len("var"))
		inner := value[start+len("var(") : end]
		name, fallback, _ := strings.Cut(inner, ",")
		to, isVariable := strings.CutPrefix(strings.TrimSpace(name), "--")
		b.WriteString(value[:start])
		if isVariable && end < len(value) {
			b.WriteString(replace(value[start:end+1], to, ReplaceVariables(strings.TrimSpace(fallback), replace)))
		} else {
			b.WriteString(value[start:min(end+1, len(value))])
		}
		value = value[min(end+1, len(value)):]
	}
	return b.String() + value
}

// closing returns the place of the bracket that closes the one at a place; the end of the text if none does.
func closing(text string, at int) int {
	depth := 0
	for i := at; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// tailwindFunctions are the functions that Tailwind replaces in a stylesheet, and what it writes for them. Its own var() is
// what an alias is.
var tailwindFunctions = []struct {
	call    *regexp.Regexp
	becomes string
}{
	{regexp.MustCompile(`--theme\(\s*(--[\w-]+)\s*(?:inline)?\s*(,[^()]*)?\)`), "var($1$2)"},
	{regexp.MustCompile(`--alpha\(\s*((?:[^()/]|\([^()]*\))+?)\s*/\s*([^()]+?)\s*\)`), "color-mix(in oklab, $1 $2, transparent)"},
	{regexp.MustCompile(`--spacing\(\s*([^()]+?)\s*\)`), "calc(var(--spacing) * $1)"},
}

// WithoutTailwind returns a value with the functions of Tailwind as it writes them.
func WithoutTailwind(value string) string {
	if strings.Contains(value, "--") {
		for _, f := range tailwindFunctions {
			value = f.call.ReplaceAllString(value, f.becomes)
		}
	}
	return value
}

// quotedText is a string of CSS.
var quotedText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`)

// UnescapedStrings returns a value of CSS with the characters in its strings that are written as numbers, as "\2014", written
// as themselves, but for those that would end a string.
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

// Unescaped returns a text of CSS with its escapes written as the characters that they are (CSS Syntax Level 3, section 4.3.7).
func Unescaped(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		end := i + 1
		for end < len(text) && end < i+7 && strings.IndexByte("0123456789abcdefABCDEF", text[end]) >= 0 {
			end++
		}
		code, err := strconv.ParseUint(text[i+1:end], 16, 32)
		if err != nil { // the next character stands for itself
			i++
			b.WriteByte(text[i])
			continue
		}
		if code == 0 || code > unicode.MaxRune || code >= 0xd800 && code < 0xe000 {
			code = unicode.ReplacementChar
		}
		b.WriteRune(rune(code))
		if end < len(text) && text[end] == ' ' {
			end++
		}
		i = end - 1
	}
	return b.String()
}

// TextOf returns the text of a value that is one string of CSS, without its quotes and escapes.
func TextOf(value string) (text string, ok bool) {
	if len(value) < 2 || quotedText.FindString(value) != value {
		return "", false
	}
	return Unescaped(value[1 : len(value)-1]), true
}
