//go:build examples

package examples_test

import (
	"os"
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
	wantAll(t, "Tokens.kt", read(t, filepath.Join(dir, "build", "Tokens.kt")), "val colorBrand = Color(0xffffb454)")
	wantAll(t, "tokens.dart", read(t, filepath.Join(dir, "build", "tokens.dart")), "static const colorBrand = Color(0xFFFFB454);")
	wantAll(t, "Tokens.swift", read(t, filepath.Join(dir, "build", "Tokens.swift")), "public static let colorBrand = UIColor(red: 1.000, green: 0.706, blue: 0.329, alpha: 1)")
}

// cli runs the program as a person does, in a folder.
func (d *dev) cli(t *testing.T, dir, line string) {
	t.Helper()
	if said, err := d.shell(dir, line); err != nil {
		t.Fatalf("%s: %v\n%s", line, err, said)
	}
}

// TestTypesCompile: in strict TypeScript what is right compiles, and what is misspelt does not.
func TestTypesCompile(t *testing.T) {
	d := startDev(t, "--empty")
	d.acme()
	dir := workshop(t, "typescript")
	d.cli(t, dir, "livery pull --env sandbox --theme acme --format ts --out tokens.d.ts")
	run(t, dir, installed(t, "tsc"))
}

// TestSassTakesTheVariables: variables have the values of the Variant, and the map has every path.
func TestSassTakesTheVariables(t *testing.T) {
	d := startDev(t, "--empty")
	d.acme()
	dir := workshop(t, "typescript")
	d.cli(t, dir, "livery pull --env sandbox --theme acme --variant midnight --format scss --out _tokens.scss")
	page := `@use "sass:map"; @use "tokens"; a { color: tokens.$color-link; border-radius: map.get(tokens.$tokens, "radius.button"); font-family: tokens.$font-body }`
	if err := os.WriteFile(filepath.Join(dir, "page.scss"), []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	wantAll(t, "the stylesheet", run(t, dir, installed(t, "sass"), "page.scss"), "color: #ffb454;", "border-radius: 8px;", "font-family: Inter, sans-serif;")
}

// TestTailwindTakesTheTheme that livery pull writes: utilities name the custom properties of the served file.
func TestTailwindTakesTheTheme(t *testing.T) {
	d := startDev(t, "--empty")
	d.acme()
	dir := workshop(t, "tailwind")
	d.cli(t, filepath.Join(dir, "src"), "livery pull --env sandbox --theme acme --format tailwind --out theme.css && "+
		`printf '@import "tailwindcss";\n@import "./theme.css";\n' > style.css`)
	run(t, dir, installed(t, "vite"), "build")
	built, err := filepath.Glob(filepath.Join(dir, "dist", "assets", "*.css"))
	if err != nil || len(built) != 1 {
		t.Fatalf("vite built %q, %v", built, err)
	}
	wantAll(t, "the stylesheet", strings.ReplaceAll(read(t, built[0]), " ", ""), ".bg-brand{background-color:var(--color-brand)}",
		".rounded-button{border-radius:var(--radius-button)}", "px-button{padding-inline:var(--space-button)}", ".font-body{font-family:var(--font-body)}")
}

// TestScanKnowsTailwindsOwnClasses: none of the classes that Tailwind itself has is a slip of a token's, however near.
func TestScanKnowsTailwindsOwnClasses(t *testing.T) {
	d := startDev(t, "--empty")
	dir := workshop(t, "tailwind")
	run(t, dir, "node", "--input-type=module", "-e", `
		import { __unstable__loadDesignSystem as load } from "tailwindcss";
		import { readFileSync, writeFileSync } from "node:fs";
		import { dirname, join } from "node:path";
		import { createRequire } from "node:module";
		const css = createRequire(join(process.cwd(), "x.js")).resolve("tailwindcss/index.css");
		const loadStylesheet = (id, base) => ({ path: id, base, content: readFileSync(join(base, id), "utf8") });
		const system = await load(readFileSync(css, "utf8"), { base: dirname(css), loadStylesheet });
		const names = system.getClassList().map(([name]) => name);
		if (names.length < 20000) throw new Error("Tailwind lists " + names.length + " classes");
		writeFileSync("own.html", names.map((name) => '<p class="' + name + '">').join("\n"));
		const values = new Set(names.map((name) => name.slice(name.indexOf("-", 1) + 1).replace(/[^a-z-]/g, "")).filter((value) => value.length > 2));
		const group = (type, value) => ({ $type: type, ...Object.fromEntries([...values].map((name) => [name + "x", { $value: value }])) });
		writeFileSync("near.json", JSON.stringify({ color: group("color", "#000"), space: group("dimension", "1px"), radius: group("dimension", "1px") }));`)
	d.cli(t, dir, "livery scan own.html --tokens near.json")
}
