//go:build examples

package examples_test

import (
	"path/filepath"
	"strings"
	"testing"
)

func wantAll(t *testing.T, where, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("%s lacks %q:\n%s", where, want, text)
		}
	}
}

// TestTailwindBuildsOnTheTokens: vite builds utilities that name the custom properties, beside their values.
func TestTailwindBuildsOnTheTokens(t *testing.T) {
	d := startDev(t, "--empty")
	d.acme()
	built := strings.ReplaceAll(tailwind(t, d.address("tokens.css", "--pinned")), " ", "")
	wantAll(t, "the stylesheet", built,
		"--color-brand:#05a", ".bg-brand{background-color:var(--color-brand)}", ".rounded-button{border-radius:var(--radius-button)}",
		"px-button{padding-inline:var(--space-button)}", ".font-body{font-family:var(--font-body)}")
}

// TestMUIRendersTheTokens: a button rendered on the server has the colours of the Theme, and of a Variant.
func TestMUIRendersTheTokens(t *testing.T) {
	d := startDev(t, "--empty")
	d.acme()
	values := filepath.Join(t.TempDir(), "tokens.values.json")
	save(t, d.address("tokens.values.json"), values)
	wantAll(t, "the page", run(t, "mui", "node", "render.mjs", values), "Book a table", "--variant-containedBg:#0055aa", "border-radius:8px", "font-family:Inter")
	save(t, d.address("tokens.values.json", "--variant", "midnight"), values)
	wantAll(t, "the page of the Variant", run(t, "mui", "node", "render.mjs", values), "--variant-containedBg:#ffb454", "background-color:#0b1020")
}

// TestStyleDictionaryBuildsThePlatforms from tokens.dtcg.json, aliases and all.
func TestStyleDictionaryBuildsThePlatforms(t *testing.T) {
	d := startDev(t, "--empty")
	d.acme()
	dir := workshop(t, "style-dictionary")
	save(t, d.address("tokens.dtcg.json", "--variant", "midnight"), filepath.Join(dir, "tokens.dtcg.json"))
	run(t, dir, installed(t, "style-dictionary"), "build", "--config", "config.mjs")
	wantAll(t, "_tokens.scss", read(t, filepath.Join(dir, "build", "_tokens.scss")), "$color-brand: #ffb454", "$color-link: $color-brand")
	wantAll(t, "colors.xml", read(t, filepath.Join(dir, "build", "colors.xml")), `<color name="color_brand">#ffffb454</color>`)
	wantAll(t, "Tokens.swift", read(t, filepath.Join(dir, "build", "Tokens.swift")), "public static let colorBrand = UIColor(red: 1.000, green: 0.706, blue: 0.329, alpha: 1)")
}
