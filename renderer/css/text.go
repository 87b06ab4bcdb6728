package css

import (
	"strings"

	"example.com/livery/renderer/jsontree"
)

// wideKeywords are the keywords that every property takes: a custom property that holds one counts
// as unset or inherited.
const wideKeywords = " inherit initial revert revert-layer revert-rule unset "

// isWide reports whether s is one of wideKeywords, in any case. All but these are told by their length.
func isWide(s string) bool {
	switch len(s) {
	case len("unset"), len("revert"), len("inherit"), len("revert-rule"), len("revert-layer"):
		return listed(wideKeywords, lower(s))
	}
	return false
}

// textOf returns the text of a String, trimmed and with every blank a space.
func textOf(v *jsontree.Node) (string, bool) {
	if !v.IsString() {
		return "", false
	}
	s := v.Text
	if v.IsPlain() {
		return trim(s), true
	}
	for i := range len(s) {
		if s[i] < ' ' {
			return trim(string(blanked(s))), true
		}
	}
	return trim(s), true
}

// blanked returns s with a space for every blank of CSS.
func blanked(s string) []byte {
	b := []byte(s)
	for i, c := range b {
		if c == '\t' || c == '\n' || c == '\r' || c == '\f' {
			b[i] = ' '
		}
	}
	return b
}

func trim(s string) string {
	s = trimLeft(s)
	for s != "" && s[len(s)-1] == ' ' {
		s = s[:len(s)-1]
	}
	return s
}

// squeezed returns s in lower case without blanks, hyphens and underscores.
func squeezed(s string) string {
	b := []byte(lower(s))
	kept := b[:0]
	for _, c := range b {
		if c != ' ' && c != '-' && c != '_' {
			kept = append(kept, c)
		}
	}
	return string(kept)
}

// lower returns s with ASCII letters in lower case. Other letters keep theirs: CSS knows no other
// case folding, so a Kelvin sign does not match "k". Inlined into its many callers it would add 15 KB to the
// guest.
//
//go:noinline
func lower(s string) string {
	for i := range len(s) {
		if s[i] >= 'A' && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] |= 0x20
				}
			}
			return string(b)
		}
	}
	return s
}

// listed reports whether word stands in list, which begins and ends with a blank and has one
// between words.
func listed(list, word string) bool {
	if word == "" || word[0] >= '0' && word[0] <= '9' || strings.IndexByte(word, ' ') >= 0 {
		return false // no list holds a number
	}
	for {
		i := strings.Index(list, word)
		if i < 0 {
			return false
		}
		end := i + len(word)
		if i > 0 && list[i-1] == ' ' && list[end] == ' ' {
			return true
		}
		list = list[end:]
	}
}
