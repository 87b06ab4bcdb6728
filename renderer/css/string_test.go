package css_test

import (
	"strings"
	"testing"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

// The attack table V01 to V50 of the security rules: a string token whose text does not fit the
// positive grammar becomes one CSS string.
func TestStringOfAnAttackIsOneSafeValue(t *testing.T) {
	rows := []struct{ id, payload, want string }{
		{"V01", `red;} body{--pwned:1} x{`, `"red;} body{--pwned:1} x{"`},
		{"V02", `red; --sentinel: bad; background:url(http://canary.test/V02)`, `"red; --sentinel: bad; background:url(http://canary.test/V02)"`},
		{"V03", `red}</style><script>globalThis.pwned=1</script>`, `"red}\3c /style\3e \3c script\3e globalThis.pwned=1\3c /script\3e "`},
		{"V04", `url(http://canary.test/V04)`, `"url(http://canary.test/V04)"`},
		{"V05", `url("http://canary.test/V05"`, `"url(\22 http://canary.test/V05\22 "`},
		{"V06", `"unterminated`, `"\22 unterminated"`},
		{"V07", `'unterminated ; } body{--pwned:1}`, `"'unterminated ; } body{--pwned:1}"`},
		{"V08", `/* open comment`, `"/* open comment"`},
		{"V09", `red */ } body{--pwned:1} /*`, `"red */ } body{--pwned:1} /*"`},
		{"V10", `red\`, `"red\5c "`},
		{"V11", "red\n} body{--pwned:1} x{", `"red\a } body{--pwned:1} x{"`},
		{"V12", `red !important`, `"red !important"`},
		{"V13", `{} body{--pwned:1}`, `"{} body{--pwned:1}"`},
		{"V14", `} @import url(http://canary.test/V14); :root{`, `"} @import url(http://canary.test/V14); :root{"`},
		{"V18", `expression(alert(1))`, `"expression(alert(1))"`},
		{"V19", `image-set("http://canary.test/V19" 1x)`, `"image-set(\22 http://canary.test/V19\22  1x)"`},
		{"V21", `calc((((1px`, `"calc((((1px"`},
		{"V22", `1px)`, `"1px)"`},
		{"V23", `[1px`, `"[1px"`},
		{"V26", `<!-- --> } body{--pwned:1}`, `"\3c !-- --\3e  } body{--pwned:1}"`},
		{"V28", ``, `""`},
		{"V29", `   `, `"   "`},
		{"V30", `src(var(--u))`, `"src(var(--u))"`},
		{"V31", `attr(data-x)`, `"attr(data-x)"`},
		{"V35", `@import "http://canary.test/V35"`, `"@import \22 http://canary.test/V35\22 "`},
		{"V36", `initial`, `initial`},
		{"V37", `#fff`, `#fff`},
		{"V38", `0 1px 2px rgb(0 0 0 / 50%)`, `0 1px 2px rgb(0 0 0 / 50%)`},
		{"V39", `cubic-bezier(0.4, 0, 0.2, 1)`, `cubic-bezier(0.4, 0, 0.2, 1)`},
		{"V40", `calc(100% - 2 * var(--gap, 4px))`, `calc(100% - 2 * var(--gap, 4px))`},
		{"V41", `Inter, "Segoe UI", sans-serif`, `Inter, "Segoe UI", sans-serif`},
		{"V42", "\u00e9moji \U0001f3a8 text", "\u00e9moji \U0001f3a8 text"},
		{"V43", `paint(x)`, `"paint(x)"`},
		{"V45", `url(javascript:alert(1))`, `"url(javascript:alert(1))"`},
		{"V46", `progid:DXImageTransform.Microsoft.AlphaImageLoader(src=1)`, `"progid:DXImageTransform.Microsoft.AlphaImageLoader(src=1)"`},
		{"V47", `red;/*`, `"red;/*"`},
		{"V48", `\`, `"\5c "`},
		{"V49", `var(--a)`, `var(--a)`},
		{"V50", `1e999px`, `1e999px`},
	}
	for _, r := range rows {
		t.Run(r.id, func(t *testing.T) {
			got, failed := css.Append(nil, css.String, jsontree.NewString(r.payload))
			if failed != nil || string(got) != r.want {
				t.Errorf("Append(%q) = %s, %v, want %s", r.payload, got, failed, r.want)
			}
		})
	}
}

// None of the attacks gets into CSS under any other type: what is not a value of it is left out.
func TestTypedValueOfAnAttackIsLeftOut(t *testing.T) {
	attacks := []string{
		`red;} body{--pwned:1} x{`, `url(http://canary.test/)`, `"unterminated`, `/* open`, `red\`, "red\n}", `red !important`,
		`calc((((1px`, `1px)`, `[1px`, `src(var(--u))`, `attr(data-x)`, `red;/*`, `image-set("//canary.test" 1x)`, `1px; color: red`,
		`rgb(0 0 0 / url(x))`, `calc(1px * url(x))`, `linear-gradient(url(x), red)`, `cubic-bezier(0,0,0,url(x))`, `4px * 2;`, `{a.b}`,
	}
	kinds := []css.Kind{
		css.Color, css.Dimension, css.FontWeight, css.Duration, css.CubicBezier, css.Number, css.StrokeStyle, css.Border,
		css.Transition, css.Shadow, css.Gradient, css.Typography, css.Boolean, css.NumberOrDimension,
	}
	for _, attack := range attacks {
		for _, k := range kinds {
			got, failed := css.Append(nil, k, jsontree.NewString(attack))
			if failed == nil || len(got) != 0 {
				t.Errorf("Append(kind %d, %q) = %q, want a misfit", k, attack, got)
				continue
			}
			if k != css.Boolean && attack != "red\n}" && !failed.Unsafe {
				t.Errorf("Append(kind %d, %q): %q, want it called unsafe", k, attack, failed.What)
			}
		}
	}
}

func TestString(t *testing.T) {
	check(t, css.String, []row{
		{"a component list is verbatim", `"1fr  2fr"`, `1fr  2fr`, ``},
		{"case is kept", `"Uppercase"`, `Uppercase`, ``},
		{"a ratio is verbatim", `"16 / 9"`, `16 / 9`, ``},
		{"a number is one", `12.50`, `12.5`, `12.5`},
		{"text with an apostrophe is quoted", `"it's"`, `"it's"`, `"it's"`},
		{"a slash before a slash is quoted", `"a //b"`, `"a //b"`, `"a //b"`},
		{"a colon is quoted", `"a: b"`, `"a: b"`, `"a: b"`},
		{"ampersand and angles are escaped", `"a<b>&c"`, `"a\3c b\3e \26 c"`, `"a\u003cb>&c"`},
		{"controls and separators are escaped", `"\u0000\u007f\u0085\u2028\ufeff"`, `"\0 \7f \85 \2028 \feff "`, "\"\\u0000\\u007f\u0085\\u2028\ufeff\""},
		{"bidi characters are never raw", `"a\u202eb"`, "\"a\u202eb\"", "\"a\u202eb\""},
		{"a safe quoted string is verbatim", `"\"a;b\""`, `"a;b"`, `"\"a;b\""`},
		{"a Kelvin sign is not a k", `"s\u212aew(1deg)"`, "\"s\u212aew(1deg)\"", "\"s\u212aew(1deg)\""},
		{"the empty text is the empty string", `""`, `""`, `""`},
		{"null is a misfit", `null`, ``, ``},
		{"an object is a misfit", `{"a":1}`, ``, ``},
		{"a boolean is a misfit", `true`, ``, ``},
	})
}

// Text is raw up to 4,096 bytes and 32 open parentheses.
func TestStringBoundsOfRawText(t *testing.T) {
	for _, r := range []struct {
		rule, text string
		raw        bool
	}{
		{"4096 bytes", strings.Repeat("a", 4096), true},
		{"4097 bytes", strings.Repeat("a", 4097), false},
		{"32 parentheses", strings.Repeat("(", 32) + "1" + strings.Repeat(")", 32), true},
		{"33 parentheses", strings.Repeat("(", 33) + "1" + strings.Repeat(")", 33), false},
	} {
		got, _ := css.Append(nil, css.String, jsontree.NewString(r.text))
		if want := string(got) == r.text; want != r.raw {
			t.Errorf("%s: raw = %v, want %v", r.rule, want, r.raw)
		}
	}
}

func TestBoolean(t *testing.T) {
	check(t, css.Boolean, []row{
		{"true", `true`, `true`, `true`},
		{"false", `false`, `false`, `false`},
		{"a string is none", `"true"`, ``, ``},
	})
}

func TestUnknownIsRenderedByJSONKind(t *testing.T) {
	check(t, css.Unknown, []row{
		{"text", `"a;b"`, `"a;b"`, `"a;b"`},
		{"number", `1e-7`, `0.0000001`, `0.0000001`},
		{"boolean", `false`, `false`, `false`},
		{"an object is a misfit", `{}`, ``, ``},
		{"an array is a misfit", `[]`, ``, ``},
	})
}
