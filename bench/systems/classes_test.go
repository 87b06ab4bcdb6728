package systems

import (
	"html"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// class is a reason why a value of tokens.css is not that of the package's own stylesheet, which the two values show.
type class struct {
	name  string
	holds func(p pair) bool
}

// classes are asked in their order.
var classes = []class{
	{"the package's build wrote what is not CSS", func(p pair) bool {
		return regexp.MustCompile(`\bundefined\b|\[object|\bnan\b|\{`).MatchString(p.theirs)
	}},
	{"the package's stylesheet has the number with more or fewer digits", func(p pair) bool {
		return alike(p, func(a, b string) bool { return a == b }, rounded)
	}},
	{"the package's build writes an alpha as two digits of hexadecimal, or a channel of a colour off by 1 of 255", func(p pair) bool {
		return alike(p, nearColor, rounded)
	}},
	{"the package's build gives a colour of the file an alpha", func(p pair) bool {
		return p.inFiles(p.ours) && alike(p, func(a, b string) bool { return channels(a) == channels(b) }, rounded)
	}},
	{"the package's build writes rem for the file's px, or px for its rem, with 16px a rem", func(p pair) bool {
		p.ours, p.theirs = inPixels(p.ours), inPixels(p.theirs)
		return alike(p, nearColor, func(a, b string) bool { return math.Abs(float(a)-float(b)) <= 0.08 })
	}},
	{"the package's build adds a unit to the file's number", func(p pair) bool {
		return p.inFiles(p.ours) && number.FindString(p.ours) == p.ours && regexp.MustCompile(`^(rem|px|em|ms|s)$`).MatchString(strings.TrimPrefix(p.theirs, p.ours))
	}},
	{"an empty value is served as an empty text in quotes", func(p pair) bool { return p.ours == `""` && p.theirs == "" }},
	{"only the quotes around a name or a text differ", func(p pair) bool { return unquoted(p.ours) == unquoted(p.theirs) }},
	{"the stylesheet has the property in several rules, and another rule has what is served", func(p pair) bool { return slices.Contains(p.others, p.ours) }},
	{"the file itself writes var(), and the package's build put the value in its place", func(p pair) bool {
		p.ours = plain(resolved(p.written, p.sheet, 0))
		return strings.Contains(p.written, "var(") && alike(p, nearColor, rounded)
	}},
	{"the file's text has the entities of HTML, and the package's build decodes them", func(p pair) bool {
		return html.UnescapeString(unescaped(p.written)) != unescaped(p.written) && unquoted(html.UnescapeString(unescaped(p.written))) == p.bare()
	}},
	{"a text with url() or a backslash is served in quotes, as the text that it is: a token can make no browser load anything", func(p pair) bool {
		return strings.ContainsAny(p.raw, `\:`) && unescaped(p.written) == p.bare()
	}},
	{"the package's build writes clamp() as max() and min()", func(p pair) bool { return clamp.ReplaceAllString(p.ours, "max($1, min($2,$3) )") == p.theirs }},
	{"the package's build minifies the SVG in a data: URL, which is served in quotes as it stands in the file", func(p pair) bool {
		const svg = "url(data:image/svg+xml"
		return strings.HasPrefix(p.bare(), svg) && strings.HasPrefix(unescaped(p.written), svg) && p.inFiles(p.ours)
	}},
	{"the package's stylesheet refers to a custom property that it does not have", func(p pair) bool { return strings.Contains(p.theirs, "var(") }},
	{"the files give the token several values: the last set or file that is pushed counts, and the stylesheet has another", func(p pair) bool {
		return alike(p, func(a, b string) bool { return a == b || p.inFiles(a) && p.inFiles(b) }, rounded) || p.inFiles(p.ours) && p.inFiles(p.theirs)
	}},
}

// inFiles reports whether the token files have this value, as it is or in quotes.
func (p pair) inFiles(value string) bool {
	return slices.ContainsFunc(p.files, func(v string) bool { return v == value || value[:1] == `"` && unescaped(v) == unescaped(value) })
}

// bare is the value of the stylesheet without blanks and quotes.
func (p pair) bare() string {
	return unquoted(strings.ToLower(strings.Join(strings.Fields(p.raw), "")))
}

var clamp = regexp.MustCompile(`^clamp\(([^,]*),([^,]*),([^,]*)\)$`)

var color = regexp.MustCompile(`color\([^()]*\) ?`)

// alike reports whether the two values are one but for their colours and the other numbers, which agree pair by pair.
func alike(p pair, colors, numbers func(a, b string) bool) bool {
	return samePairs(color, p.ours, p.theirs, colors) &&
		samePairs(number, color.ReplaceAllString(p.ours, "color"), color.ReplaceAllString(p.theirs, "color"), numbers)
}

// nearColor reports whether two colours differ by no more than what their spelling as bytes loses.
func nearColor(a, b string) bool {
	x, y := number.FindAllString(a, -1), number.FindAllString(b, -1)
	for i := range min(len(x), 3) {
		if math.Abs(float(x[i])-float(y[i])) > 1 {
			return false
		}
	}
	return len(x) == 4 && len(y) == 4 && math.Abs(float(x[3])-float(y[3])) <= 0.5/255+0.0006
}

// channels is a colour without its alpha.
func channels(color string) string { return strings.Join(number.FindAllString(color, 3), " ") }

// samePairs reports whether two texts are one but for what matches part, which agrees pair by pair.
func samePairs(part *regexp.Regexp, a, b string, agree func(a, b string) bool) bool {
	if part == number && part.ReplaceAllString(a, "0") != part.ReplaceAllString(b, "0") {
		return false
	}
	x, y := part.FindAllString(a, -1), part.FindAllString(b, -1)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !agree(x[i], y[i]) {
			return false
		}
	}
	return true
}

