//go:build browser

package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"example.com/livery/renderer"
	"example.com/livery/renderer/dtcg"
	"example.com/livery/renderer/jsontree"
)

// sampleTheme and sampleVariants are what a first run of Livery serves.
const (
	sampleFolder = "../../cli/serve/sample/"
	sampleTheme  = sampleFolder + "tidewater.tokens.json"
)

var sampleVariants = []string{"", "midnight", "lantern"}

// use is one element that uses one token of the sample in a style, and what the browser computes.
type use struct {
	variant, token, style, property, want string
}

var uses = []use{
	{"", "color.text.default", "color: var(--color-text-default)", "color", "rgb(31, 27, 23)"},
	{"", "color.background.scrim", "background-color: var(--color-background-scrim)", "background-color", "rgba(31, 27, 23, 0.55)"},
	{"", "color.accent.$root", "color: var(--color-accent)", "color", "oklch(0.5 0.092 225)"},
	{"", "color.accent.$root", "color: color-mix(in srgb, var(--color-background-raised), black)", "color", "color(srgb 0.5 0.5 0.5)"},
	{"", "space.lg", "padding: var(--space-lg)", "padding-left", "24px"},
	{"", "space.lg", "margin: calc(-1 * var(--space-lg))", "margin-top", "-24px"},
	{"", "radius.card", "border-radius: var(--radius-card)", "border-top-left-radius", "16px"},
	{"", "font.family.display", "font-family: var(--font-family-display)", "font-family", `Fraunces, "Iowan Old Style", Georgia, serif`},
	{"", "font.weight.bold", "font-weight: var(--font-weight-bold)", "font-weight", "600"},
	{"", "font.leading.tight", "font-size: 10px; line-height: var(--font-leading-tight)", "line-height", "11px"},
	{"", "layer.dialog", "position: relative; z-index: var(--layer-dialog)", "z-index", "40"},
	{"", "opacity.disabled", "opacity: var(--opacity-disabled)", "opacity", "0.45"},
	{"", "motion.duration.calm", "transition-duration: var(--motion-duration-calm)", "transition-duration", "0.24s"},
	{"", "motion.easing.drift", "transition-timing-function: var(--motion-easing-drift)", "transition-timing-function", "cubic-bezier(0.34, 1.4, 0.64, 1)"},
	{"", "motion.sheet", "transition: opacity var(--motion-sheet)", "transition-duration", "0.48s"},
	{"", "motion.sheet", "transition: opacity var(--motion-sheet)", "transition-delay", "0.12s"},
	{"", "motion.sheet", "transition: opacity var(--motion-sheet)", "transition-timing-function", "cubic-bezier(0.34, 1.4, 0.64, 1)"},
	{"", "motion.sheet", "transition: opacity var(--motion-sheet)", "transition-property", "opacity"},
	{"", "stroke.dashes", "border-style: var(--stroke-dashes)", "border-top-style", "dashed"},
	{"", "border.card", "border: var(--border-card)", "border-left-width", "1px"},
	{"", "border.card", "border: var(--border-card)", "border-left-style", "solid"},
	{"", "border.card", "border: var(--border-card)", "border-left-color", "rgb(217, 209, 197)"},
	{"", "elevation.low", "box-shadow: var(--elevation-low)", "box-shadow", "rgba(31, 27, 23, 0.08) 0px 1px 2px 0px"},
	{
		"", "elevation.mid", "box-shadow: var(--elevation-mid), var(--elevation-ring)", "box-shadow",
		"rgba(31, 27, 23, 0.08) 0px 1px 2px 0px, rgba(31, 27, 23, 0.12) 0px 6px 16px -4px, oklch(0.66 0.175 33) 0px 0px 0px 3px",
	},
	{"", "gradient.deep", "background: var(--gradient-deep)", "background-image", "linear-gradient(90deg, oklch(0.5 0.092 225) 0%, oklch(0.42 0.08 228) 100%)"},
	{
		"", "gradient.deep", "background: radial-gradient(circle, var(--gradient-deep-stops))", "background-image",
		"radial-gradient(circle, oklch(0.5 0.092 225) 0%, oklch(0.42 0.08 228) 100%)",
	},
	{"", "type.hero", "font: var(--type-hero)", "font-size", "56px"},
	{"", "type.hero", "font: var(--type-hero)", "line-height", "61.6px"},
	{"", "type.hero", "font: var(--type-hero)", "font-weight", "400"},
	{"", "type.hero", "font: var(--type-hero)", "font-family", `Fraunces, "Iowan Old Style", Georgia, serif`},
	{"", "type.hero", "letter-spacing: var(--type-hero-letter-spacing)", "letter-spacing", "-1px"},
	{"", "type.label", "font-size: var(--type-label-font-size); line-height: var(--type-label-line-height)", "line-height", "18.2px"},
	{"", "type.label-case", "text-transform: var(--type-label-case)", "text-transform", "none"},
	{"", "screen.wide", `quotes: var(--screen-wide) "x"`, "quotes", `"(min-width: 60rem)" "x"`},
	{"", "brand.name", "animation-name: var(--brand-name)", "animation-name", "Tidewater"},
	{"", "brand.sticky-header", "", "position", "sticky"},
	{"midnight", "color.text.default", "color: var(--color-text-default)", "color", "oklch(0.95 0.012 230)"},
	{"midnight", "color.accent.$root", "color: var(--color-accent)", "color", "oklch(0.8 0.11 205)"},
	{"midnight", "elevation.low", "box-shadow: var(--elevation-low)", "box-shadow", "rgba(0, 0, 0, 0.5) 0px 1px 3px 0px"},
	{"midnight", "border.card", "border: var(--border-card)", "border-top-color", "oklch(0.34 0.035 240)"},
	{"midnight", "radius.card", "border-radius: var(--radius-card)", "border-top-left-radius", "16px"},
	{"lantern", "radius.control", "border-radius: var(--radius-control)", "border-top-left-radius", "999px"},
	{"lantern", "font.family.display", "font-family: var(--font-family-display)", "font-family", `"Playfair Display", Fraunces, Georgia, serif`},
	{"lantern", "type.hero", "font: var(--type-hero)", "font-family", `"Playfair Display", Fraunces, Georgia, serif`},
	{"lantern", "type.label-case", "text-transform: var(--type-label-case)", "text-transform", "uppercase"},
	{"lantern", "border.focus", "border: var(--border-focus)", "border-top-color", "oklch(0.48 0.17 20)"},
	{"lantern", "motion.hover", "transition: color var(--motion-hover)", "transition-duration", "0.12s"},
}

