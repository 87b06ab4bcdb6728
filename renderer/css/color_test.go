package css_test

import (
	"testing"

	"example.com/livery/renderer/css"
)

func TestColorObjects(t *testing.T) {
	check(t, css.Color, []row{
		{"sRGB is hex", `{"colorSpace":"srgb","components":[0.2,0.4,0.9]}`, `#3366e6`, ``},
		{"sRGB goes by its components", `{"colorSpace":"srgb","components":[1,0,0],"hex":"#00ff00"}`, `#ff0000`, ``},
		{"an alpha below 1", `{"colorSpace":"srgb","components":[0,0,0],"alpha":0.5}`, `rgba(0, 0, 0, 0.5)`, ``},
		{"an alpha of 1", `{"colorSpace":"srgb","components":[0,0,0],"alpha":1}`, `#000000`, ``},
		{"an alpha of 0", `{"colorSpace":"srgb","components":[1,1,1],"alpha":0}`, `rgba(255, 255, 255, 0)`, ``},
		{"an alpha above 1", `{"colorSpace":"srgb","components":[1,1,1],"alpha":7}`, ``, ``},
		{"an alpha below 0", `{"colorSpace":"srgb","components":[1,1,1],"alpha":-0.1}`, ``, ``},
		{"an exact half rounds up", `{"colorSpace":"srgb","components":[0.5,0.1,0.3]}`, `#801a4d`, ``},
		{"none is kept", `{"colorSpace":"srgb","components":["none",0.5,1]}`, `color(srgb none 0.5 1)`, `"#0080ff"`},
		{"an alpha of none", `{"colorSpace":"oklch","components":[0.5,0.1,250],"alpha":"none"}`, `oklch(0.5 0.1 250 / none)`, `"rgba(50, 102, 154, 0)"`},
		{"components in strings", `{"colorSpace":"srgb","components":["1","0",0]}`, `#ff0000`, ``},
		{"the earlier name of components", `{"colorSpace":"srgb","channels":[1,0,0]}`, `#ff0000`, ``},
		{"hex stands for components", `{"colorSpace":"hsl","components":{},"hex":"#ff0080","alpha":0.5}`, `rgba(255, 0, 128, 0.5)`, ``},
		{"numbers without exponent", `{"colorSpace":"oklab","components":[5e-1,1e-7,-0]}`, `oklab(0.5 0.0000001 0)`, `"#636363"`},
		{"a wide sRGB colour is mapped", `{"colorSpace":"srgb","components":[1.2,0,0]}`, `#ff6956`, ``},
		{"components beyond any colour", `{"colorSpace":"xyz-d65","components":[1e9,-1e9,1e9]}`, `color(xyz-d65 1000000000 -1000000000 1000000000)`, `"#000000"`},
		{"components beyond any number", `{"colorSpace":"xyz-d65","components":[1e400,0,0]}`, ``, ``},
		{"an unknown space", `{"colorSpace":"cmyk","components":[1,0,0]}`, ``, ``},
		{"two components", `{"colorSpace":"srgb","components":[1,0]}`, ``, ``},
		{"a component that is not a number", `{"colorSpace":"srgb","components":[1,0,"x"]}`, ``, ``},
		{"an alpha that is not a number", `{"colorSpace":"srgb","components":[1,0,0],"alpha":{}}`, ``, ``},
		{"no space", `{"components":[1,0,0]}`, ``, ``},
		{"a number", `1`, ``, ``},
	})
}

