// Package cssvalue reads values of CSS as stylesheets have them: var(), escapes, and the functions of Tailwind. It is
// pure.
package cssvalue

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// unitless is a number without a unit that is not 0.
var unitless = regexp.MustCompile(`^[-+]?([0-9]*[1-9][0-9]*\.?[0-9]*|[0-9]*\.[0-9]*[1-9][0-9]*)$`)

// IsUnitless reports whether a value is a number without a unit that is not 0.
func IsUnitless(value string) bool { return unitless.MatchString(value) }

// State is what var() with the name of a custom property stands for (CSS Values Level 5, section 9).
type State int

// The states. What leads back to itself has no value either.
const (
	Invalid   State = iota // its fallback
	Empty                  // nothing
	Elsewhere              // its fallback, or its own value if it has none: it is declared, but not for the mode
	Valid
	Cyclic // its fallback
)

// Substitute returns a value of CSS with each var() replaced by the text that look returns for it and its name, or as
// the state says. It looks into a fallback only if that is needed, as browsers do. hasValue is false if it keeps one,
// which has neither a value nor a fallback.
func Substitute(value string, look func(reference, to string) (text string, is State)) (substituted string, hasValue bool) {
	hasValue = true
	var b strings.Builder
	for {
		start := strings.Index(value, "var(")
		if start < 0 {
			break
		}
		end := closing(value, start+len("var"))
		after := min(end+1, len(value))
		name, fallback, hasFallback := strings.Cut(value[start+len("var("):end], ",")
		to, isVariable := strings.CutPrefix(strings.TrimSpace(name), "--")
		text, is := value[start:after], Valid
		if isVariable && end < len(value) {
			text, is = look(text, to)
		}
		b.WriteString(value[:start])
		switch {
		case is == Valid || is == Elsewhere && !hasFallback:
			b.WriteString(text)
		case is != Empty && hasFallback:
			inner, isWhole := Substitute(fallback, look)
			b.WriteString(inner)
			hasValue = hasValue && isWhole
		case is != Empty:
			b.WriteString(value[start:after])
			hasValue = false
		}
		value = value[after:]
	}
	return strings.TrimSpace(b.String() + value), hasValue
}

// Resolver finds the states of custom properties.
type Resolver struct {
	Values map[string]string
	States map[string]State // of others already, as far as they are known
	// IsOuter takes the name of a property in its own value for one of another stylesheet, as Tailwind's @theme means
	// it.
	IsOuter bool

	lowest map[string]int // the first on the stack that a name leads to; math.MaxInt if its state is known
	stack  []string
}

// Resolve adds the states of all values.
func (r *Resolver) Resolve() {
	r.lowest = map[string]int{}
	for name := range r.Values {
		r.visit(name)
	}
}

// Of is the state of a name in the value of another.
func (r *Resolver) Of(name, to string) State {
	if r.IsOuter && name == to {
		return Invalid
	}
	return r.States[to]
}

// visit finds the state of a property and of what it leads to, and returns the first on the stack that it leads back
// to. It is Tarjan's search for strongly connected components.
func (r *Resolver) visit(name string) int {
	value, isHere := r.Values[name]
	low, isSeen := r.lowest[name]
	switch {
	case isSeen:
		return low
	case !isHere:
		return math.MaxInt
	}
	own, start, isCycle := len(r.lowest), len(r.stack), false
	r.lowest[name], r.States[name], r.stack = own, Invalid, append(r.stack, name)
	low = own
	value, hasValue := Substitute(value, func(reference, to string) (string, State) {
		if to != name {
			low = min(low, r.visit(to))
		}
		isCycle = isCycle || to == name && !r.IsOuter
		return reference, r.Of(name, to)
	})
	if r.lowest[name] = low; low < own {
		return low
	}
	is := Valid
	switch {
	case isCycle || len(r.stack) > start+1:
		is = Cyclic
	case !hasValue:
		is = Invalid
	case value == "":
		is = Empty
	}
	for _, member := range r.stack[start:] {
		r.lowest[member], r.States[member] = math.MaxInt, is
	}
	r.stack = r.stack[:start]
	return math.MaxInt
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

// tailwindFunctions are the functions that Tailwind replaces in a stylesheet, and what it writes for them. Its own
// var() is what an alias is.
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

// UnescapedStrings returns a value of CSS with the characters in its strings that are written as numbers, as "\2014",
// written as themselves, but for those that would end a string.
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

// Unescaped returns a text of CSS with its escapes written as the characters that they are (CSS Syntax Level 3, section
// 4.3.7).
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

// HasAddress reports whether a value has a url().
func HasAddress(value string) bool { return strings.Contains(strings.ToLower(value), "url(") }

// call is a value that is a function alone.
var call = regexp.MustCompile(`^[\w-]+\(.*\)$`)

// IsBroken reports whether a text, which is not known to be a value, is meant as one, or would end its declaration: it
// has a character or comment that does, brackets that do not match, or is a function.
func IsBroken(text string) bool {
	depth, isOrdered := 0, true
	for _, r := range quotedText.ReplaceAllString(text, "") {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		isOrdered = isOrdered && depth >= 0
	}
	ends := strings.ContainsAny(text, ";{}") || strings.Contains(text, "/*") || strings.Contains(text, "*/")
	return ends || depth != 0 || !isOrdered || call.MatchString(text)
}
