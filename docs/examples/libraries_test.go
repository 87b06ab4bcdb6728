//go:build examples

package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// workshop copies an example to where its build may write and still finds the libraries.
func workshop(t *testing.T, example string) string {
	t.Helper()
	if _, err := os.Stat("node_modules"); err != nil {
		t.Fatal("the libraries are not installed: npm ci --prefix docs/examples")
	}
	dir := filepath.Join(".cache", example)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(example)); err != nil {
		t.Fatal(err)
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	return absolute
}

// run runs a program in a folder and returns what it printed.
func run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// program is a program of the libraries.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("node_modules", ".bin", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

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
	dir := workshop(t, "tailwind")
	run(t, ".", "node", "fetch.mjs", d.address("tokens.css", "--pinned"), filepath.Join(dir, "src", "tokens.css"))
	run(t, dir, program(t, "vite"), "build")
	built, err := filepath.Glob(filepath.Join(dir, "dist", "assets", "*.css"))
	if err != nil || len(built) != 1 {
		t.Fatalf("vite built %q, %v", built, err)
	}
	wantAll(t, "the stylesheet", strings.ReplaceAll(read(t, built[0]), " ", ""),
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
	run(t, dir, program(t, "style-dictionary"), "build", "--config", "config.mjs")
	wantAll(t, "_tokens.scss", read(t, filepath.Join(dir, "build", "_tokens.scss")), "$color-brand: #ffb454", "$color-link: $color-brand")
	wantAll(t, "colors.xml", read(t, filepath.Join(dir, "build", "colors.xml")), `<color name="color_brand">#ffffb454</color>`)
	wantAll(t, "Tokens.swift", read(t, filepath.Join(dir, "build", "Tokens.swift")), "public static let colorBrand = UIColor(red: 1.000, green: 0.706, blue: 0.329, alpha: 1)")
}