// Every colour space of DTCG 2025.10, as CSS writes it and converted to sRGB. The hex values agree
// with colorjs.io 0.7.1, which implements CSS Color 4; those outside of sRGB are gamut-mapped.
func TestColorSpaces(t *testing.T) {
	check(t, css.Color, []row{
		{"srgb-linear", `{"colorSpace":"srgb-linear","components":[1,0.5,0]}`, `color(srgb-linear 1 0.5 0)`, `"#ffbc00"`},
		{"hsl", `{"colorSpace":"hsl","components":[330,100,50]}`, `hsl(330 100% 50%)`, `"#ff0080"`},
		{"hsl with a negative hue", `{"colorSpace":"hsl","components":[-30,100,50]}`, `hsl(-30 100% 50%)`, `"#ff0080"`},
		{"hsl without hue", `{"colorSpace":"hsl","components":["none",0,100]}`, `hsl(none 0% 100%)`, `"#ffffff"`},
		{"hwb", `{"colorSpace":"hwb","components":[330,10,20],"alpha":0.25}`, `hwb(330 10% 20% / 0.25)`, `"rgba(204, 26, 115, 0.25)"`},
		{"hwb that is gray", `{"colorSpace":"hwb","components":[330,60,60]}`, `hwb(330 60% 60%)`, `"#808080"`},
		{"lab", `{"colorSpace":"lab","components":[60.17,93.54,-60.5]}`, `lab(60.17 93.54 -60.5)`, `"#ff00ff"`},
		{"lch", `{"colorSpace":"lch","components":[50,30,120]}`, `lch(50 30 120)`, `"#697e49"`},
		{"oklab", `{"colorSpace":"oklab","components":[0.5,0.05,-0.1]}`, `oklab(0.5 0.05 -0.1)`, `"#6a549b"`},
		{"oklch", `{"colorSpace":"oklch","components":[0.5,0.1,250]}`, `oklch(0.5 0.1 250)`, `"#32669a"`},
		{"display-p3", `{"colorSpace":"display-p3","components":[1,0,1],"alpha":0.5}`, `color(display-p3 1 0 1 / 0.5)`, `"rgba(255, 43, 251, 0.5)"`},
		{"a98-rgb", `{"colorSpace":"a98-rgb","components":[0.5,0.2,0.3]}`, `color(a98-rgb 0.5 0.2 0.3)`, `"#93304c"`},
		{"prophoto-rgb", `{"colorSpace":"prophoto-rgb","components":[0.5,0.2,0.3]}`, `color(prophoto-rgb 0.5 0.2 0.3)`, `"#bd0662"`},
		{"rec2020", `{"colorSpace":"rec2020","components":[0.5,0.2,0.3]}`, `color(rec2020 0.5 0.2 0.3)`, `"#940043"`},
		{"xyz-d65", `{"colorSpace":"xyz-d65","components":[0.25,0.2,0.3]}`, `color(xyz-d65 0.25 0.2 0.3)`, `"#a06a93"`},
		{"xyz-d50", `{"colorSpace":"xyz-d50","components":[0.25,0.2,0.3]}`, `color(xyz-d50 0.25 0.2 0.3)`, `"#986ca8"`},
		{"a given hex wins", `{"colorSpace":"oklch","components":[0.7016,0.3225,328.363],"hex":"#FF00FF"}`, `oklch(0.7016 0.3225 328.363)`, `"#ff00ff"`},
		{"a hex that is none does not", `{"colorSpace":"oklch","components":[0.5,0.1,250],"hex":"blue"}`, `oklch(0.5 0.1 250)`, `"#32669a"`},
		{"lighter than white", `{"colorSpace":"oklch","components":[1.5,0.3,20]}`, `oklch(1.5 0.3 20)`, `"#ffffff"`},
		{"as light as white", `{"colorSpace":"oklab","components":[1,-0.12,0.12]}`, `oklab(1 -0.12 0.12)`, `"#ffffff"`},
		{"darker than black", `{"colorSpace":"lab","components":[-5,0,0]}`, `lab(-5 0 0)`, `"#000000"`},
	})
}