// rounded reports whether one number is the other with fewer digits after the point.
func rounded(a, b string) bool {
	digits := min(decimals(a), decimals(b))
	return math.Abs(float(a)-float(b)) <= 0.5001*math.Pow10(-digits)
}

func decimals(number string) int {
	_, after, _ := strings.Cut(number, ".")
	return len(after)
}

func float(text string) float64 {
	f, _ := strconv.ParseFloat(text, 64)
	return f
}

var rems = regexp.MustCompile(`-?\d*\.?\d+rem\b`)

func inPixels(value string) string {
	return rems.ReplaceAllStringFunc(value, func(rem string) string {
		return strconv.FormatFloat(float(strings.TrimSuffix(rem, "rem"))*16, 'f', -1, 64) + "px"
	})
}

func unquoted(value string) string { return strings.NewReplacer(`"`, "", `'`, "").Replace(value) }

var escape = regexp.MustCompile(`\\([0-9a-f]{1,6}) ?|\\(.)`)

// unescaped is a text of CSS without its quotes and escapes.
func unescaped(value string) string {
	value = escape.ReplaceAllStringFunc(strings.ToLower(value), func(e string) string {
		n, err := strconv.ParseUint(strings.TrimSpace(e[1:]), 16, 32)
		if err != nil {
			return e[1:]
		}
		return string(rune(n))
	})
	return unquoted(strings.Join(strings.Fields(value), ""))
}

// The class of a difference follows from its values.
func TestClasses(t *testing.T) {
	sheet := map[string]string{"--dark": "#111"}
	cases := []struct {
		own, theirs  string
		rules, files []string
		want         string // how the name of the class begins; empty if the values are alike
	}{
		{own: "#FFF", theirs: "rgb(255, 255, 255)"},
		{own: "0px 1px Inter", theirs: "0 1px inter"},
		{own: "hsl(0 100% 50% / 0.5)", theirs: "rgba(255,0,0,.5)"},
		{own: "1e5px", theirs: "100000px"},
		{own: "16px", theirs: "undefined", want: "the package's build wrote what"},
		{own: "33.333%", theirs: "33.33%", want: "the package's stylesheet has the number"},
		{own: "1px", theirs: "2px"},
		{own: "#00000080", theirs: "rgba(0, 0, 0, .5)", want: "the package's build writes an alpha"},
		{own: "#000000", theirs: "#000000a3", files: []string{"#000"}, want: "the package's build gives a colour"},
		{own: "#000000", theirs: "#000000a3"},
		{own: "24px", theirs: "1.5rem", want: "the package's build writes rem"},
		{own: "24px", theirs: "2.5rem"},
		{own: "0.375", theirs: "0.375rem", files: []string{"0.375"}, want: "the package's build adds a unit"},
		{own: `""`, theirs: "", want: "an empty value"},
		{own: `"Segoe UI"`, theirs: "Segoe UI", want: "only the quotes"},
		{own: "#222222", theirs: "#333", rules: []string{"#333", "#222"}, want: "the stylesheet has the property in several rules"},
		{own: "var(--dark)", theirs: "#111111", want: "the file itself writes var()"},
		{own: `"A, \26 #x27;B\26 #x27;"`, theirs: "A, 'B'", want: "the file's text has the entities"},
		{own: `"url(\22 data:image/svg+xml,\3c svg/\3e \22)"`, theirs: `url("data:image/svg+xml,<svg/>")`, want: "a text with url()"},
		{own: "clamp(1px, 2vw, 3px)", theirs: "max(1px,min(2vw,3px))", want: "the package's build writes clamp()"},
		{own: "1px", theirs: "var(--nowhere)", want: "the package's stylesheet refers"},
		{own: "2px", theirs: "3px", files: []string{"3px", "2px"}, want: "the files give the token several"},
		{own: "0 1px #222", theirs: "0 1px #333", files: []string{"1px", "#222", "#333"}, want: "the files give the token several"},
		{own: "2px", theirs: "3px", files: []string{"2px"}},
		{own: "2px", theirs: "3px", files: []string{"4px"}},
	}
	for _, c := range cases {
		sheet["--t"] = c.theirs
		p := newPair("--t", c.own, sheet, c.rules, c.files)
		got := ""
		if at := slices.IndexFunc(classes, func(c class) bool { return c.holds(p) }); at >= 0 && p.ours != p.theirs {
			got = classes[at].name
		}
		if !strings.HasPrefix(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%s, theirs %s: class %q, want %q", c.own, c.theirs, got, c.want)
		}
	}
}
