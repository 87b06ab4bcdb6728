package validate

import (
	"slices"
	"strings"
	"unicode"

	"example.com/livery/cli/term"
	"example.com/livery/cli/tokenfile"
)

// These stand in a fault of an unknown $type, after the type and before the known ones.
const (
	unknownTypeMark = `" is not a known $type; the standard ones are `
	typesSeparator  = ", "
)

// NearestType returns the known $type that a message about an unknown one is likely about; empty if there is none, or if
// the message is about something else.
func NearestType(message string) string {
	before, after, ok := strings.Cut(message, unknownTypeMark)
	if !ok {
		return ""
	}
	wrong, types := before[strings.LastIndexByte(before, '"')+1:], strings.Split(after, typesSeparator)
	if i := slices.IndexFunc(types, func(t string) bool { return letters(t) == letters(wrong) }); i >= 0 {
		return types[i]
	}
	for _, former := range tokenfile.FormerTypes() {
		if t := tokenfile.TypeOf(former); letters(former) == letters(wrong) && slices.Contains(types, t) {
			return t
		}
	}
	return term.Nearest(wrong, types)
}

// WithNearestType ends a message about an unknown $type with the nearest known one.
func WithNearestType(message string) string {
	if near := NearestType(message); near != "" {
		return message + "; the nearest is " + near
	}
	return message
}

// letters returns the letters of a name in lower case, without an s at the end: font-family, fontFamily and font_families
// differ in spelling only.
func letters(name string) string {
	only := func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}
	return strings.TrimSuffix(strings.Map(only, name), "s")
}
