package tokenfile

import (
	"slices"
	"strings"
	"unicode"

	"example.com/livery/renderer/dtcg"
	"example.com/livery/spelling"
)

// SameType returns the known $type of which an unknown one is another spelling, or that stands for it in Tokens Studio; empty if
// there is none.
func SameType(unknown string) string {
	types := dtcg.TypeNames()
	if i := slices.IndexFunc(types, func(t string) bool { return letters(t) == letters(unknown) }); i >= 0 {
		return types[i]
	}
	for _, former := range FormerTypes() {
		if t := TypeOf(former); letters(former) == letters(unknown) && slices.Contains(types, t) {
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
