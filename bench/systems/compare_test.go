package systems

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// compare compares the values of tokens.css with those of the package's own stylesheets, both without references.
func (r *row) compare(t *testing.T) {
	t.Helper()
	if len(r.css) == 0 {
		return
	}
	theirs := map[string]string{}
	for _, name := range r.css {
		text, err := os.ReadFile(filepath.Join("node_modules", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range property.FindAllStringSubmatch(withoutComments(string(text)), -1) {
			if _, twice := theirs[m[1]]; !twice { // the first rule is the usual mode
				theirs[m[1]] = strings.TrimSpace(m[2])
			}
		}
	}
	ours := map[string]string{}
	for _, m := range property.FindAllStringSubmatch(withoutComments(r.sheet), -1) {
		ours[key(m[1])] = strings.TrimSpace(m[2])
	}
	groups := map[string][]string{}
	for name, value := range theirs {
		own, ok := ours[key(strings.TrimPrefix(strings.TrimLeft(name, "-"), r.strip))]
		if !ok {
			continue
		}
		r.compared++
		value = resolved(value, theirs, 0)
		if why := difference(own, value); why != "" {
			r.differ++
			groups[why] = append(groups[why], fmt.Sprintf("`%s` is `%s`, theirs `%s`", name, clip(own), clip(value)))
		}
	}
	for _, why := range inOrder(groups) {
		r.examples = append(r.examples, fmt.Sprintf("%d: %s. %s", len(groups[why]), why, least(groups[why])))
	}
}

func least(list []string) string {
	first := list[0]
	for _, s := range list {
		first = min(first, s)
	}
	return first
}

func clip(s string) string {
	if s = strings.Join(strings.Fields(s), " "); len(s) > 60 {
		return s[:57] + "…"
	}
	return strings.ReplaceAll(s, "|", "\\|")
}

var reference = regexp.MustCompile(`var\(\s*(--[\w-]+)\s*(?:,[^()]*)?\)`)

func resolved(value string, all map[string]string, depth int) string {
	if depth > 20 {
		return value
	}
	return reference.ReplaceAllStringFunc(value, func(ref string) string {
		if target, ok := all[reference.FindStringSubmatch(ref)[1]]; ok {
			return resolved(target, all, depth+1)
		}
		return ref
	})
}

// difference says how two values of CSS differ beyond their spelling; empty if they do not.
func difference(ours, theirs string) string {
	a, b := plain(ours), plain(theirs)
	if a == b || sameNumbers(a, b, 0.006) {
		return ""
	}
	unit := regexp.MustCompile(`(rem|px|em|ms|s)\b`)
	switch {
	case strings.Contains(b, "var("):
		return "theirs refers to a custom property that the stylesheet does not have"
	case strings.Contains(b, "undefined") || strings.Contains(b, "[object"):
		return "theirs is a defect of its build"
	case sameNumbers(regexp.MustCompile(`[\d.]+rem`).ReplaceAllStringFunc(a, inPixels), regexp.MustCompile(`[\d.]+rem`).ReplaceAllStringFunc(b, inPixels), 0.006):
		return "one is in rem and the other in px, with 16px a rem: a transform of their build"
	case sameNumbers(unit.ReplaceAllString(a, ""), unit.ReplaceAllString(b, ""), 0.006):
		return "the number is the same and the unit is not: their build adds or removes it"
	case strings.Trim(b, `"'`) == strings.Trim(a, `"'`) || strings.NewReplacer(`"`, "", `'`, "").Replace(a) == strings.NewReplacer(`"`, "", `'`, "").Replace(b):
		return "only quotes differ"
	}
	return "the values differ"
}

func inPixels(rem string) string {
	n, _ := strconv.ParseFloat(strings.TrimSuffix(rem, "rem"), 64)
	return strconv.FormatFloat(n*16, 'f', -1, 64) + "px"
}

var (
	hexColor   = regexp.MustCompile(`#[0-9a-f]{3,8}\b`)
	functional = regexp.MustCompile(`(rgba?|hsla?)\(([^()]*)\)`)
	spaces     = regexp.MustCompile(`\s*([,()/])\s*|\s+`)
	zero       = regexp.MustCompile(`\b0(?:px|rem|em)\b`)
)

// plain spells a value in one way: colours as numbers, without the units of zeros, spaces and quotes that say nothing.
func plain(value string) string {
	value = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(value), "!important"))
	value = hexColor.ReplaceAllStringFunc(value, func(h string) string { return hexNumbers(h[1:]) })
	value = functional.ReplaceAllStringFunc(value, colorNumbers)
	value = strings.ReplaceAll(value, "transparent", "color(0 0 0 0)")
	value = spaces.ReplaceAllStringFunc(value, func(s string) string { return strings.TrimSpace(s) + " " })
	return zero.ReplaceAllString(strings.TrimSpace(strings.ReplaceAll(value, "'", `"`)), "0")
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
	return fmt.Sprintf("color(%d %d %d %.3f)", n>>24, n>>16&255, n>>8&255, float64(n&255)/255)
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
	return fmt.Sprintf("color(%.0f %.0f %.0f %.3f)", p[0], p[1], p[2], p[3])
}

func fromHSL(h, s, l float64) (r, g, b float64) {
	f := func(n float64) float64 {
		k := math.Mod(n+h/30, 12)
		return 255 * (l - s*min(l, 1-l)*max(-1, min(k-3, 9-k, 1)))
	}
	return f(0), f(8), f(4)
}

var number = regexp.MustCompile(`-?\d*\.?\d+`)

// sameNumbers reports whether two texts are one but for numbers that differ by less than a part.
func sameNumbers(a, b string, part float64) bool {
	if number.ReplaceAllString(a, "0") != number.ReplaceAllString(b, "0") {
		return false
	}
	x, y := number.FindAllString(a, -1), number.FindAllString(b, -1)
	for i := range x {
		n, _ := strconv.ParseFloat(x[i], 64)
		m, _ := strconv.ParseFloat(y[i], 64)
		if math.Abs(n-m) > part*max(1, math.Abs(m)) {
			return false
		}
	}
	return true
}