func TestColorStrings(t *testing.T) {
	check(t, css.Color, []row{
		{"hex is verbatim", `"#3366E6"`, `#3366E6`, `"#3366e6"`},
		{"three digits", `"#36e"`, `#36e`, `"#3366ee"`},
		{"four digits", `"#36e8"`, `#36e8`, `"rgba(51, 102, 238, 0.533)"`},
		{"eight digits", `"#3366e680"`, `#3366e680`, `"rgba(51, 102, 230, 0.5)"`},
		{"eight opaque digits", `"#3366e6ff"`, `#3366e6ff`, `"#3366e6"`},
		{"five digits", `"#3366e"`, ``, ``},
		{"seven digits", `"#3366e6f"`, ``, ``},
		{"no hex digits", `"#36g"`, ``, ``},
		{"control characters are not digits", `"#\u0010\u0011\u0012"`, ``, ``},
		{"a keyword", `"RebeccaPurple"`, `RebeccaPurple`, `"#663399"`},
		{"the first and the last keyword", `"aliceblue"`, `aliceblue`, `"#f0f8ff"`},
		{"transparent", `"transparent"`, `transparent`, `"rgba(0, 0, 0, 0)"`},
		{"currentColor", `"currentColor"`, `currentColor`, misfit},
		{"a system colour", `"CanvasText"`, `CanvasText`, misfit},
		{"a CSS-wide keyword", `"inherit"`, `inherit`, misfit},
		{"rgb with commas", `"rgb(255, 0, 128)"`, `rgb(255, 0, 128)`, `"#ff0080"`},
		{"rgba with commas", `"rgba(0, 0, 0, .50)"`, `rgba(0, 0, 0, .50)`, `"rgba(0, 0, 0, 0.5)"`},
		{"rgb of percentages", `"rgb(100%, 0%, 50%)"`, `rgb(100%, 0%, 50%)`, `"#ff0080"`},
		{"rgb without commas", `"rgb(255 0 128 / 33.3%)"`, `rgb(255 0 128 / 33.3%)`, `"rgba(255, 0, 128, 0.333)"`},
		{"rgb without blanks at the slash", `"rgb(255 0 128/0.5)"`, `rgb(255 0 128/0.5)`, `"rgba(255, 0, 128, 0.5)"`},
		{"rgb is clamped", `"rgb(300 -20 128)"`, `rgb(300 -20 128)`, `"#ff0080"`},
		{"rgb with none", `"rgb(none 0 128)"`, `rgb(none 0 128)`, `"#000080"`},
		{"none with commas", `"rgb(none, 0, 128)"`, ``, ``},
		{"numbers and percentages with commas", `"rgb(100%, 0, 0)"`, ``, ``},
		{"hsl with commas", `"hsl(330, 100%, 50%)"`, `hsl(330, 100%, 50%)`, `"#ff0080"`},
		{"hsla", `"hsla(330deg, 100%, 50%, 50%)"`, `hsla(330deg, 100%, 50%, 50%)`, `"rgba(255, 0, 128, 0.5)"`},
		{"hsl in turns", `"hsl(0.5turn 100 50)"`, `hsl(0.5turn 100 50)`, `"#00ffff"`},
		{"hsl in grads", `"hsl(200grad 100% 50%)"`, `hsl(200grad 100% 50%)`, `"#00ffff"`},
		{"hsl in radians", `"hsl(3.14159265rad 100% 50%)"`, `hsl(3.14159265rad 100% 50%)`, `"#00ffff"`},
		{"hsl with commas wants percentages", `"hsl(330, 100, 50)"`, ``, ``},
		{"hwb", `"hwb(330 0% 0%)"`, `hwb(330 0% 0%)`, `"#ff0080"`},
		{"hwb has no commas", `"hwb(330, 0%, 0%)"`, ``, ``},
		{"lab of percentages", `"lab(50% 40% -20%)"`, `lab(50% 40% -20%)`, `"#b750a3"`},
		{"lch", `"lch(50% 20% 120deg)"`, `lch(50% 20% 120deg)`, `"#697e49"`},
		{"oklab", `"oklab(50% 12.5% -25%)"`, `oklab(50% 12.5% -25%)`, `"#6a549b"`},
		{"oklch", `"OKLCH(50% 25% 250)"`, `OKLCH(50% 25% 250)`, `"#32669a"`},
		{"color()", `"color(display-p3 1 0 100% / 0.5)"`, `color(display-p3 1 0 100% / 0.5)`, `"rgba(255, 43, 251, 0.5)"`},
		{"color(xyz)", `"color(xyz 0.25 0.2 0.3)"`, `color(xyz 0.25 0.2 0.3)`, `"#a06a93"`},
		{"color(hsl) does not exist", `"color(hsl 330 100 50)"`, ``, ``},
		{"color-mix() is verbatim", `"color-mix(in srgb, red 50%, blue)"`, `color-mix(in srgb, red 50%, blue)`, misfit},
		{"a relative colour", `"oklch(from var(--c) l c h / 50%)"`, `oklch(from var(--c) l c h / 50%)`, misfit},
		{"a calculation", `"rgb(calc(1 * 255) 0 0)"`, `rgb(calc(1 * 255) 0 0)`, misfit},
		{"a custom property", `"var(--brand, #f00)"`, `var(--brand, #f00)`, misfit},
		{"light-dark()", `"light-dark(#000, #fff)"`, `light-dark(#000, #fff)`, misfit},
		{"a design tool's alpha", `"rgba(#0000ff, 50%)"`, `rgba(0, 0, 255, 0.5)`, ``},
		{"a design tool's blanks", `"rgba( #f00, 1)"`, `#ff0000`, ``},
		{"blanks around and line ends within", `" rgb(255\n0 128) "`, `rgb(255 0 128)`, `"#ff0080"`},
		{"two colours", `"red blue"`, ``, ``},
		{"two functions", `"rgb(0 0 0) rgb(0 0 0)"`, ``, ``},
		{"a gradient", `"linear-gradient(red, blue)"`, ``, ``},
		{"too few arguments", `"rgb(1 2)"`, ``, ``},
		{"too many arguments", `"rgb(1, 2, 3, 0.5, 5)"`, ``, ``},
		{"a length", `"rgb(1px 2 3)"`, ``, ``},
		{"a word", `"brandy"`, ``, ``},
		{"the empty text", `""`, ``, ``},
	})
}

// A colour inside a composite is converted for JavaScript if that can be computed, and stays as
// it is if it cannot: the whole is a CSS string.
func TestColorWithinACompositeForJavaScript(t *testing.T) {
	check(t, css.Border, []row{
		{"converted", `{"color":{"colorSpace":"display-p3","components":[1,0,1]},"width":"1px","style":"solid"}`, `1px solid color(display-p3 1 0 1)`, `"1px solid #ff2bfb"`},
		{"kept", `{"color":"currentColor","width":"1px","style":"solid"}`, `1px solid currentColor`, ``},
	})
}
