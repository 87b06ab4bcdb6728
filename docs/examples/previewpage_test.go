//go:build browser

package examples_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// preview opens the page of livery preview, drawn from token files, in a tab.
func preview(t *testing.T, args ...string) (tab context.Context, address string) {
	t.Helper()
	dir := t.TempDir()
	d := &dev{t: t, data: filepath.Join(dir, "none")}
	d.livery(append([]string{"preview", "--out", filepath.Join(dir, "page.html")}, args...)...)
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	tab = newTab(t)
	do(t, tab, chromedp.Navigate(server.URL+"/page.html"))
	return tab, server.URL
}

// screen sets the width of the window and the colour scheme that pages ask for.
func screen(t *testing.T, tab context.Context, width int64, scheme string) {
	t.Helper()
	metrics := emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 800, DeviceScaleFactor: 1}
	if _, err := chromedp.Call(tab, emulation.SetDeviceMetricsOverride, metrics); err != nil {
		t.Fatal(err)
	}
	prefer(t, tab, scheme)
}

// hostileTokens has what makes a page wide: long names, words with no place to break, huge values.
const hostileTokens = `{
  "color": {
    "$type": "color",
    "aNameWithoutAnyDotOrDashThatIsLongerThanTheWidthOfATelephoneHeldUpright": {"$value": "#0055aa"},
    "interactive": {"secondary-background": {"hover-and-pressed": {
      "$value": "rgb(0 85 170 / 0.5)", "$description": "aWordaWordaWordaWordaWordaWordaWordaWordaWordaWord"
    }}}
  },
  "size": {"$type": "dimension", "huge": {"$value": "99999px"}},
  "line": {"$type": "border", "huge": {"$value": {"width": "900px", "style": "solid", "color": "#000000"}}},
  "type": {"$type": "typography", "huge": {"$value": {"fontFamily": "serif", "fontSize": "900px", "fontWeight": 400, "lineHeight": 1}}},
  "ease": {"$type": "duration", "fast": {"$value": "200ms"}},
  "gone": {"$type": "color", "$value": "{there.is.no.such.token.anywhere.in.this.document.at.all.whatever.one.looks.for}"}
}`

// TestThePreviewPageFitsEveryScreen: no width from 320 px on scrolls sideways, whatever the tokens are.
func TestThePreviewPageFitsEveryScreen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hostile.tokens.json")
	if err := os.WriteFile(file, []byte(hostileTokens), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"acme.tokens.json"}, {}, {file},
	} {
		tab, _ := preview(t, args...)
		for _, width := range []int64{320, 360, 375, 600, 768, 960, 1280, 1440} {
			screen(t, tab, width, "light")
			eventually(t, tab, `String(innerWidth)`, strconv.FormatInt(width, 10))
			eventually(t, tab, `String(document.documentElement.scrollWidth - document.documentElement.clientWidth)`, "0")
		}
	}
}

// TestThePreviewPageHasNoFaultOfAccess: axe-core, at both widths and in both schemes, finds nothing.
func TestThePreviewPageHasNoFaultOfAccess(t *testing.T) {
	axe := read(t, filepath.Join("node_modules", "axe-core", "axe.min.js"))
	tab, _ := preview(t)
	for _, width := range []int64{360, 1280} {
		for _, scheme := range []string{"light", "dark"} {
			screen(t, tab, width, scheme)
			if _, err := chromedp.Run(tab, chromedp.Evaluate[bool](axe+"; true")); err != nil {
				t.Fatal(err)
			}
			found, err := chromedp.Run(tab, chromedp.Evaluate[string](
				`axe.run().then(({ violations }) => violations.map((v) => v.id + ": " + v.nodes[0].html).join("\n"))`, chromedp.EvalAwaitPromise))
			if err != nil || found != "" {
				t.Errorf("%d px, %s: %v\n%s", width, scheme, err, found)
			}
		}
	}
}

// shownNames lists the tokens that the page shows.
const shownNames = `[...document.querySelectorAll("figure")].filter((f) => f.checkVisibility())
	.map((f) => f.querySelector("figcaption button").textContent).join(" ")`

// write replaces what an element of the page holds, as a person does.
func write(t *testing.T, tab context.Context, id, value, event string) {
	t.Helper()
	eventually(t, tab, fmt.Sprintf(`(() => {
		const element = document.getElementById(%q);
		element.value = %q;
		return String(element.dispatchEvent(new Event(%q, { bubbles: true })));
	})()`, id, value, event), "true")
}

// TestThePreviewPageIsSearched: while one types, only what matches stays, with its groups and links.
func TestThePreviewPageIsSearched(t *testing.T) {
	tab, _ := preview(t)
	screen(t, tab, 1280, "light") // the contents are open
	links := `[...document.querySelectorAll(".contents a")].filter((a) => a.checkVisibility()).map((a) => a.textContent).join(", ")`
	everything, err := chromedp.Run(tab, chromedp.Evaluate[string](shownNames))
	if err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]struct{ names, links string }{
		"BUTTON":       {"space.button radius.button", "Sizes and spacing 1, space, Corners 1, radius"},
		"color ffb454": {"color.brand color.link", "Colours 4, color"},
		"people":       {"color.brand", "Colours 4, color"},
		"--font-body":  {"font.body", "Fonts 1, font"},
		"nothing":      {"", ""},
	} {
		write(t, tab, "search", typed, "input")
		eventually(t, tab, shownNames, want.names)
		eventually(t, tab, links, want.links)
	}
	write(t, tab, "search", "people", "input")
	do(t, tab, chromedp.Reload())
	eventually(t, tab, shownNames, "color.brand") // what was typed outlives a redrawing
	write(t, tab, "search", "", "input")
	eventually(t, tab, shownNames, everything)
}

// TestThePreviewPageCopies what a button says: a name, a reference, the value of a Variant.
func TestThePreviewPageCopies(t *testing.T) {
	tab, origin := preview(t)
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		grant := browser.SetPermissionParams{
			Origin: origin, Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted,
		}
		if _, err := chromedp.Call(tab, browser.SetPermission, grant); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"color.brand", "var(--color-brand)", "#0055aa", "#ffb454"} {
		do(t, tab, chromedp.Click(`//figure[@id="--color-brand"]//button[normalize-space()="`+want+`"]`))
		eventually(t, tab, `document.getElementById("copied").textContent`, "Copied: "+want)
		copied, err := chromedp.Run(tab, chromedp.Evaluate[string](`navigator.clipboard.readText()`, chromedp.EvalAwaitPromise))
		if err != nil || copied != want {
			t.Errorf("the clipboard holds %q, %v; want %q", copied, err, want)
		}
	}
}
