//go:build browser

package browser

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// attack is one row of the table V01 to V50 of the security rules. breaks says that the payload
// breaks out of a stylesheet that copies it.
type attack struct {
	id, payload, want string
	breaks            bool
}

var attacks = []attack{
	{"V01", `red;} body{--pwned:1} x{`, `"red;} body{--pwned:1} x{"`, true},
	{"V02", `red; --sentinel: bad; background:url(http://canary.test/V02)`, `"red; --sentinel: bad; background:url(http://canary.test/V02)"`, true},
	{"V03", `red}</style><script>globalThis.pwned=1</script>`, `"red}\3c /style\3e \3c script\3e globalThis.pwned=1\3c /script\3e "`, true},
	{"V04", `url(http://canary.test/V04)`, `"url(http://canary.test/V04)"`, true},
	{"V05", `url("http://canary.test/V05"`, `"url(\22 http://canary.test/V05\22 "`, true},
	{"V06", `"unterminated`, `"\22 unterminated"`, true},
	{"V07", `'unterminated ; } body{--pwned:1}`, `"'unterminated ; } body{--pwned:1}"`, true},
	{"V08", `/* open comment`, `"/* open comment"`, true},
	{"V09", `red */ } body{--pwned:1} /*`, `"red */ } body{--pwned:1} /*"`, true},
	{"V10", `red\`, `"red\5c "`, true},
	{"V11", "red\n} body{--pwned:1} x{", `"red\a } body{--pwned:1} x{"`, true},
	{"V12", `red !important`, `"red !important"`, false},
	{"V13", `{} body{--pwned:1}`, `"{} body{--pwned:1}"`, false},
	{"V14", `} @import url(http://canary.test/V14); :root{`, `"} @import url(http://canary.test/V14); :root{"`, true},
	{"V18", `expression(alert(1))`, `"expression(alert(1))"`, false},
	{"V19", `image-set("http://canary.test/V19" 1x)`, `"image-set(\22 http://canary.test/V19\22  1x)"`, true},
	{"V21", `calc((((1px`, `"calc((((1px"`, true},
	{"V22", `1px)`, `"1px)"`, true},
	{"V23", `[1px`, `"[1px"`, true},
	{"V26", `<!-- --> } body{--pwned:1}`, `"\3c !-- --\3e  } body{--pwned:1}"`, true},
	{"V28", ``, `""`, false},
	{"V29", `   `, `"   "`, false},
	{"V30", `src(var(--u))`, `"src(var(--u))"`, false},
	{"V31", `attr(data-x)`, `"attr(data-x)"`, false},
	{"V35", `@import "http://canary.test/V35"`, `"@import \22 http://canary.test/V35\22 "`, false},
	{"V36", `initial`, `initial`, false},
	{"V37", `#fff`, `#fff`, false},
	{"V38", `0 1px 2px rgb(0 0 0 / 50%)`, `0 1px 2px rgb(0 0 0 / 50%)`, false},
	{"V39", `cubic-bezier(0.4, 0, 0.2, 1)`, `cubic-bezier(0.4, 0, 0.2, 1)`, false},
	{"V40", `calc(100% - 2 * var(--gap, 4px))`, `calc(100% - 2 * var(--gap, 4px))`, false},
	{"V41", `Inter, "Segoe UI", sans-serif`, `Inter, "Segoe UI", sans-serif`, false},
	{"V42", "\u00e9moji \U0001f3a8 text", "\u00e9moji \U0001f3a8 text", false},
	{"V43", `paint(x)`, `"paint(x)"`, false},
	{"V45", `url(javascript:alert(1))`, `"url(javascript:alert(1))"`, true},
	{"V46", `progid:DXImageTransform.Microsoft.AlphaImageLoader(src=1)`, `"progid:DXImageTransform.Microsoft.AlphaImageLoader(src=1)"`, false},
	{"V47", `red;/*`, `"red;/*"`, true},
	{"V48", `\`, `"\5c "`, true},
	{"V49", `var(--a)`, `var(--a)`, false},
	{"V50", `1e999px`, `1e999px`, false},
}

// furtherAttacks fill what the numbered table leaves out: other ways to fetch, to spell a forbidden
// name, to end a string, a comment or an element.
var furtherAttacks = []string{
	`URL(//canary.test/a)`, `u\72l(http://canary.test/b)`, `\75rl(http://canary.test/c)`, `url (http://canary.test/d)`, `url(/**/http://canary.test/e)`,
	`-webkit-image-set(url(http://canary.test/f) 1x)`, `image-set('http://canary.test/g' 1x)`, `image("http://canary.test/h")`,
	`cross-fade("http://canary.test/i", red)`, `-webkit-cross-fade(url(http://canary.test/i), url(http://canary.test/j), 50%)`,
	`src("http://canary.test/k")`, `element(#x)`, `paint(x, url(http://canary.test/l))`, `var(--x, url(http://canary.test/m))`,
	`env(x, image-set("http://canary.test/n" 1x))`, `calc(1px * url(http://canary.test/o))`, `linear-gradient(red, url(http://canary.test/p))`,
	`attr(href url)`, `attr(href type(<url>))`, `if(style(--x): url(http://canary.test/q))`, `--mixin({})`, `red;--x:1`, `red\;--x:1`, `red}`, `red}}`, `)))}`,
	"a\u2028b", "a\u2029b", "\ufeffred", "red\u0000", "\x00", "red\r\n}b{", "red\f}b{", "a\u202e;}b{", "\u2066red\u2069", "\ud7ff\ue000\U0010ffff",
	`<!--`, `-->`, `]]>`, `</STYLE>`, `</style `, `</script><script>globalThis.pwned=1</script>`, `<img src=x onerror=globalThis.pwned=1>`,
	`</div><svg onload=globalThis.pwned=1>`, `<!--<script>`, `<![CDATA[`, `&lt;/style&gt;`, `&quot;`, `"><script>globalThis.pwned=1</script>`,
	`'"`, `"'`, `"\"`, `'\`, `"a" "b`, `"a\a b"`, `"</style>"`, `/*`, `*/`, `/**/`, `/**/red`, `//`, `/ *`, `red/*}*/`, `"/*"`, `'*/'`, `\0`, `\000000`, `\110000 `, `\d800 `,
	`!important`, `red!important`, `! important`, `;`, `:`, `}`, `{`, `{{`, `}}`, `{a}`, `{p0.string.t}`, `{p0}`, `x{p0.string.s}y`, `@media`, `@charset "x";`, `#`, `##`, `#-`,
	`constructor`, `__proto__`, `toString`, `$value`, `$root`, `$type`, `a.b`, `.`, `..`, `-`, `--`, `---`, ` a`, `a `, "\t", "\n", "a\tb",
	`unset`, `revert`, `revert-layer`, `inherit`, `INITIAL`, `var(--)`, `var(`, `var()`, `var(--a,)`, `var(--p0-string-t)`, `U+26`, `u+0-10ffff`, `1e`, `1e+`, `.`, `+`, `%`,
	strings.Repeat("(", 32) + strings.Repeat(")", 32), strings.Repeat("(", 33) + strings.Repeat(")", 33), strings.Repeat("calc(", 5000), strings.Repeat("a", 4097),
	strings.Repeat("var(--x,", 32) + "red" + strings.Repeat(")", 32), strings.Repeat("{", 5000), strings.Repeat(`\`, 5001), strings.Repeat(`"`, 5001), strings.Repeat("/*", 3000),
}

// everyPlace puts a payload into all places.
func everyPlace(int) []payloadPlace { return append([]payloadPlace{stringPlace}, typedPlaces...) }

// Decision 6.4: no value, name, description or prefix of the table breaks out of the stylesheet, or
// makes the browser fetch or run anything.
func TestAttackNeverLeavesItsPlace(t *testing.T) {
	for _, a := range attacks {
		t.Run(a.id, func(t *testing.T) {
			trial := newTrial(a.payload, []string{a.payload}, everyPlace)
			s, declared, set, err := trial.render()
			if err != nil {
				t.Fatalf("rendering %q: %v", a.payload, err)
			}
			problems := append(tab.inspect(s, declared), trial.check(declared, set.Diagnostics())...)
			for _, p := range problems {
				t.Errorf("payload %q: %s", a.payload, p)
			}
			for _, d := range declared {
				if trial.names(d.Name, []string{"p0", "string", "t"}) && d.Value != strings.Trim(a.want, " ") {
					t.Errorf("payload %q is declared as %s, want %s", a.payload, d.Value, a.want)
				}
			}
		})
	}
}

func TestFurtherAttackNeverLeavesItsPlace(t *testing.T) {
	for i, payload := range furtherAttacks {
		prefixes := []string{"", payload}
		if len(payload) > 200 {
			prefixes = prefixes[:1]
		}
		for _, prefix := range prefixes {
			for _, p := range try(prefix, []string{payload}, everyPlace) {
				t.Errorf("attack %d %.200q, prefix %.20q: %s", i, payload, prefix, p)
			}
		}
	}
}

// try renders payloads, shows them in the browser and returns what is wrong.
func try(prefix string, payloads []string, places func(i int) []payloadPlace) []string {
	trial := newTrial(prefix, payloads, places)
	s, declared, set, err := trial.render()
	if err != nil {
		return []string{"rendering: " + err.Error()}
	}
	return append(tab.inspect(s, declared), trial.check(declared, set.Diagnostics())...)
}

// A stylesheet that copies its values must be caught, else the other tests prove nothing.
func TestCopiedAttackIsCaught(t *testing.T) {
	for _, a := range attacks {
		if problems := inspectCopied(a.payload, `{}`); a.breaks && len(problems) == 0 {
			t.Errorf("%s: %q copied into a stylesheet is not caught", a.id, a.payload)
		}
	}
}

// inspectCopied shows a stylesheet and a JSON file that hold an attack as it is.
func inspectCopied(attack, json string) []string {
	attack = strings.ReplaceAll(attack, canaryHost, copiedHost)
	s := testPage{css: fmt.Sprintf("/* copied */\n:root {\n  --before: 1;\n  --t: %s;\n  --after: 2;\n}\n", attack), json: []string{json}}
	return tab.inspect(s, []declaration{{Name: "--before", Value: "1"}, {Name: "--t", Value: strings.Trim(attack, " ")}, {Name: "--after", Value: "2"}})
}

// What the worst attacks do if they are copied must be named.
func TestCopiedAttackIsNamed(t *testing.T) {
	for _, r := range []struct{ rule, value, json, want string }{
		{"a foreign rule", attacks[0].payload, `{}`, "a foreign rule applies"},
		{"a request", `url(http://canary.test/V04)`, `{}`, "the page asked for http://copied.canary.test/V04"},
		{"a request to the page's own server", `url(stray)`, `{}`, "/stray"},
		{"a script in a stylesheet", attacks[2].payload, `{}`, "a script ran"},
		{"a script in JSON", `red`, `{"a":"</script><script>globalThis.pwned=1</script>"}`, "a script ran"},
		{"an element in JSON", `red`, `{"a":"<b>"}`, "a JSON file in HTML made an element"},
		{"a lost declaration", `1px)`, `{}`, "--t is lost"},
	} {
		t.Run(r.rule, func(t *testing.T) {
			problems := inspectCopied(r.value, r.json)
			if !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, r.want) }) {
				t.Errorf("inspect told %q, want one that says %q", problems, r.want)
			}
		})
	}
}

// The hosts of the attacks lead to the canary, so that it would be asked.
func TestCanaryIsWithinReach(t *testing.T) {
	tab.canary.take(copiedHost)
	inspectCopied(`url(http://canary.test/reached)`, `{}`)
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if slices.Contains(tab.canary.take(copiedHost), "/reached") {
			return
		}
	}
	t.Error("the canary was not asked for /reached")
}
