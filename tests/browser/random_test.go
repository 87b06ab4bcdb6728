//go:build browser

package browser

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

var (
	payloadCount = flag.Int("payloads", 2000, "how many random payloads to try")
	seed         = flag.Uint64("seed", 1, "where the random payloads begin")
)

// batchSize is how many payloads one page shows: enough to be quick, few enough that a list of the
// declarations of one rule, which takes quadratic time in the browser, stays cheap.
const batchSize = 60

// progressStep is after how many payloads a run with -v tells how far it is.
const progressStep = 1000

// fragments are what random payloads are made of.
var fragments = []string{
	`"`, `'`, `"`, `'`, `\`, `\\`, `\"`, `\a `, `\22 `, `\3c `, `\0`, `\d83d `, `\110000 `, `;`, `;`, `:`, `{`, `}`, `{`, `}`, `(`, `)`, `(`, `)`, `[`, `]`, `<`, `>`, `&`, `!`, `@`, `$`, `#`, `%`, `^`, `~`, `|`, `?`, `=`, "`",
	`/*`, `*/`, `/**/`, `//`, `<!--`, `-->`, `<![CDATA[`, `]]>`, `</style>`, `</STYLE `, `</script>`, `<script>globalThis.pwned=1</script>`, `<img src=x onerror=globalThis.pwned=1>`, `</div>`, `<svg/onload=globalThis.pwned=1>`, `&lt;`, `&#34;`,
	`url(http://canary.test/r)`, `url(`, `URL("http://canary.test/s")`, `u\72l(http://canary.test/t)`, `image-set("http://canary.test/u" 1x)`, `-webkit-image-set(`, `image("//canary.test/v")`, `src("http://canary.test/w")`, `cross-fade(`, `element(#x)`, `paint(x)`, `attr(data-x)`, `if(`, `@import "http://canary.test/x";`, `@import url(//canary.test/y);`, `http://canary.test/`, `javascript:globalThis.pwned=1`, `expression(`,
	`calc(`, `min(`, `clamp(`, `var(--x, `, `var(--a)`, `var(--p0-string-t)`, `var(`, `env(`, `env(safe-area-inset-top)`, `rgb(`, `rgba(0, 0, 0, `, `hsl(`, `oklch(`, `color(srgb `, `color-mix(in srgb, `, `light-dark(`, `linear-gradient(`, `cubic-bezier(`, `steps(`, `drop-shadow(`, `translate(`, `repeat(2, `,
	` `, ` `, ` `, "\t", "\n", "\r", "\f", "\r\n", "\x00", "\x01", "\x1f", "\x7f", "\u0080", "\u0085", "\u00a0", "\u00ad", "\u1680", "\u180e", "\u200b", "\u200d", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202e", "\u2060", "\u2066", "\u2069", "\u3000", "\ufeff", "\ufffd", "\ufffe", "\U000e0001", "\U0010ffff", "\ud7ff", "\ue000",
	`é`, `ß`, `İ`, "\u212a", `Ω`, `漢字`, `🎨`, "👩\u200d🎨", "e\u0301", `ﬁ`, `；`, `｛`, `｝`, `＂`, `（`,
	`red`, `#f00`, `#`, `1px`, `0`, `-0`, `1e999px`, `1e-9`, `.5`, `50%`, `200ms`, `45deg`, `+`, `-`, `--`, `*`, `/`, `,`, `.`, `_`, `a`, `Inter`, `sans-serif`, `bold`, `solid`, `inset`, `none`, `ease-in`, `initial`, `unset`, `revert-layer`, `inherit`, `!important`, `! important`, `important`, `U+26`, `progid:`,
	`body{--pwned:1}`, `}body{--pwned:1}`, `--s:1;`, `;--pwned:1;`, `:root{`, `@media all{`, `@charset "x";`, `@layer x;`, `x{`, `{p0.string.s}`, `{p1.string.t}`, `{a.b}`, `{}`, `$value`, `$root`, `__proto__`,
}

// functions may be called by a random value that is otherwise well formed: those that a value may
// hold, and those that fetch or read the page.
var functions = []string{
	"calc", "min", "max", "clamp", "round", "rgb", "rgba", "hsl", "oklch", "color", "color-mix", "light-dark", "linear-gradient",
	"conic-gradient", "cubic-bezier", "steps", "linear", "blur", "drop-shadow", "translate", "rotate3d", "repeat", "minmax", "env", "CALC", "Rgb",
	"url", "URL", "src", "image", "image-set", "-webkit-image-set", "cross-fade", "element", "attr", "paint", "expression", "if", "--f", "", "é",
}

