package renderer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// rules is which golden cases show which rule of the rendering rules. A rule is known by some of its
// own words, spaces apart.
var rules = []struct{ words, cases string }{
	{"both are accepted everywhere", "forms-mixed-in-one-composite meadow-older-exports harbour-product-system"},
	{"The renderer is total", "empty-document value-that-does-not-fit type-that-is-no-string"},
	{"What cannot be rendered is left out and reported", "value-that-does-not-fit undeclarable-text every-fault-of-a-composite"},
	{"Standard (13)", "types-simple types-composite acorn-design-system"},
	{"Extension types met in real files", "type-extension meadow-older-exports"},
	{"Does a value fit its type?", "value-that-does-not-fit override-that-does-not-fit"},
	{"`null` fits nothing", "value-that-does-not-fit meadow-older-exports"},
	{"Inference, when nothing else gives a type", "type-inference"},
	{"as the whole string", "alias-whole-value override-alias"},
	{"anywhere inside `$value`", "alias-inside-composite"},
	{"it always names a token", "alias-to-group alias-missing root-token"},
	{"A string with embedded aliases", "alias-inside-string"},
	{"becomes `calc(…)`", "alias-inside-string quantities"},
	{"inside an array splices its layers", "alias-splices-layers"},
	{"A cycle leaves out every token in it", "alias-cycle override-missing-or-circular"},
	{"`$ref` and `$extends` are never applied", "extends-and-ref-are-never-applied"},
	{"One `:root { … }`, document order", "order-and-spelling-are-kept"},
	{"with `.` as `-`", "names prefix root-token"},
	{"Two tokens with one name", "name-collision"},
	{"color: sRGB `#rrggbb`", "color-spaces"},
	{"dimension, duration: `16px`", "quantities"},
	{"shortest round-trip form", "numbers-are-shortest"},
	{"generic keywords and plain identifiers bare", "font-families-and-weights"},
	{"fontWeight: number; keywords mapped to numbers", "font-families-and-weights"},
	{"strokeStyle keyword, an object is `dashed`", "easings-strokes-and-transitions"},
	{"layers joined with commas", "shadows-and-gradients"},
	{"with clamped positions", "shadows-and-gradients"},
	{"is the `font` shorthand", "typography-parts typography-style"},
	{"verbatim when it is a safe component list", "strings-and-booleans"},
	{"The escape rule is", "value-that-is-unsafe strings-and-booleans"},
	{"The file begins with one comment", "empty-document"},
	{"only primitives that a JavaScript theme takes", "values-for-javascript"},
	{"with aliases resolved, also inside composites", "metadata-is-kept type-inheritance resolved-text"},
	{"dotted path -> resolved `$value`", "names root-token"},
	{"The stored document with the Variant's values laid over", "override-literal override-of-nothing token-with-children"},
	{"UTF-8, minified, document order, never sorted", "order-and-spelling-are-kept"},
}

// Every rule has a golden case, and every golden case shows a rule.
func TestEveryRuleHasAGoldenCase(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	for _, r := range rules {
		for _, name := range strings.Fields(r.cases) {
			shown[name] = true
			if readFile(t, filepath.Join("testdata", name, "theme.json")) == "" {
				t.Errorf("%q is shown by the case %s, which does not exist", r.words, name)
			}
		}
	}
	themes, err := filepath.Glob("testdata/*/theme.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, theme := range themes {
		if name := filepath.Base(filepath.Dir(theme)); !shown[name] {
			t.Errorf("the case %s shows no rule", name)
		}
	}
}

// The rules are those of the text: each of its points is among them, and each of them is in it.
func TestRulesAreThoseOfTheText(t *testing.T) {
	t.Parallel()
	const name = "../../shared/spec/rendering.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Skipf("NOT TESTED: %s is not beside this checkout", name)
	}
	whole := strings.ReplaceAll(string(text), "**", "")
	for _, r := range rules {
		if !strings.Contains(joined(whole), r.words) {
			t.Errorf("the rules do not say %q", r.words)
		}
	}
	for _, point := range strings.Split(strings.ReplaceAll(whole, "\n- ", "\n\n- "), "\n\n") {
		if !showsRule(joined(point)) {
			t.Errorf("no golden case is named for: %s", point)
		}
	}
}

func showsRule(point string) bool {
	if strings.HasPrefix(point, "#") && !strings.Contains(point, ". ") {
		return true // a heading alone
	}
	for _, r := range rules {
		if strings.Contains(point, r.words) {
			return true
		}
	}
	return false
}

// joined is text on one line, its spaces single.
func joined(text string) string { return strings.Join(strings.Fields(text), " ") }
