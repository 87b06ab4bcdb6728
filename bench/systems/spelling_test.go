package systems

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	hexColor   = regexp.MustCompile(`#[0-9a-f]{3,8}\b`)
	functional = regexp.MustCompile(`(rgba?|hsla?)\(([^()]*)\)`)
	spaces     = regexp.MustCompile(`\s*([,()/])\s*|\s+`)
	zero       = regexp.MustCompile(`\b0(?:px|rem|em)\b`)
	number     = regexp.MustCompile(`-?\d*\.?\d+`)
	words      = regexp.MustCompile(`[\w.%#-]+`)
	exponent   = regexp.MustCompile(`^-?\d*\.?\d+(?:e[+-]?\d+)?`)
	colorName  = regexp.MustCompile(`(^|[ ,(])(` + strings.Join(slices.Sorted(maps.Keys(colorNames)), "|") + `)\b`)
)

// colorNames are the names that a package's build puts in the place of colours, or takes away.
var colorNames = map[string]string{
	"black": "000", "blue": "00f", "blueviolet": "8a2be2", "cyan": "0ff", "deeppink": "ff1493", "floralwhite": "fffaf0", "fuchsia": "f0f", "gold": "ffd700",
	"lightblue": "add8e6", "orange": "ffa500", "orchid": "da70d6", "rebeccapurple": "639", "red": "f00", "white": "fff",
}

// plain spells a value in one way, so that what CSS reads alike is alike: colours as numbers, without the units of zeros,
// letters in lower case, one kind of quotes.
func plain(value string) string {
	value = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(value), "!important"))
	value = hexColor.ReplaceAllStringFunc(value, func(h string) string { return hexNumbers(h[1:]) })
	value = colorName.ReplaceAllStringFunc(value, func(m string) string {
		parts := colorName.FindStringSubmatch(m)
		return parts[1] + hexNumbers(colorNames[parts[2]])
	})
	value = functional.ReplaceAllStringFunc(value, colorNumbers)
	value = strings.ReplaceAll(value, "transparent", "color(0 0 0 0)")
	value = spaces.ReplaceAllStringFunc(value, func(s string) string { return strings.TrimSpace(s) + " " })
	value = zero.ReplaceAllString(strings.TrimSpace(strings.ReplaceAll(value, "'", `"`)), "0")
	return words.ReplaceAllStringFunc(value, func(word string) string {
		n := exponent.FindString(word)
		if n == "" {
			return word
		}
		return strconv.FormatFloat(float(n), 'f', -1, 64) + word[len(n):]
	})
}

func hexNumbers(h string) string {
	if len(h) < 6 {
		long := ""
		for _, c := range h {
			long += string(c) + string(c)
		}
		h = long
	}
	if len(h) == 6 {
		h += "ff"
	}
	n, _ := strconv.ParseUint(h, 16, 32)
	return fmt.Sprintf("color(%d %d %d %.4f)", n>>24, n>>16&255, n>>8&255, float64(n&255)/255)
}

func colorNumbers(text string) string {
	m := functional.FindStringSubmatch(text)
	var p []float64
	for _, part := range strings.FieldsFunc(m[2], func(r rune) bool { return strings.ContainsRune(" ,/", r) }) {
		n, err := strconv.ParseFloat(strings.TrimRight(part, "%deg"), 64)
		if err != nil {
			return text
		}
		if strings.HasSuffix(part, "%") {
			if n /= 100; strings.HasPrefix(m[1], "rgb") && len(p) < 3 {
				n *= 255
			}
		}
		p = append(p, n)
	}
	if len(p) == 3 {
		p = append(p, 1)
	}
	if len(p) != 4 {
		return text
	}
	if strings.HasPrefix(m[1], "hsl") {
		p[0], p[1], p[2] = fromHSL(p[0], p[1], p[2])
	}
	return fmt.Sprintf("color(%.0f %.0f %.0f %.4f)", p[0], p[1], p[2], p[3])
}

func fromHSL(h, s, l float64) (r, g, b float64) {
	f := func(n float64) float64 {
		k := math.Mod(n+h/30, 12)
		return 255 * (l - s*min(l, 1-l)*max(-1, min(k-3, 9-k, 1)))
	}
	return f(0), f(8), f(4)
}
