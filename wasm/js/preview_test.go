//go:build browser

package js

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image/png"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

var picturePath = flag.String("picture", "", "write the picture of the preview page to this PNG file")

// swatches lists what the page shows of the Variant: name, value and painted colour of each swatch.
const swatches = `[...document.querySelectorAll("[data-colour][data-side=Variant]")].map((side) =>
	[side.closest("figure").querySelector("figcaption").textContent, side.querySelector("button").value, getComputedStyle(side.querySelector(".sample")).backgroundColor].join(" | "))`

// preview opens the page, once it shows something.
func preview(t *testing.T) (tab context.Context, server string) {
	t.Helper()
	module(t)
	tab, server = openTab(t), newParity(t, nil).server.URL
	visit(t, tab, server+"/wasm/js/preview.html")
	until(t, tab, `"ready" in document.documentElement.dataset`)
	return tab, server
}

// choose sets a field of the page as a person does.
func choose(t *testing.T, tab context.Context, id, value, event string) {
	t.Helper()
	evaluate[bool](t, tab, fmt.Sprintf(`(() => {
		const field = document.getElementById(%q);
		field.value = %q;
		return field.dispatchEvent(new Event(%q));
	})()`, id, value, event))
}

// write replaces the overrides as a person does, and lets the page take notice.
func write(t *testing.T, tab context.Context, overrides string) {
	t.Helper()
	choose(t, tab, "overrides", overrides, "input")
}

func TestPreviewFollowsTheOverrides(t *testing.T) {
	tab, _ := preview(t)
	photograph(t, tab)

	wants(t, tab, "--color-accent | #7a3cff | rgb(122, 60, 255)")
	write(t, tab, "")
	wants(t, tab, "--color-accent | #0b6fa4 | rgb(11, 111, 164)")
	write(t, tab, `{"color.brand.500": "teal"}`)
	wants(t, tab, "--color-brand-500 | teal | rgb(0, 128, 128)", "--color-accent | teal | rgb(0, 128, 128)")
	buttons := evaluate[string](t, tab, `[...document.querySelectorAll(".card button")].map((b) => getComputedStyle(b).backgroundColor).join("; ")`)
	if buttons != "rgb(11, 111, 164); rgb(0, 128, 128)" {
		t.Errorf("the buttons are %s, want the accent of the Theme beside that of the Variant", buttons)
	}
	marked := evaluate[string](t, tab, `[...document.querySelectorAll(".changed")].map((side) => side.closest("figure").querySelector("figcaption").textContent).join(" ")`)
	if marked != "--color-brand-500 --color-accent" {
		t.Errorf("%s are marked, want what the overrides change", marked)
	}
}

// Names stand in groups; what is searched for stays alone, with its group, also while overrides are typed.
func TestPreviewIsGroupedAndSearched(t *testing.T) {
	tab, _ := preview(t)
	const shown = `[...document.querySelectorAll(".group")].filter((g) => !g.hidden)
		.map((g) => g.querySelector("h2").textContent + " " + [...g.querySelectorAll("figure")].filter((f) => f.checkVisibility()).length).join(", ")`
	says := func(want string) {
		t.Helper()
		if got := evaluate[string](t, tab, shown); got != want {
			t.Errorf("the page shows %q, want %q", got, want)
		}
	}
	says("color 9, space 1, radius 2, border 1, elevation 1, type 5")
	choose(t, tab, "search", "CARD", "input")
	says("space 1, radius 1, border 1")
	choose(t, tab, "search", "7a3cff brand", "input")
	says("color 1")
	write(t, tab, `{"color.brand.700": "#7a3cff", "color.brand.500": "#7a3cff"}`)
	says("color 2")
	choose(t, tab, "search", "nothing", "input")
	says("")
}

// A click on a name or a value copies it.
func TestPreviewCopies(t *testing.T) {
	tab, server := preview(t)
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		grant := browser.SetPermissionParams{
			Origin: server, Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted,
		}
		if _, err := chromedp.Call(tab, browser.SetPermission, grant); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"--color-accent", "#7a3cff", "#0b6fa4", "24px"} {
		if err := chromedp.Do(tab, chromedp.Click(fmt.Sprintf("//figure//button[@value=%q]", want))); err != nil {
			t.Fatal(err)
		}
		until(t, tab, fmt.Sprintf(`document.getElementById("copied").value === "Copied: " + %q`, want))
		copied, err := chromedp.Run(tab, chromedp.Evaluate[string](`navigator.clipboard.readText()`, chromedp.EvalAwaitPromise))
		if err != nil || copied != want {
			t.Errorf("the clipboard holds %q, %v; want %q", copied, err, want)
		}
	}
}

