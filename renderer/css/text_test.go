package css_test

import (
	"testing"

	"example.com/livery/renderer/css"
)

func TestFontFamily(t *testing.T) {
	check(t, css.FontFamily, []row{
		{"an identifier is bare", `"Roboto"`, `Roboto`, ``},
		{"a name of several words is quoted", `"Comic Sans MS"`, `"Comic Sans MS"`, ``},
		{"commas make a list", `"Inter, sans-serif"`, `Inter, sans-serif`, ``},
		{"an array", `["Helvetica Neue","Arial","system-ui"]`, `"Helvetica Neue", Arial, system-ui`, ``},
		{"commas within an array", `["'Mona Sans VF', -apple-system, 'Segoe UI', serif"]`, `"Mona Sans VF", -apple-system, "Segoe UI", serif`, ``},
		{"an apostrophe is not a quote", `"Suisse Int'l, sans-serif"`, `"Suisse Int'l", sans-serif`, ``},
		{"quotes are escaped", `["O'Reilly \"Sans\"","serif"]`, `"O'Reilly \22 Sans\22 ", serif`, ``},
		{"a comma in quotes", `"\"Foo, Bar\", serif"`, `"Foo, Bar", serif`, ``},
		{"a digit first is quoted", `"8bit"`, `"8bit"`, ``},
		{"a custom property", `"var(--font, Inter), serif"`, `var(--font, Inter), serif`, ``},
		{"a function is not a custom property", `"url(x), serif"`, `"url(x)", serif`, ``},
		{"a CSS-wide keyword alone", `"Inherit"`, `inherit`, ``},
		{"a family called as one", `["inherit","serif"]`, `"inherit", serif`, ``},
		{"injection", `"a;} b{"`, `"a;} b{"`, ``},
		{"empty names are left out", `"Arial,, serif,"`, `Arial, serif`, ``},
		{"a quote that does not end", `"'Arial, serif"`, `"'Arial", serif`, ``},
		{"no name at all", `" , "`, ``, ``},
		{"an empty array", `[]`, ``, ``},
		{"an array of numbers", `["a",1]`, ``, ``},
		{"a number", `1`, ``, ``},
	})
}

func TestFontWeight(t *testing.T) {
	check(t, css.FontWeight, []row{
		{"a number", `350`, `350`, `350`},
		{"a numeric string", `"400"`, `400`, `400`},
		{"DTCG's keyword", `"extra-bold"`, `800`, `800`},
		{"a blank", `"Semi Bold"`, `600`, `600`},
		{"one word", `"SemiBold"`, `600`, `600`},
		{"regular", `"Regular"`, `400`, `400`},
		{"slanted", `"Bold Italic"`, `700`, `700`},
		{"slanted only", `"Italic"`, `400`, `400`},
		{"ultra black", `"ultra-black"`, `950`, `950`},
		{"relative", `"bolder"`, `bolder`, ``},
		{"a custom property", `"var(--w)"`, `var(--w)`, ``},
		{"zero", `0`, ``, ``},
		{"over 1000", `1001`, ``, ``},
		{"a word", `"chunky"`, ``, ``},
		{"a boolean", `true`, ``, ``},
	})
}

func TestCubicBezier(t *testing.T) {
	check(t, css.CubicBezier, []row{
		{"four numbers", `[0.17,-0.50,0.3,1.8]`, `cubic-bezier(0.17, -0.5, 0.3, 1.8)`, ``},
		{"numbers in strings", `["0.5","0","1","1"]`, `cubic-bezier(0.5, 0, 1, 1)`, ``},
		{"a function", `"cubic-bezier(.5,0,1,1)"`, `cubic-bezier(0.5, 0, 1, 1)`, ``},
		{"a keyword", `"ease-in"`, `ease-in`, ``},
		{"a keyword as code spells it", `"easeInOut"`, `ease-in-out`, ``},
		{"steps", `"steps(4, end)"`, `steps(4, end)`, ``},
		{"linear()", `"linear(0, 0.5 25%, 1)"`, `linear(0, 0.5 25%, 1)`, ``},
		{"a custom property within", `"cubic-bezier(var(--x), 0, 1, 1)"`, `cubic-bezier(var(--x), 0, 1, 1)`, ``},
		{"time outside of 0 to 1", `[1.1,0,1,1]`, ``, ``},
		{"time outside of 0 to 1 in a function", `"cubic-bezier(0, 0, -1, 1)"`, ``, ``},
		{"three numbers", `[0,0,1]`, ``, ``},
		{"three arguments", `"cubic-bezier(0, 0, 1)"`, ``, ``},
		{"no numbers", `[0,0,1,null]`, ``, ``},
		{"another function", `"scale(2)"`, ``, ``},
		{"a word", `"bouncy"`, ``, ``},
	})
}

func TestStrokeStyle(t *testing.T) {
	check(t, css.StrokeStyle, []row{
		{"a keyword", `"Dotted"`, `dotted`, ``},
		{"an object is dashed", `{"dashArray":[{"value":0.5,"unit":"rem"},"2px"],"lineCap":"round"}`, `dashed`, ``},
		{"an object without dashes", `{"lineCap":"round"}`, ``, ``},
		{"a word", `"wavy"`, ``, ``},
		{"a number", `1`, ``, ``},
	})
}
