package compute

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

// The colour spaces in which Tokens Studio modifies colours.
const (
	srgb = "srgb"
	p3   = "p3"
	hsl  = "hsl"
	lch  = "lch"
)

type vector [3]float64

type matrix [3]vector

func (m matrix) times(v vector) (r vector) {
	for i := range m {
		r[i] = m[i][0]*v[0] + m[i][1]*v[1] + m[i][2]*v[2]
	}
	return r
}

// The matrices of CSS Color 4, section 17.
var (
	srgbToXYZ = matrix{
		{0.41239079926595934, 0.357584339383878, 0.1804807884018343},
		{0.21263900587151027, 0.715168678767756, 0.07219231536073371},
		{0.01933081871559182, 0.11919477979462598, 0.9505321522496607},
	}
	xyzToSRGB = matrix{
		{3.2409699419045226, -1.537383177570094, -0.4986107602930034},
		{-0.9692436362808796, 1.8759675015077202, 0.04155505740717559},
		{0.05563007969699366, -0.20397695888897652, 1.0569715142428786},
	}
	p3ToXYZ = matrix{
		{0.4865709486482162, 0.26566769316909306, 0.1982172852343625},
		{0.2289745640697488, 0.6917385218365064, 0.079286914093745},
		{0, 0.04511338185890264, 1.043944368900976},
	}
	xyzToP3 = matrix{
		{2.493496911941425, -0.9313836179191239, -0.40271078445071684},
		{-0.8294889695615747, 1.7626640603183463, 0.023624685841943577},
		{0.03584583024378447, -0.07617238926804182, 0.9568845240076872},
	}
	toD50 = matrix{
		{1.0479297925449969, 0.022946870601609652, -0.05019226628920524},
		{0.02962780877005599, 0.9904344267538799, -0.017073799063418826},
		{-0.009243040646204504, 0.015055191490298152, 0.7518742814281371},
	}
	toD65 = matrix{
		{0.955473421488075, -0.02309845494876471, 0.06325924320057072},
		{-0.0283697093338637, 1.0099953980813041, 0.021041441191917323},
		{0.012314014864481998, -0.020507649298898964, 1.330365926242124},
	}
	whiteD50 = vector{0.9642956764295677, 1, 0.8251046025104602}
)

// color is a colour as CIE XYZ (D65), with its opacity.
type color struct {
	xyz   vector
	alpha float64
}

// in returns the components of a colour in a space: parts between 0 and 1, but hue in degrees (NaN if it has none),
// saturation and lightness in hundredths, chroma as it is.
func (c color) in(space string) vector {
	switch space {
	case p3:
		return each(xyzToP3.times(c.xyz), encode)
	case lch:
		return toLCH(c.xyz)
	case hsl:
		return toHSL(each(xyzToSRGB.times(c.xyz), encode))
	}
	return each(xyzToSRGB.times(c.xyz), encode)
}

// colorIn is the colour of components in a space.
func colorIn(space string, v vector, alpha float64) color {
	switch space {
	case p3:
		return color{p3ToXYZ.times(each(v, decode)), alpha}
	case lch:
		return color{fromLCH(v), alpha}
	case hsl:
		return color{srgbToXYZ.times(each(fromHSL(v), decode)), alpha}
	}
	return color{srgbToXYZ.times(each(v, decode)), alpha}
}

func each(v vector, f func(float64) float64) vector { return vector{f(v[0]), f(v[1]), f(v[2])} }

// encode and decode are the transfer function of sRGB and Display P3, mirrored for negative parts.
func encode(x float64) float64 {
	if a := math.Abs(x); a > 0.0031308 {
		return math.Copysign(1.055*math.Pow(a, 1/2.4)-0.055, x)
	}
	return 12.92 * x
}

func decode(x float64) float64 {
	if a := math.Abs(x); a > 0.04045 {
		return math.Copysign(math.Pow((a+0.055)/1.055, 2.4), x)
	}
	return x / 12.92
}

const (
	labEpsilon = 216.0 / 24389
	labKappa   = 24389.0 / 27
	gray       = 0.02 // of smaller a and b the hue does not count
)

func toLCH(xyz vector) vector {
	d50 := toD50.times(xyz)
	var f vector
	for i := range f {
		if x := d50[i] / whiteD50[i]; x > labEpsilon {
			f[i] = math.Cbrt(x)
		} else {
			f[i] = (labKappa*x + 16) / 116
		}
	}
	a, b := 500*(f[0]-f[1]), 200*(f[1]-f[2])
	hue := math.NaN()
	if math.Abs(a) >= gray || math.Abs(b) >= gray {
		hue = math.Mod(math.Atan2(b, a)*180/math.Pi+360, 360)
	}
	return vector{116*f[1] - 16, math.Hypot(a, b), hue}
}

func fromLCH(v vector) vector {
	hue := v[2] * math.Pi / 180
	if math.IsNaN(hue) {
		hue, v[1] = 0, 0
	}
	fy := (v[0] + 16) / 116
	f := vector{fy + v[1]*math.Cos(hue)/500, fy, fy - v[1]*math.Sin(hue)/200}
	var xyz vector
	for i := range f {
		if cube := f[i] * f[i] * f[i]; cube > labEpsilon {
			xyz[i] = cube * whiteD50[i]
		} else {
			xyz[i] = (116*f[i] - 16) / labKappa * whiteD50[i]
		}
	}
	return toD65.times(xyz)
}

