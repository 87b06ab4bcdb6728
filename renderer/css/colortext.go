package css

import (
	"math"
	"strings"
)

// reading says what a string is as a colour.
type reading uint8

const (
	noColorText reading = iota
	colorText           // a CSS colour whose value is known
	liveText            // a safe CSS colour that only a browser can compute: currentColor, color-mix()
	toolText            // a design tool's rgba(#rrggbb, 50%): known, but not CSS
)

// systemColors are the colours of CSS Color 4 that the user's system decides.
const systemColors = " accentcolor accentcolortext activetext buttonborder buttonface buttontext canvas canvastext currentcolor " +
	"field fieldtext graytext highlight highlighttext linktext mark marktext selecteditem selecteditemtext visitedtext "

// readColorText reads the colour that the trimmed text s spells.
func readColorText(s string) (colour, reading) {
	switch {
	case s == "":
		return colour{}, noColorText
	case s[0] == '#':
		return readHexColor(s)
	case s[len(s)-1] == ')':
		return readColorFunction(s)
	}
	word := lower(s)
	if rgb, ok := colorByName(word); ok {
		return fromRGB([3]uint8{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb)}), colorText
	}
	if word == "transparent" {
		return colour{}, colorText
	}
	if listed(systemColors, word) || listed(wideKeywords, word) {
		return colour{}, liveText
	}
	return colour{}, noColorText
}

// readHexColor reads "#rgb", "#rgba", "#rrggbb" or "#rrggbbaa".
func readHexColor(s string) (colour, reading) {
	rgba, ok := readHexText(s)
	if !ok {
		return colour{}, noColorText
	}
	c := fromRGB([3]uint8(rgba[:3]))
	c.alpha = alphaOfByte(rgba[3])
	return c, colorText
}

// alphaOfByte returns the shortest alpha of two or three decimals that stands for the byte.
func alphaOfByte(b uint8) float64 {
	alpha := math.Round(float64(b)*100/255) / 100
	if math.Round(alpha*255) == float64(b) {
		return alpha
	}
	return math.Round(float64(b)*1000/255) / 1000
}

func readHexText(s string) (rgba [4]uint8, ok bool) {
	rgba[3] = 0xff
	if s == "" || s[0] != '#' {
		return rgba, false
	}
	s = s[1:]
	width := 1
	if len(s) > 4 {
		width = 2
	}
	if count := len(s) / width; len(s)%width != 0 || count != 3 && count != 4 {
		return rgba, false
	}
	for i := 0; i < len(s); i += width {
		high, low := hexValue(s[i]), hexValue(s[i+width-1])
		if high|low > 0xF {
			return rgba, false
		}
		rgba[i/width] = high<<4 | low
	}
	return rgba, true
}

// hexValue returns the value of a hexadecimal digit, more than 15 if c is another character.
func hexValue(c byte) uint8 {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 0xFF
}

// readColorFunction reads a colour in functional notation, older or newer.
func readColorFunction(s string) (colour, reading) {
	if !safe(s) {
		return colour{}, noColorText
	}
	name := functionName(s)
	if listed(liveFunctions, name) {
		return colour{}, liveText
	}
	if !listed(colorFunctions, name) {
		return colour{}, noColorText
	}
	inside := trim(s[len(name)+1 : len(s)-1])
	if c, ok := readArguments(name, inside); ok {
		return c, colorText
	}
	if c, ok := readToolColor(name, inside); ok {
		return c, toolText
	}
	if browserComputes(name, inside) {
		return colour{}, liveText
	}
	return colour{}, noColorText
}

// browserComputes reports whether a colour function with these arguments is more than constants.
func browserComputes(name, inside string) bool {
	switch name {
	case "color-mix", "contrast-color", "device-cmyk", "light-dark":
		return inside != ""
	}
	if strings.HasPrefix(lower(inside), "from ") {
		return true // relative colour
	}
	for _, function := range [...]string{"var", "env", "calc", "min", "max", "clamp"} {
		if hasFunction(inside, function) {
			return true
		}
	}
	return false
}

// readToolColor reads a colour and an alpha, as design tools write "rgba({brand}, 50%)".
func readToolColor(name, inside string) (colour, bool) {
	if name != "rgb" && name != "rgba" && name != "hsl" && name != "hsla" {
		return colour{}, false
	}
	parts := split(inside, ',')
	if len(parts) != 2 || len(parts[0]) > maxToolColor {
		return colour{}, false
	}
	c, reading := readColorText(parts[0])
	if reading != colorText {
		return colour{}, false
	}
	alpha, none, ok := readArgument(parts[1], 1, false)
	c.alpha = clamped(alpha)
	return c, ok && !none
}