var (
	leaves = []string{
		"red", "#f00", "#0f08", "1px", "-2.5rem", "0", "50%", "1e3px", "200ms", "45deg", "none", "inset", "solid", "to right", "from red", "in oklab",
		"var(--a)", "var(--p0-string-s)", "var(--b, )", "var()", "var(--)", "var(a)", "env()", "initial", "NaN", "infinity", "r", "_x", "--y", "漢字", "🎨",
		`"a b"`, `'c'`, `"http://canary.test/leaf"`, `'//canary.test/leaf'`, `"}"`, `";"`, `"/*"`, `")"`, `"\22"`, `"</style>"`, `1x`, `type("image/png")`,
	}
	separators = []string{", ", ", ", " ", " ", " + ", " - ", " * ", " / ", ",", "/", "  "}
)

// component returns a random value of balanced functions, as people write them.
func component(random *rand.Rand, depth int) string {
	if depth == 0 || random.IntN(3) == 0 {
		return leaves[random.IntN(len(leaves))]
	}
	var b strings.Builder
	b.WriteString(functions[random.IntN(len(functions))] + "(")
	for i := range 1 + random.IntN(3) {
		if i > 0 {
			b.WriteString(separators[random.IntN(len(separators))])
		}
		b.WriteString(component(random, depth-1))
	}
	return b.String() + ")"
}

// payload returns a random text: a heap of fragments, a well-formed value, or one with a fragment
// somewhere inside.
func payload(random *rand.Rand) string {
	switch random.IntN(4) {
	case 0:
		return component(random, 3)
	case 1:
		value := []rune(component(random, 4) + separators[random.IntN(len(separators))] + component(random, 2))
		at := random.IntN(len(value) + 1)
		return string(value[:at]) + fragments[random.IntN(len(fragments))] + string(value[at:])
	}
	return heap(random)
}

// heap returns fragments side by side. One in a hundred is long, one in twenty is deep inside functions.
func heap(random *rand.Rand) string {
	pick := func() string { return fragments[random.IntN(len(fragments))] }
	var b strings.Builder
	for range 1 + random.IntN(9) {
		b.WriteString(pick())
	}
	switch random.IntN(100) {
	case 0:
		b.WriteString(strings.Repeat(pick(), 1+random.IntN(400)))
	case 1, 2, 3, 4, 5:
		depth := 1 + random.IntN(40)
		open := []string{"calc(", "(", "min(", "var(--x,", "rgb("}[random.IntN(5)]
		return strings.Repeat(open, depth) + b.String() + strings.Repeat(")", depth+random.IntN(3)-1)
	}
	return b.String()
}

// Decision 6.4 for whatever is put together from the tokens of CSS, HTML, JSON and of attacks: as many
// payloads as -payloads says, each as a string and as three other types by turns.
func TestRandomPayloadNeverLeavesItsPlace(t *testing.T) {
	random := rand.New(rand.NewPCG(*seed, 0))
	raw := 0
	for tried := 0; tried < *payloadCount && !t.Failed(); {
		batch := make([]string, min(batchSize, *payloadCount-tried))
		for i := range batch {
			batch[i] = payload(random)
		}
		raw += countRaw(batch)
		prefix := batch[random.IntN(len(batch))]
		if len(prefix) > 100 {
			prefix = ""
		}
		turn := tried
		tryAll(t, prefix, batch, func(i int) []payloadPlace { return placesInTurn(turn + i) })
		tried += len(batch)
		if tried%progressStep < len(batch) {
			t.Logf("%d of %d payloads, %d of them written raw", tried, *payloadCount, raw)
		}
	}
	if raw < *payloadCount/20 {
		t.Errorf("%d of %d payloads were written raw: too few to try the grammar of raw text", raw, *payloadCount)
	}
}

// countRaw returns how many payloads a string token writes as they are.
func countRaw(payloads []string) (raw int) {
	for _, text := range payloads {
		v := jsontree.NewString(text)
		if got, _ := css.Append(nil, css.String, v); string(got) == text {
			raw++
		}
	}
	return raw
}

// placesInTurn returns the string and three of the typed places.
func placesInTurn(turn int) []payloadPlace {
	places := []payloadPlace{stringPlace}
	for i := range 3 {
		places = append(places, typedPlaces[(3*turn+i)%len(typedPlaces)])
	}
	return places
}

// tryAll tries payloads on one page and, if something is wrong, on smaller ones until the one is
// found that fails alone.
func tryAll(t *testing.T, prefix string, payloads []string, places func(i int) []payloadPlace) {
	t.Helper()
	problems := try(prefix, payloads, places)
	if len(problems) == 0 {
		return
	}
	if len(payloads) == 1 {
		for _, p := range problems {
			t.Errorf("payload %q, prefix %q: %s", payloads[0], prefix, p)
		}
		return
	}
	half := len(payloads) / 2
	tryAll(t, prefix, payloads[:half], places)
	tryAll(t, prefix, payloads[half:], func(i int) []payloadPlace { return places(half + i) })
	if !t.Failed() {
		t.Errorf("%d payloads from %q on fail together and not alone: %q", len(payloads), payloads[0], problems)
	}
}
