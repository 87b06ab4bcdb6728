package css

// mathFunctions may stand where a number with a unit is wanted.
const mathFunctions = " abs acos asin atan atan2 calc clamp cos exp hypot log max min mod pow rem round sign sin sqrt tan "

// liveFunctions stand for whatever the page gives them.
const liveFunctions = " env var "

// colorFunctions give a colour.
const colorFunctions = " color color-mix contrast-color device-cmyk hsl hsla hwb lab lch light-dark oklab oklch rgb rgba "

// gradientFunctions give an image without fetching one.
const gradientFunctions = " conic-gradient linear-gradient radial-gradient " +
	"repeating-conic-gradient repeating-linear-gradient repeating-radial-gradient "

// easingFunctions shape a transition in time.
const easingFunctions = " cubic-bezier linear steps "

// otherFunctions complete the allow-list: transforms, filters, and the sizes of grid tracks.
const otherFunctions = " matrix matrix3d perspective rotate rotate3d rotatex rotatey rotatez scale scale3d scalex scaley scalez " +
	"skew skewx skewy translate translate3d translatex translatey translatez " +
	"blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia " +
	"fit-content minmax repeat "

// allowed reports whether a function of this name may be written raw. Every function that fetches
// (url, src, image, image-set, cross-fade, element) or reads the page (attr, paint) is missing.
func allowed(name string) bool {
	name = lower(name)
	return listed(mathFunctions, name) || listed(liveFunctions, name) || listed(colorFunctions, name) ||
		listed(gradientFunctions, name) || listed(easingFunctions, name) || listed(otherFunctions, name)
}
