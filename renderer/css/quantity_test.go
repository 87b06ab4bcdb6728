package css_test

import (
	"strings"
	"testing"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

func TestDimension(t *testing.T) {
	check(t, css.Dimension, []row{
		{"2025.10 form", `{"value":16,"unit":"px"}`, `16px`, ``},
		{"zero keeps its unit", `{"value":0,"unit":"rem"}`, `0rem`, ``},
		{"minus zero is zero", `{"value":-0.0,"unit":"px"}`, `0px`, ``},
		{"no exponent", `{"value":1e-7,"unit":"rem"}`, `0.0000001rem`, ``},
		{"trailing zeros go", `{"value":1.50,"unit":"rem"}`, `1.5rem`, ``},
		{"a value in a string", `{"value":"1.5","unit":"rem"}`, `1.5rem`, ``},
		{"any CSS unit", `"50cqmin"`, `50cqmin`, ``},
		{"a percentage", `"50%"`, `50%`, ``},
		{"a flexible length", `"2fr"`, `2fr`, ``},
		{"units in lower case", `"16PX"`, `16px`, ``},
		{"a bare number is px", `12`, `12px`, ``},
		{"a bare number in a string is px", `"12"`, `12px`, ``},
		{"a point first", `".5rem"`, `0.5rem`, ``},
		{"a plus sign goes", `"+4px"`, `4px`, ``},
		{"em is not an exponent", `"1e1em"`, `10em`, ``},
		{"keywords in lower case", `"None"`, `none`, ``},
		{"fit-content", `"fit-content"`, `fit-content`, ``},
		{"blanks around", `" 4px\n"`, `4px`, ``},
		{"a function is verbatim", `"calc(100% - 4px)"`, `calc(100% - 4px)`, ``},
		{"clamp", `"clamp(1rem, 2vw + 1rem, 3rem)"`, `clamp(1rem, 2vw + 1rem, 3rem)`, ``},
		{"a custom property", `"var(--gap, 4px)"`, `var(--gap, 4px)`, ``},
		{"a product is computed", `"4px * 2"`, `calc(4px * 2)`, ``},
		{"without blanks", `"4px*2-1px"`, `calc(4px * 2 - 1px)`, ``},
		{"a negative factor", `"4px * -1"`, `calc(4px * -1)`, ``},
		{"a minus before a value", `"-4px"`, `-4px`, ``},
		{"a minus before a negative value", `"--4px"`, `calc(-1 * -4px)`, ``},
		{"a minus before a function", `"-calc(4px * 2)"`, `calc(-1 * calc(4px * 2))`, ``},
		{"a minus behind an operator", `"4px / -var(--n)"`, `calc(4px / (-1 * var(--n)))`, ``},
		{"parentheses", `"(4px + 2px) * 2"`, `calc((4px + 2px) * 2)`, ``},
		{"lengths and percentages add", `"100% - 4px"`, `calc(100% - 4px)`, ``},
		{"numbers alone become px", `"16 * 1.25"`, `calc((16 * 1.25) * 1px)`, ``},
		{"a number plus a length is px", `"4 + 2px"`, `calc((4) * 1px + 2px)`, ``},
		{"a length plus a number is px", `"2px + 4 * 2"`, `calc(2px + 4 * 2 * 1px)`, ``},
		{"several values", `"4px 0 Auto"`, `4px 0px auto`, ``},
		{"auto is not an operand", `"auto * 2"`, ``, ``},
		{"four lengths", `"4px 0 -2px 1rem"`, `4px 0px -2px 1rem`, ``},
		{"five are too many", `"1px 2px 3px 4px 5px"`, ``, ``},
		{"several computed values", `"4px * 2 8px"`, `calc(4px * 2) 8px`, ``},
		{"a length times a length", `"4px * 2px"`, ``, ``},
		{"a number over a length", `"4 / 2px"`, ``, ``},
		{"an angle plus a length", `"4deg + 2px"`, ``, ``},
		{"a unit that CSS lacks", `{"value":2,"unit":"dp"}`, ``, ``},
		{"a time", `"200ms"`, ``, ``},
		{"a unit missing", `{"value":2}`, ``, ``},
		{"a value that is not a number", `{"value":[],"unit":"px"}`, ``, ``},
		{"nothing after an operator", `"4px *"`, ``, ``},
		{"no number", `"big"`, ``, ``},
		{"the empty text", `""`, ``, ``},
		{"not a number at all", `"calc(NaN * 1px)"`, ``, ``},
		{"too large for any number", `1e400`, ``, ``},
		{"an array", `[1]`, ``, ``},
		{"null", `null`, ``, ``},
	})
}

func TestDuration(t *testing.T) {
	check(t, css.Duration, []row{
		{"2025.10 form", `{"value":100,"unit":"ms"}`, `100ms`, ``},
		{"seconds", `"1.5s"`, `1.5s`, ``},
		{"a bare number is ms", `200`, `200ms`, ``},
		{"zero is 0ms", `"0"`, `0ms`, ``},
		{"computed", `"100ms * 2"`, `calc(100ms * 2)`, ``},
		{"a length", `"4px"`, ``, ``},
		{"no unit of time", `{"value":1,"unit":"px"}`, ``, ``},
	})
}

func TestNumber(t *testing.T) {
	check(t, css.Number, []row{
		{"as written", `1.5`, `1.5`, `1.5`},
		{"a numeric string", `"12"`, `12`, `12`},
		{"shortest form", `0.10`, `0.1`, `0.1`},
		{"minus zero", `-0`, `0`, `0`},
		{"minus zero of a small number", `-1e-400`, `0`, `0`},
		{"no positive exponent", `1e21`, `1000000000000000000000`, `1000000000000000000000`},
		{"no negative exponent", `1E-7`, `0.0000001`, `0.0000001`},
		{"15 digits stay", `123456789.012345`, `123456789.012345`, `123456789.012345`},
		{"20 digits are those of a float64", `12345678901234567890`, `12345678901234567000`, `12345678901234567000`},
		{"17 digits round-trip", `0.30000000000000004`, `0.30000000000000004`, `0.30000000000000004`},
		{"no infinity", `1e400`, ``, ``},
		{"no infinity from a string", `"-1e400"`, ``, ``},
		{"an expression", `"4 * 2"`, `calc(4 * 2)`, ``},
		{"a length", `"4px"`, ``, ``},
		{"a percentage", `"50%"`, ``, ``},
		{"a word", `"NaN"`, ``, ``},
		{"hexadecimal", `"0x10"`, ``, ``},
		{"digits apart", `"1_000"`, ``, ``},
		{"an object", `{"value":1,"unit":"px"}`, ``, ``},
		{"a boolean", `true`, ``, ``},
	})
}

func TestNumberOrDimensionGoesByShape(t *testing.T) {
	check(t, css.NumberOrDimension, []row{
		{"a number", `0.5`, `0.5`, `0.5`},
		{"a numeric string", `"0.98"`, `0.98`, `0.98`},
		{"a percentage", `"150%"`, `150%`, ``},
		{"a length", `"24px"`, `24px`, ``},
		{"2025.10 form", `{"value":24,"unit":"px"}`, `24px`, ``},
		{"a keyword", `"normal"`, `normal`, ``},
		{"an expression of numbers", `"1.2 * 2"`, `calc(1.2 * 2)`, ``},
		{"a number and a length do not add", `"1 + 2px"`, ``, ``},
		{"a word", `"tall"`, ``, ``},
	})
}

// Hostile expressions end in bounded time and without output.
func TestExpressionIsBounded(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("(", 33) + "1px" + strings.Repeat(")", 33), strings.Repeat("-", 40) + "1px*1",
		strings.Repeat("(", 1<<16), strings.Repeat("-", 1<<16), strings.Repeat("calc(", 1<<16), strings.Repeat("1px*", 1<<16),
		strings.Repeat("1", 1<<20) + "px",
	} {
		if got, failed := css.Append(nil, css.Dimension, jsontree.NewString(text)); failed == nil {
			t.Errorf("Append(%.20q…) = %.40q, want a misfit", text, got)
		}
	}
}