func toHSL(v vector) vector {
	most, least := max(v[0], v[1], v[2]), min(v[0], v[1], v[2])
	light, d := (most+least)/2, most-least
	if d < 1e-9 {
		return vector{math.NaN(), 0, 100 * light}
	}
	hue := 0.0
	switch most {
	case v[0]:
		hue = math.Mod((v[1]-v[2])/d+6, 6)
	case v[1]:
		hue = (v[2]-v[0])/d + 2
	default:
		hue = (v[0]-v[1])/d + 4
	}
	saturation := 0.0
	if light > 0 && light < 1 {
		saturation = (most - light) / min(light, 1-light)
	}
	return vector{60 * hue, 100 * saturation, 100 * light}
}

func fromHSL(v vector) vector {
	hue, saturation, light := v[0], v[1]/100, v[2]/100
	if math.IsNaN(hue) {
		hue = 0
	}
	part := func(n float64) float64 {
		k := math.Mod(n+hue/30, 12)
		return light - saturation*min(light, 1-light)*max(-1, min(k-3, 9-k, 1))
	}
	return vector{part(0), part(8), part(4)}
}

// isInside reports whether a colour can be shown in a space, but for what rounding makes of it.
func (c color) isInside(space string) bool {
	if space == lch {
		return true
	}
	if space == hsl {
		space = srgb
	}
	for _, x := range c.in(space) {
		if x < -1e-4 || x > 1+1e-4 {
			return false
		}
	}
	return true
}

// spell writes a colour in a space as CSS, with five digits.
func (c color) spell(space string) string {
	v := c.in(space)
	switch space {
	case hsl:
		return "hsl(" + hue(v[0]) + " " + digits(v[1]) + "% " + digits(v[2]) + "%" + c.opacity() + ")"
	case lch:
		return "lch(" + digits(v[0]) + " " + digits(v[1]) + " " + hue(v[2]) + c.opacity() + ")"
	case p3:
		return "color(display-p3 " + digits(unit(v[0])) + " " + digits(unit(v[1])) + " " + digits(unit(v[2])) + c.opacity() + ")"
	}
	return "rgb(" + digits(100*unit(v[0])) + "% " + digits(100*unit(v[1])) + "% " + digits(100*unit(v[2])) + "%" + c.opacity() + ")"
}

func (c color) opacity() string {
	if c.alpha >= 1 {
		return ""
	}
	return " / " + digits(c.alpha)
}

// hex writes a colour of sRGB in hexadecimal.
func (c color) hex() string {
	text := "#"
	v := c.in(srgb)
	parts := v[:]
	if c.alpha < 1 {
		parts = append(parts, c.alpha)
	}
	for _, x := range parts {
		n := strconv.FormatInt(int64(math.Round(255*unit(x)+1e-6)), 16) // the way through XYZ loses the last digits
		text += strings.Repeat("0", 2-len(n)) + n
	}
	return text
}

func unit(x float64) float64 { return max(0, min(1, x)) }

func hue(x float64) string {
	if text := digits(x); text != "360" {
		return text
	}
	return "0"
}

// digits spells a number with five digits, and the lack of one as CSS does.
func digits(x float64) string {
	if math.IsNaN(x) {
		return "none"
	}
	if math.Abs(x) < 1e-9 {
		return "0"
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 5, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// written are the colours that this package writes.
var written = regexp.MustCompile(`^(lch|hsl|rgb|color)\((?:display-p3 )?([\d.e-]+|none)%? ([\d.e-]+|none)%? ([\d.e-]+|none)%?(?: / ([\d.]+))?\)$`)

// parse reads a colour: those that spell writes exactly, and all others as they are in sRGB.
func parse(text string) (color, bool) {
	if m := written.FindStringSubmatch(text); m != nil {
		return parseWritten(m, strings.Contains(text, "display-p3"), strings.Contains(text, "%"))
	}
	primitive, misfit := css.AppendPrimitive(nil, css.Color, jsontree.NewString(text))
	if misfit != nil {
		return color{}, false
	}
	return parseSRGB(strings.Trim(string(primitive), `"`))
}

func parseWritten(m []string, isP3, hasPercent bool) (color, bool) {
	var v vector
	for i := range v {
		n, err := strconv.ParseFloat(m[2+i], 64)
		if err != nil {
			n = math.NaN()
		}
		v[i] = n
	}
	alpha := 1.0
	if m[5] != "" {
		alpha, _ = strconv.ParseFloat(m[5], 64)
	}
	switch {
	case m[1] == "color" && !isP3 || m[1] == "rgb" && !hasPercent:
		return color{}, false
	case m[1] == "color":
		return colorIn(p3, v, alpha), true
	case m[1] == "rgb":
		return colorIn(srgb, vector{v[0] / 100, v[1] / 100, v[2] / 100}, alpha), true
	}
	return colorIn(m[1], v, alpha), true
}

var commas = regexp.MustCompile(`^rgba\((\d+), (\d+), (\d+), ([\d.]+)\)$`)

// parseSRGB reads a colour as tokens.values.json spells it.
func parseSRGB(text string) (color, bool) {
	if len(text) == 7 && text[0] == '#' {
		n, err := strconv.ParseUint(text[1:], 16, 32)
		return colorIn(srgb, vector{float64(n>>16) / 255, float64(n>>8&255) / 255, float64(n&255) / 255}, 1), err == nil
	}
	m := commas.FindStringSubmatch(text)
	if m == nil {
		return color{}, false
	}
	var v vector
	for i := range v {
		n, _ := strconv.ParseFloat(m[1+i], 64)
		v[i] = n / 255
	}
	alpha, _ := strconv.ParseFloat(m[4], 64)
	return colorIn(srgb, v, alpha), true
}
