package css

import "strings"

// fontKeywords may stand before the size in a font shorthand.
const fontKeywords = " normal italic oblique small-caps condensed expanded semi-condensed semi-expanded extra-condensed " +
	"extra-expanded ultra-condensed ultra-expanded bold bolder lighter "

// appendFontText appends the font shorthand that s spells: keywords and a weight, the size, perhaps
// a line height after a slash, and families.
func appendFontText(dst []byte, s string) ([]byte, *Misfit) {
	const what = "not a font shorthand"
	if !safe(s) {
		return dst, misfitText(s, what)
	}
	rest := s
	for before := 0; before <= 4; before++ {
		word, after, _ := strings.Cut(rest, " ")
		if after = trimLeft(after); after == "" {
			break
		}
		if next, ok := appendBeforeSize(dst, word); ok {
			dst, rest = append(next, ' '), after
			continue
		}
		next, ok := appendSizeAndHeight(dst, word)
		if !ok {
			break
		}
		return appendFamilyText(append(next, ' '), after)
	}
	return dst, &Misfit{What: what}
}

// appendFamilyText appends the families that end a font shorthand.
func appendFamilyText(dst []byte, s string) ([]byte, *Misfit) {
	start := len(dst)
	if dst = appendFamilies(dst, start, s); len(dst) == start {
		return dst, &Misfit{What: "not a font shorthand"}
	}
	return dst, nil
}

func appendBeforeSize(dst []byte, word string) ([]byte, bool) {
	if listed(fontKeywords, lower(word)) {
		return append(dst, lower(word)...), true
	}
	if n := numberEnd(word); n == 0 || n != len(word) {
		return dst, false
	}
	dst, ok := appendNumber(dst, word)
	return dst, ok && word[0] != '-'
}

func appendSizeAndHeight(dst []byte, word string) ([]byte, bool) {
	size, height, hasHeight := strings.Cut(word, "/")
	dst, ok := fontSize.try(dst, size)
	if !ok || !hasHeight {
		return dst, ok
	}
	return lineHeight.try(append(dst, '/'), height)
}