// maxToolColor bounds the colour inside a design tool's rgba(), which is a colour text of its own.
const maxToolColor = 64

// arguments are those of a colour function, and how they were separated.
type arguments struct {
	list  [4]string
	count int
	older bool // separated by commas
}

// readArguments reads the constant arguments of a colour function.
func readArguments(name, inside string) (colour, bool) {
	c := colour{alpha: 1}
	if name == "color" {
		word, rest, _ := strings.Cut(inside, " ")
		known := false
		if c.space, known = spaceByName(lower(word)); !known || c.space.ownFunction() {
			return c, false
		}
		inside = trim(rest)
	} else if name != "rgb" && name != "rgba" {
		c.space, _ = spaceByName(strings.TrimSuffix(name, "a"))
		if !c.space.ownFunction() {
			return c, false
		}
	}
	args, ok := separate(inside)
	if !ok || args.older && !c.knowsCommas(name, &args) {
		return c, false
	}
	return c, c.readList(name, &args)
}

// separate cuts "a b c", "a b c / d", "a, b, c" or "a, b, c, d".
func separate(inside string) (arguments, bool) {
	var args arguments
	parts := split(inside, ',')
	if args.older = len(parts) > 1; !args.older {
		front, alpha, hasAlpha := strings.Cut(inside, "/")
		parts = split(front, ' ')
		if len(parts) != 3 {
			return args, false
		}
		if hasAlpha {
			parts = append(parts, trim(alpha))
		}
	}
	args.count = len(parts)
	if args.count != 3 && args.count != 4 {
		return args, false
	}
	return args, args.count == copy(args.list[:], parts)
}

// knowsCommas reports whether the older syntax, which has commas, allows these arguments.
func (c *colour) knowsCommas(name string, args *arguments) bool {
	percent := [3]bool{}
	for i := range percent {
		percent[i] = strings.HasSuffix(args.list[i], "%")
	}
	switch name {
	case "rgb", "rgba":
		return percent[0] == percent[1] && percent[1] == percent[2]
	case "hsl", "hsla":
		return !percent[0] && percent[1] && percent[2]
	}
	return false
}

// readList reads three components and perhaps an alpha, and clamps what CSS clamps as it reads.
func (c *colour) readList(name string, args *arguments) bool {
	for i := range c.c {
		whole, isHue := c.space.whole(i), i == c.space.hueAt()
		f, none, ok := readArgument(args.list[i], whole, isHue)
		if !ok || none && args.older {
			return false
		}
		if name == "rgb" || name == "rgba" {
			if !strings.HasSuffix(args.list[i], "%") {
				f /= 255
			}
			f = clamped(f)
		}
		c.c[i], c.none[i] = f, none
	}
	c.clampParsed()
	if args.count == 4 {
		alpha, none, ok := readArgument(args.list[3], 1, false)
		c.alpha, c.none[3] = clamped(alpha), none
		return ok && !(none && args.older)
	}
	return true
}

// clampParsed keeps lightness in its range and chroma and saturation from 0 on.
func (c *colour) clampParsed() {
	switch c.space {
	case spaceHSL:
		c.c[1] = math.Max(0, c.c[1])
	case spaceLab, spaceLCH, spaceOKLab, spaceOKLCH:
		c.c[0] = math.Max(0, math.Min(c.space.whole(0), c.c[0]))
		if c.space.hueAt() == 2 {
			c.c[1] = math.Max(0, c.c[1])
		}
	}
}

// readArgument reads a number, a percentage of whole, an angle if the argument is a hue, or
// "none".
func readArgument(s string, whole float64, isHue bool) (f float64, none, ok bool) {
	if lower(s) == "none" {
		return 0, true, true
	}
	n := numberEnd(s)
	if n == 0 {
		return 0, false, false
	}
	unit := lower(s[n:])
	text := s[:n]
	if unit == "%" && !isHue {
		unit = ""
		if strings.ContainsAny(text, "eE") {
			return 0, false, false // no author writes 1e1%
		}
		text += "e-2" // exact, if a division is not
	} else {
		whole = 1
	}
	f, ok = parseFloat(text)
	if !ok {
		return 0, false, false
	}
	if unit != "" {
		whole, ok = degrees(unit)
		return f * whole, false, ok && isHue
	}
	return f * whole, false, true
}

// degrees returns how many degrees an angle unit holds.
func degrees(unit string) (float64, bool) {
	switch unit {
	case "deg":
		return 1, true
	case "grad":
		return 0.9, true
	case "rad":
		return 180 / math.Pi, true
	case "turn":
		return 360, true
	}
	return 0, false
}
