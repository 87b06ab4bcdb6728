package css

import "unicode/utf8"

// firstVisible is the first character after ASCII that shows: before it stand controls and the
// no-break space.
const firstVisible = 0xA1

// hidden lists, in order, the ranges from firstVisible on whose characters show nothing, reverse the
// direction of text, or have no meaning that two readers share: spaces, format and bidi characters,
// fillers, variation selectors, surrogates, private use, tags.
var hidden = [...]struct{ first, last rune }{
	{0x00AD, 0x00AD},
	{0x034F, 0x034F},
	{0x0600, 0x0605},
	{0x061C, 0x061C},
	{0x06DD, 0x06DD},
	{0x070F, 0x070F},
	{0x0890, 0x0891},
	{0x08E2, 0x08E2},
	{0x115F, 0x1160},
	{0x1680, 0x1680},
	{0x17B4, 0x17B5},
	{0x180B, 0x180F},
	{0x2000, 0x200F},
	{0x2028, 0x202F},
	{0x205F, 0x206F},
	{0x2800, 0x2800},
	{0x3000, 0x3000},
	{0x3164, 0x3164},
	{0xD800, 0xF8FF},
	{0xFDD0, 0xFDEF},
	{0xFE00, 0xFE0F},
	{0xFEFF, 0xFEFF},
	{0xFFA0, 0xFFA0},
	{0xFFF0, 0xFFFF},
	{0x110BD, 0x110BD},
	{0x110CD, 0x110CD},
	{0x13430, 0x1345F},
	{0x16FE4, 0x16FE4},
	{0x1BCA0, 0x1BCA3},
	{0x1D173, 0x1D17A},
	{0x1FFFE, 0x1FFFF},
	{0xE0000, utf8.MaxRune},
}

// visible reports whether r, beyond ASCII, is kept in names and in values that are written raw.
func visible(r rune) bool {
	if r < firstVisible {
		return false
	}
	for _, h := range hidden {
		if r <= h.last {
			return r < h.first
		}
	}
	return false
}