// containerStyle makes an element follow a boolean token.
const containerStyle = "@container style(--brand-sticky-header: true) { p { position: sticky } }"

// Every $type of the sample does in a browser what its token says, in the Theme and in its Variants.
func TestSampleComputesInBrowser(t *testing.T) {
	for _, variant := range sampleVariants {
		var page strings.Builder
		page.WriteString("<!doctype html><meta charset=utf-8><link rel=stylesheet href=tokens.css><style>" + containerStyle + "</style>\n")
		var want []use
		for _, u := range uses {
			if u.variant == variant {
				fmt.Fprintf(&page, "<p style='%s' title='%s'></p>\n", u.style, u.property)
				want = append(want, u)
			}
		}
		base := tab.pages.serveFiles(map[string]string{"page.html": page.String(), "tokens.css": sampleFile(t, variant, renderer.TokensCSS)})
		got := browse[[]string](t, base+"page.html", `[...document.querySelectorAll("p")].map((p) => getComputedStyle(p).getPropertyValue(p.title))`)
		if len(got) != len(want) {
			t.Fatalf("%d elements, want %d", len(got), len(want))
		}
		for i, u := range want {
			if got[i] != u.want {
				t.Errorf("%s: %s of an element with %q = %s, want %s", u.token, u.property, u.style, got[i], u.want)
			}
		}
	}
}

// The table above forgets no $type: neither one of the standard nor one that the sample uses.
func TestSampleUsesCoverEveryType(t *testing.T) {
	root, err := jsontree.Parse(readSample(t, sampleTheme))
	if err != nil {
		t.Fatal(err)
	}
	doc := dtcg.Read(root)
	covered := map[string]bool{}
	for _, u := range uses {
		token := doc.Token(u.token)
		if token == nil {
			t.Fatalf("the sample has no token %s", u.token)
		}
		covered[token.Resolved] = true
	}
	for _, typ := range dtcg.TypeNames() {
		if !covered[typ] {
			t.Errorf("no use of type %s", typ)
		}
	}
	for _, token := range doc.Tokens {
		if !covered[token.Resolved] {
			t.Errorf("%s is of type %s, which has no use", token.Path, token.Resolved)
		}
	}
}

// Every colour of tokens.values.json is one that the browser's canvas takes as well, which knows
// no custom properties, and is opaque or not as its spelling says.
func TestSampleValuesAreColours(t *testing.T) {
	for _, variant := range sampleVariants {
		values := sampleFile(t, variant, renderer.TokensValuesJSON)
		base := tab.pages.serveFiles(map[string]string{"page.html": "<!doctype html><title>values</title>", "0.json": values})
		var document map[string]any
		if err := json.Unmarshal([]byte(values), &document); err != nil {
			t.Fatal(err)
		}
		script := fmt.Sprintf(`(async () => {
			const values = await (await fetch(%q)).json();
			const leaves = (v) => typeof v === "object" ? Object.values(v).flatMap(leaves) : [v];
			const pen = document.createElement("canvas").getContext("2d");
			return leaves([values.palette, values.color]).filter((text) => {
				pen.fillStyle = "#123456";
				pen.fillStyle = text;
				return pen.fillStyle !== text;
			});
		})()`, base+"0.json")
		if odd := browse[[]string](t, base+"page.html", script); len(odd) > 0 {
			t.Errorf("Variant %q: a canvas reads other colours than %q", variant, odd)
		}
	}
}

// browse opens an address and evaluates an expression there.
func browse[T any](t *testing.T, address, expression string) T {
	t.Helper()
	ctx, cancel := context.WithTimeout(tab.tab, patience)
	defer cancel()
	if err := tab.open(ctx, address); err != nil {
		t.Fatal(err)
	}
	value, err := evaluate[T](ctx, expression)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// sampleFile renders a file of the sample Theme, with a Variant unless it is "".
func sampleFile(t *testing.T, variant string, f renderer.File) string {
	t.Helper()
	overrides := ""
	if variant != "" {
		overrides = readSample(t, sampleFolder+variant+".variant.json")
	}
	set, err := renderer.Load(readSample(t, sampleTheme), overrides, "")
	if err != nil {
		t.Fatal(err)
	}
	return string(set.Append(nil, f))
}

func readSample(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
