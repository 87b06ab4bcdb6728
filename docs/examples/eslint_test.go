//go:build browser || examples

package examples_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// finding is what livery scan and the plugin of ESLint say of a name.
type finding struct {
	Rule, File    string
	Line, Column  int
	Name, Nearest string
}

const lintTokens = `{
	"color": {"$type": "color",
		"brand": {"$value": "#0055aa"}, "on-brand": {"$value": "#ffffff"}, "lefty": {"$value": "#000000"},
		"old": {"$value": "#000000", "$deprecated": "Use color.brand."},
		"text": {"muted": {"$value": "#111111"}, "strong": {"$value": "#000000"}},
		"gray": {"50": {"$value": "#eeeeee"}}},
	"space": {"$type": "dimension", "button": {"$value": "4px"}},
	"radius": {"$type": "dimension", "button": {"$value": "4px"}},
	"type": {"title": {"$type": "typography", "$value": {"fontFamily": "Inter", "fontSize": "20px", "fontWeight": 700}}},
	"ratio": {"$type": "number", "$value": 2}
}`

// lintSources are of the forms that a program names tokens in.
var lintSources = map[string]string{
	"properties.ts": `export const a = ["var(--color-brand)", "var(--color-brnad)", 'var( --color-bran , red)', "var(--color-brond) var(--color-barnd)"];
export const two = "var(--color-bradnd2) var(--colour-bran)";
export const group = "var(--color-text-quiet)";
export const guarded = "var(--color-text-quiet, red) var(--mine, var( --color-text-quiet )) var(--color-brnad, var(--color-brand, 0))";
export const tailwind = "var(--color-gray-100) var(--color-gray-99) var(--bs-primary) var(--color-red-500) var(--ratio1) var(--ratio)";
export const short = "var(--colors-red) var(--space-but) var(--color-lft)";
export const asked = (e: HTMLElement) => getComputedStyle(e).getPropertyValue("--color-brnad");
export const made = (tone: string) => ` + "`var(--color-text-${tone}) var(--color-brnad)`" + ` + 'var(--color-' + tone;
export const old = "var(--color-old)";
export const title = "var(--type-title-font-size) var(--type-title-font-sizes)";
`,
	"declared.tsx": `export const a = (e: HTMLElement) => { e.style.setProperty("--rati", "1"); return <p style={{ "--ratoi": 1, ["--ratie" as string]: 2, width: "var(--ratoi) var(--ratie) var(--rati) var(--rattio)" }} />; };
`,
	"paths.ts": `declare function cssVar(path: string): string; declare function token(path: string): string; declare const tokens: Record<string, string>;
export const known = [cssVar("color.brand"), token('color.text.muted'), tokens["space.button"], token("ratio"), cssVar("color.old")];
export const unknown = [cssVar('color.brnad'), token(` + "`color.text.quiet`" + `), tokens[ 'rato' ]];
export const others = [token("colors.red.500"), cssVar("switch"), String("color.brnad"), cssVar("color.brands.one")];
`,
	"classes.tsx": `const cn = (...list: unknown[]) => list.join(" ");
export const a = <p className="bg-brand hover:text-text-muted/50 -mt-button border-on-brand! rounded-t-button text-brnad" />;
export const b = [cn(a && 'bg-brnad'), "flex bg-brnad md:px-buton", "bg-text-quiet flex", "bg-text-strng flex"];
export const c = <p className={` + "`text-left ${b} border-gray-500 bg-gray-51 hover:text-brnad/50 !bg-brnad`" + `} />;
export const d = <p className="bg-old bg-(--color-brnad) bg-[--color-brnad] bg-(color:--color-brnad)" />;
export const classes = { button: "text-brnad", "text-brnad": 1 };
`,
	"others.ts": `export const a = "text-brnad", b = "./bg-brnad", c = "text-brnad.css";
`,
	"Page.vue": `<script setup>
const color = "var(--color-brnad)";
</script>

<template>
  <p class="text-brnad flex" :class="{ on: 'bg-brnad' }" :style="{ color: 'var(--color-brnad)' }">{{ color }}</p>
  <p style="color: var(--color-brnad)" :class="['bg-brnad', on && ` + "`bg-${on} bg-text-quiet`" + `]">{{ cssVar("color.brnad") }} text-brnad</p>
  <Own v-bind:class="on ? 'bg-brand' : 'bg-old'" button-class="text-brnad"><p class="text-bran">Own</p></Own>
</template>

<style scoped>
.text-bran { color: var(--color-brnad); @apply bg-brnad px-button; }
/* var(--color-brnad) */
</style>
`,
	"Page.svelte": `<script>
	const { on } = $props();
	const color = "var(--color-brnad)";
</script>

<p class="text-brnad flex" style="color: var(--color-brnad)" style:background="var(--color-brnad)" {color}>text-brnad</p>
{#if on}
	<p class="flex {on} text-brnad bg-{on} bg-text-quiet" class:bg-brnad={on} class:hover:bg-brond={on} class:bg-brand={on}></p>
	<Own class={["bg-brnad", { "bg-text-quiet": on }]} --rail-color="var(--color-brnad)" style={` + "`color: var(--color-${on}); top: var(--color-old)`" + `} />
{/if}
{#each on as one}<p class={one ? 'bg-brnad' : undefined}>{cssVar("color.brnad")} {tokens["rato"]} <b class='text-bran bg-old'>{one}</b></p>{/each}

<style>
	.text-bran { color: var(--color-brnad); @apply bg-brnad px-button; }
	/* var(--color-brnad) */
</style>
`,
	"Typed.svelte": `<script lang="ts">
	const color: string = "var(--color-brnad)";
</script>

<p class="text-brnad" style:color={color as string}></p>
`,
}