// Each colour has its contrast on a background, of its own side, as WCAG 2 counts it.
func TestPreviewTellsTheContrast(t *testing.T) {
	tab, _ := preview(t)
	write(t, tab, `{"color.brand.500": "#00000080", "color.paper": "#000000"}`)
	const said = `[...document.querySelectorAll("figure")].filter((f) => ["--color-accent", "--color-on-accent"].includes(f.querySelector("figcaption").textContent))
		.flatMap((f) => [...f.querySelectorAll("output")].map((o) => o.value)).join(", ")`
	for _, tt := range []struct{ background, want string }{
		{"white", "5.49:1 AA, 4.00:1 AA, large text, 1.01:1 too low, 21.00:1 AAA"},
		{"black", "3.82:1 AA, large text, 1.00:1 too low, 20.67:1 AAA, 1.00:1 too low"},
		{"--color-on-accent", "5.40:1 AA, 1.00:1 too low, 1.00:1 too low, 1.00:1 too low"},
	} {
		choose(t, tab, "background", tt.background, "change")
		if got := evaluate[string](t, tab, said); got != tt.want {
			t.Errorf("on %s: %s, want %s", tt.background, got, tt.want)
		}
	}
}

// axe-core finds nothing, at both widths and in both schemes, and the page asks no other host for anything.
func TestPreviewHasNoFaultOfAccess(t *testing.T) {
	axe, err := os.ReadFile("../../docs/examples/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Skip("NOT PROVEN: axe-core is not installed: make docs/examples/node_modules")
	}
	tab, server := preview(t)
	for _, width := range []int64{360, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			screen(t, tab, width, scheme)
			evaluate[bool](t, tab, string(axe)+"; true")
			found, err := chromedp.Run(tab, chromedp.Evaluate[string](
				`axe.run().then(({ violations }) => violations.map((v) => v.id + ": " + v.nodes[0].html).join("\n"))`, chromedp.EvalAwaitPromise))
			if err != nil || found != "" {
				t.Errorf("%d px, %s: %v\n%s", width, scheme, err, found)
			}
		}
	}
	asked := evaluate[[]string](t, tab, `performance.getEntriesByType("resource").map((r) => r.name).filter((name) => !name.startsWith("data:"))`)
	for _, name := range asked {
		if !strings.HasPrefix(name, server+"/") {
			t.Errorf("the page asks for %s", name)
		}
	}
}

// What is not JSON yet, as while one is typing, is said with its place, and the last picture stays.
func TestPreviewSaysWhereTheFaultIs(t *testing.T) {
	tab, _ := preview(t)
	write(t, tab, "{\n\"ö\": \"x\", }")
	fault := evaluate[string](t, tab, `document.getElementById("fault").textContent`)
	if !strings.HasPrefix(fault, "line 2, column 11: the overrides are not valid") {
		t.Errorf("the page says %q, want the line and the column", fault)
	}
	wants(t, tab, "--color-accent | #7a3cff | rgb(122, 60, 255)")
	write(t, tab, `{}`)
	if fault := evaluate[string](t, tab, `document.getElementById("fault").textContent`); fault != "" {
		t.Errorf("the page still says %q", fault)
	}
}

// No width from 320 px on scrolls sideways, and the page follows the colour scheme of the reader.
func TestPreviewFitsEveryScreen(t *testing.T) {
	tab, _ := preview(t)
	write(t, tab, `{"elevation": {"color": "#000", "offsetX": "1px", "offsetY": "2px", "blur": "3px", "spread": "99999px"}, "space.card": "40px"}`)
	for _, width := range []int64{320, 360, 375, 800, 900, 1280} {
		screen(t, tab, width, "light")
		until(t, tab, fmt.Sprintf("innerWidth === %d && document.documentElement.scrollWidth <= document.documentElement.clientWidth", width))
	}
	for scheme, background := range map[string]string{"light": "rgb(244, 242, 238)", "dark": "rgb(23, 24, 28)"} {
		screen(t, tab, 360, scheme)
		until(t, tab, fmt.Sprintf("getComputedStyle(document.body).backgroundColor === %q", background))
	}
}

// screen sets the width of the window and the colour scheme that pages ask for.
func screen(t *testing.T, tab context.Context, width int64, scheme string) {
	t.Helper()
	metrics := emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 800, DeviceScaleFactor: 1}
	if _, err := chromedp.Call(tab, emulation.SetDeviceMetricsOverride, metrics); err != nil {
		t.Fatal(err)
	}
	features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
	if _, err := chromedp.Call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		t.Fatal(err)
	}
}

func wants(t *testing.T, tab context.Context, wanted ...string) {
	t.Helper()
	shown := evaluate[[]string](t, tab, swatches)
	for _, want := range wanted {
		if !slices.Contains(shown, want) {
			t.Errorf("the swatches are\n%s\nand none is %s", strings.Join(shown, "\n"), want)
		}
	}
}

// photograph takes a picture of the page, and wants the accent in it.
func photograph(t *testing.T, tab context.Context) {
	t.Helper()
	picture, err := chromedp.Run(tab, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	accent := 0
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			if r, g, b, _ := img.At(x, y).RGBA(); r>>8 == 122 && g>>8 == 60 && b>>8 == 255 {
				accent++
			}
		}
	}
	if accent < 5_000 {
		t.Errorf("%d pixels of the picture have the accent, want a swatch and a button", accent)
	}
	if *picturePath != "" {
		if err := os.WriteFile(*picturePath, picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
