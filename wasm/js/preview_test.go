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

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

var picturePath = flag.String("picture", "", "write the picture of the preview page to this PNG file")

// swatches lists what the page shows: name, value and painted colour of each swatch.
const swatches = `[...document.querySelectorAll("#swatches figure")].map((f) =>
	[f.querySelector("figcaption").firstChild.data, f.querySelector("span").textContent, getComputedStyle(f.querySelector("div")).backgroundColor].join(" | "))`

// write replaces the overrides as a person does, and lets the page take notice.
func write(t *testing.T, tab context.Context, overrides string) {
	t.Helper()
	evaluate[bool](t, tab, fmt.Sprintf(`(() => {
		const area = document.getElementById("overrides");
		area.value = %q;
		return area.dispatchEvent(new Event("input"));
	})()`, overrides))
}

func TestPreviewFollowsTheOverrides(t *testing.T) {
	module(t)
	tab := openTab(t)
	visit(t, tab, newParity(t, nil).server.URL+"/wasm/js/preview.html")
	until(t, tab, `"ready" in document.documentElement.dataset`)
	photograph(t, tab)

	wants(t, tab, "--color-accent | #7a3cff | rgb(122, 60, 255)")
	write(t, tab, "")
	wants(t, tab, "--color-accent | #0b6fa4 | rgb(11, 111, 164)")
	write(t, tab, `{"color.brand.500": "teal"}`)
	wants(t, tab, "--color-brand-500 | teal | rgb(0, 128, 128)", "--color-accent | teal | rgb(0, 128, 128)")
	button := evaluate[string](t, tab, `getComputedStyle(document.querySelector(".card button")).backgroundColor`)
	if button != "rgb(0, 128, 128)" {
		t.Errorf("the button is %s, want the accent", button)
	}
}

// What is not JSON yet, as while one is typing, is said with its place, and the last picture stays.
func TestPreviewSaysWhereTheFaultIs(t *testing.T) {
	module(t)
	tab := openTab(t)
	visit(t, tab, newParity(t, nil).server.URL+"/wasm/js/preview.html")
	until(t, tab, `"ready" in document.documentElement.dataset`)
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
	module(t)
	tab := openTab(t)
	visit(t, tab, newParity(t, nil).server.URL+"/wasm/js/preview.html")
	until(t, tab, `"ready" in document.documentElement.dataset`)
	for _, width := range []int64{320, 375, 800, 900, 1280} {
		metrics := emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 800, DeviceScaleFactor: 1}
		if _, err := chromedp.Call(tab, emulation.SetDeviceMetricsOverride, metrics); err != nil {
			t.Fatal(err)
		}
		until(t, tab, fmt.Sprintf("innerWidth === %d && document.documentElement.scrollWidth <= document.documentElement.clientWidth", width))
	}
	for scheme, background := range map[string]string{"light": "rgb(244, 242, 238)", "dark": "rgb(23, 24, 28)"} {
		features := []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}
		if _, err := chromedp.Call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
			t.Fatal(err)
		}
		until(t, tab, fmt.Sprintf("getComputedStyle(document.body).backgroundColor === %q", background))
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
	if accent < 10_000 {
		t.Errorf("%d pixels of the picture have the accent, want two swatches and a button", accent)
	}
	if *picturePath != "" {
		if err := os.WriteFile(*picturePath, picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