// TestESLintSaysWhatTheScanSays: the plugin finds in scripts, and in components of Vue and Svelte, what livery scan does, at the same places, with the
// same nearest names; --fix corrects what can only be one name.
func TestESLintSaysWhatTheScanSays(t *testing.T) {
	dir := workshop(t, "typescript")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "node_modules", "@livery", "theme"), os.DirFS("../../client/js")); err != nil {
		t.Fatal(err)
	}
	write("tokens.json", lintTokens)
	names := []string{"eslint", "-f", "json"}
	for name, text := range lintSources {
		write(name, text)
		names = append(names, name)
	}
	slices.Sort(names[3:])
	_, section, _ := strings.Cut(read(t, "../../client/js/README.md"), "## ESLint\n")
	_, config, _ := strings.Cut(section, "```js\n")
	config, _, _ = strings.Cut(config, "```\n")
	write("eslint.config.mjs", config) // as the README has it
	if err := os.MkdirAll(filepath.Join(dir, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	d := startDev(t, "--empty")
	d.cli(t, dir, "livery push tokens.json --env sandbox --theme lint --create --loss drop && livery pull --env sandbox --theme lint --format ts --out src/tokens.d.ts")

	var scanned struct{ Findings []finding }
	scan := exec.Command("livery", append([]string{"scan", "--json", "--tokens", "tokens.json"}, names[3:]...)...)
	scan.Dir = dir
	said, _ := scan.Output() // the names that are unknown are an error
	if err := json.Unmarshal(said, &scanned); err != nil {
		t.Fatalf("livery scan: %v\n%s", err, said)
	}
	var linted []struct {
		FilePath string
		Messages []struct {
			RuleID, Message string
			Line, Column    int
			EndColumn       int
		}
	}
	lint := exec.Command(installed(t, "eslint"), names[1:]...)
	lint.Dir = dir
	said, _ = lint.Output()
	if err := json.Unmarshal(said, &linted); err != nil {
		t.Fatalf("eslint: %v\n%s", err, said)
	}
	var want, got []string
	for _, f := range scanned.Findings {
		want = append(want, strings.TrimSuffix(fmt.Sprintf("%s:%d:%d %s %s %s", f.File, f.Line, f.Column, f.Rule, f.Name, f.Nearest), " "))
	}
	for _, file := range linted {
		name := filepath.Base(file.FilePath)
		lines := strings.Split(lintSources[name], "\n")
		for _, m := range file.Messages {
			if m.RuleID == "" {
				t.Fatalf("%s: %s", name, m.Message)
			}
			line := []rune(lines[m.Line-1])
			_, near, _ := strings.Cut(strings.TrimSuffix(m.Message, "?"), "did you mean ")
			got = append(got, strings.TrimSuffix(fmt.Sprintf("%s:%d:%d %s %s %s", name, m.Line, m.Column, strings.TrimPrefix(m.RuleID, "livery/"), string(line[m.Column-1:m.EndColumn-1]), near), " "))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) < 30 {
		t.Fatalf("the scan finds %d names", len(want))
	}
	for _, line := range want {
		if !slices.Contains(got, line) {
			t.Errorf("ESLint lacks %s", line)
		}
	}
	for _, line := range got {
		if !slices.Contains(want, line) {
			t.Errorf("the scan lacks %s", line)
		}
	}

	run(t, dir, "sh", "-c", installed(t, "eslint")+" --fix properties.ts Page.vue Page.svelte || true")
	fixed := read(t, filepath.Join(dir, "properties.ts"))
	has(t, fixed, `["var(--color-brand)", "var(--color-brand)", 'var( --color-brand , red)', "var(--color-brand) var(--color-brand)"]`)
	has(t, fixed, `"var(--color-text-quiet)"`) // which may be another
	has(t, read(t, filepath.Join(dir, "Page.vue")), `<p style="color: var(--color-brand)" :class="['bg-brand', on && `)
	has(t, read(t, filepath.Join(dir, "Page.svelte")), `class:bg-brand={on} class:hover:bg-brand={on} class:bg-brand={on}>`)
}
