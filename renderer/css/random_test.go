package css_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/livery/renderer/css"
	"example.com/livery/renderer/jsontree"
)

// fragments are what random texts are made of: the tokens of every grammar, and of attacks.
var fragments = []string{
	" ", " ", " ", "(", ")", ",", "/", "*", "+", "-", "1px", "2", "-4rem", ".5", "50%", "1e3", "200ms", "45deg", "#f00", "#0f08", "red",
	"solid", "none", "inset", "inherit", "auto", "ease-in", "currentColor", "calc(", "min(", "var(--x)", "rgb(", "rgba(", "hsl(", "oklch(",
	"color(srgb ", "color-mix(in srgb, ", "linear-gradient(", "cubic-bezier(", "steps(", "url(", "expression(", "\"", "'", "\\", ";", "{", "}", "<", "!",
	"/*", "*/", "//", "\n", "\u202e", "é", "Inter", "bold", "from red ", "to right", "NaN", "infinity", "[", "@", "0 1px 2px red", "0", "1", "255, ",
}

// Whatever is put together from the tokens of CSS, every kind answers with one safe value that
// reads as itself, or with a misfit.
func TestRandomTextsOfCSSTokens(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	rounds := 4000
	if testing.Short() {
		rounds = 400
	}
	for range rounds {
		var b strings.Builder
		for range 1 + random.IntN(9) {
			b.WriteString(fragments[random.IntN(len(fragments))])
		}
		v := jsontree.NewString(b.String())
		for k := css.Unknown; k <= css.NumberOrDimension; k++ {
			checkCSS(t, k, v)
			checkDeclarations(t, k, v)
			checkPrimitive(t, k, v)
			if t.Failed() {
				t.Fatalf("kind %d of %q", k, b.String())
			}
		}
	}
}

// BenchmarkAppend renders one value of each common shape into both files.
func BenchmarkAppend(b *testing.B) {
	for _, bench := range []struct {
		name string
		k    css.Kind
		json string
	}{
		{"color", css.Color, `{"colorSpace":"srgb","components":[0.2,0.4,0.9],"alpha":1,"hex":"#3366e6"}`},
		{"color-hsl", css.Color, `{"colorSpace":"hsl","components":[210,13.5,21]}`},
		{"color-text", css.Color, `"rgba(36, 41, 47, 0.15)"`},
		{"dimension", css.Dimension, `{"value":16,"unit":"px"}`},
		{"dimension-text", css.Dimension, `"0.875rem"`},
		{"font-family", css.FontFamily, `["Helvetica Neue","Arial","sans-serif"]`},
		{"shadow", css.Shadow, `[{"color":"#00000080","offsetX":{"value":0,"unit":"px"},"offsetY":{"value":4,"unit":"px"},"blur":"8px","spread":"0"}]`},
		{"typography", css.Typography, `{"fontFamily":"Inter","fontSize":"16px","fontWeight":400,"letterSpacing":"0px","lineHeight":1.5}`},
	} {
		v := parse(b, bench.json)
		b.Run(bench.name+"/css", func(b *testing.B) {
			var dst []byte
			b.ReportAllocs()
			for b.Loop() {
				dst, _ = css.AppendDeclarations(dst[:0], "--color-accent", bench.k, v)
			}
		})
		b.Run(bench.name+"/values", func(b *testing.B) {
			var dst []byte
			b.ReportAllocs()
			for b.Loop() {
				dst, _ = css.AppendPrimitive(dst[:0], bench.k, v)
			}
		})
	}
}
