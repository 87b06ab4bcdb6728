//go:build browser

package examples_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// prefer has the system prefer a color scheme.
func prefer(t *testing.T, tab context.Context, scheme string) {
	t.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	if _, err := chromedp.Call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		t.Fatal(err)
	}
}

// Colours of a button in the Theme of the examples and in its dark scheme.
const (
	acmeBrand     = "rgb(0, 85, 170)"
	midnightBrand = "rgb(255, 180, 84)"
)

// scheme gives the page a scheme of its own.
func scheme(t *testing.T, tab context.Context, name string) {
	t.Helper()
	eventually(t, tab, `document.documentElement.dataset.scheme = "`+name+`"`, name)
}

// TestBuiltStylesheetsHoldBothSchemes: what vite makes of the stylesheet with modes follows the system and the attribute, in
// the utilities of Tailwind and in the names of shadcn, and a light part of a dark page stays light.
func TestBuiltStylesheetsHoldBothSchemes(t *testing.T) {
	d := startDev(t, "--empty")
	d.acme()
	d.schemes()
	tab := newTab(t)
	for _, example := range []string{"tailwind", "shadcn"} {
		t.Run(example, func(t *testing.T) {
			files := map[string]string{"/src/style.css": built(t, example, d.address("tokens.css")+"?modes=scheme")}
			prefer(t, tab, "light")
			do(t, tab, chromedp.Navigate(serve(t, example+"/index.html", files)))
			want := func(page, button string) {
				t.Helper()
				eventually(t, tab, pageColor, page)
				eventually(t, tab, buttonColor, button)
				if example == "shadcn" {
					eventually(t, tab, `getComputedStyle(document.querySelector("aside")).backgroundColor`, acmeSurface)
					return
				}
				shadow := map[string]string{acmeSurface: "false", midnightSurface: "true"}[page]
				eventually(t, tab, `String(!getComputedStyle(document.querySelector("button")).boxShadow.includes("10px"))`, shadow)
			}
			want(acmeSurface, acmeBrand)
			prefer(t, tab, "dark")
			want(midnightSurface, midnightBrand)
			scheme(t, tab, "light")
			want(acmeSurface, acmeBrand)
			prefer(t, tab, "light")
			scheme(t, tab, "dark")
			want(midnightSurface, midnightBrand)
		})
	}
}

// TestMUIFollowsTheAttributeOfTheStylesheet: a theme of both schemes, beside the stylesheet that has both.
func TestMUIFollowsTheAttributeOfTheStylesheet(t *testing.T) {
	d := startDev(t, "--empty")
	d.acme()
	d.schemes()
	dir := t.TempDir()
	light, dark := filepath.Join(dir, "light.json"), filepath.Join(dir, "dark.json")
	save(t, d.address("tokens.values.json"), light)
	save(t, d.address("tokens.values.json")+"?modes=scheme.dark", dark)
	page := "<!doctype html>" + run(t, "mui", "node", "render.mjs", light, dark) +
		`<link rel="stylesheet" href="` + d.address("tokens.css") + `?modes=scheme"><p style="color: var(--color-brand)">tokens</p>`
	tab := newTab(t)
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	do(t, tab, chromedp.Navigate(serve(t, file, nil)))
	for name, want := range map[string]string{"light": acmeBrand, "dark": midnightBrand} {
		scheme(t, tab, name)
		eventually(t, tab, buttonColor, want)
		eventually(t, tab, `getComputedStyle(document.querySelector("p")).color`, want)
	}
}
