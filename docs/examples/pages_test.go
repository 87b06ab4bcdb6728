//go:build browser

package examples_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// patience bounds every wait for the browser.
const patience = 60 * time.Second

// newTab opens a Chromium of its own.
func newTab(t *testing.T) context.Context {
	t.Helper()
	options := []chromedp.ExecAllocatorOption{
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
	}
	if program := os.Getenv("LIVERY_CHROMIUM"); program != "" {
		options = append(options, chromedp.ExecPath(program))
	}
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, closeTab := chromedp.NewContext(ctx)
	t.Cleanup(closeTab)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("no browser to test with (LIVERY_CHROMIUM names its program): %v", err)
	}
	return ctx
}

// serve serves files, and at / a page in which placeholders are filled in: pairs of old and new text.
func serve(t *testing.T, page string, files map[string]string, fill ...string) string {
	t.Helper()
	text := read(t, page)
	for i := 0; i < len(fill); i += 2 {
		if !strings.Contains(text, fill[i]) {
			t.Fatalf("%s has no place for %s", page, fill[i])
		}
		text = strings.Replace(text, fill[i], fill[i+1], 1)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if file, ok := files[r.URL.Path]; ok {
			w.Header().Set("Content-Type", "text/css; charset=utf-8")
			_, _ = w.Write([]byte(file))
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// do runs an action in the tab.
func do(t *testing.T, tab context.Context, step chromedp.Action[chromedp.Void]) {
	t.Helper()
	ctx, cancel := context.WithTimeout(tab, patience)
	defer cancel()
	if err := chromedp.Do(ctx, step); err != nil {
		t.Fatal(err)
	}
}

// eventually waits until an expression of JavaScript has a value.
func eventually(t *testing.T, tab context.Context, expression, want string) {
	t.Helper()
	got := ""
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		var err error
		if got, err = chromedp.Run(tab, chromedp.Evaluate[string](expression)); err == nil && got == want {
			return
		}
	}
	t.Fatalf("%s = %q, want %q", expression, got, want)
}

const (
	buttonColor = `getComputedStyle(document.querySelector("button")).backgroundColor`
	pageColor   = `getComputedStyle(document.body).backgroundColor`
)

// TestThePlainPageChangesColourOnPublish: an open page takes the new colour by itself, with no reload.
func TestThePlainPageChangesColourOnPublish(t *testing.T) {
	d := startDev(t, "--empty")
	d.acme()
	page := serve(t, "plain/index.html", nil, "LATEST_TOKENS_CSS", d.address("tokens.css"))
	tab := newTab(t)
	do(t, tab, chromedp.Navigate(page+"/?every=100"))
	eventually(t, tab, "String(window.stays = 1)", "1")
	eventually(t, tab, buttonColor, "rgb(0, 85, 170)")
	d.livery("edit", "color.brand", "#c2410c", "--env", "sandbox", "--theme", "acme")
	eventually(t, tab, buttonColor, "rgb(0, 85, 170)") // a draft is not served
	d.livery("publish", "--env", "sandbox", "--theme", "acme", "--wait")
	eventually(t, tab, buttonColor, "rgb(194, 65, 12)")
	eventually(t, tab, "String(window.stays)", "1")
}

// TestThePlainPageOutlivesAnEdgeThatRefuses: it stays as it is, leaves no rejection unhandled, and takes the next
// publish once the edge is back.
func TestThePlainPageOutlivesAnEdgeThatRefuses(t *testing.T) {
	d := startDev(t, "--empty")
	d.acme()
	g := newGate(t, d.file.EdgeURL)
	close(g.hold)
	page := serve(t, "plain/index.html", nil, "LATEST_TOKENS_CSS", g.address(d, "tokens.css"))
	tab := newTab(t)
	do(t, tab, chromedp.Navigate(page+"/?every=50"))
	eventually(t, tab, buttonColor, "rgb(0, 85, 170)")
	eventually(t, tab, `window.rejected = 0; addEventListener("unhandledrejection", () => rejected++); "ready"`, "ready")
	g.refuse.Store(true)
	for deadline := time.Now().Add(patience); g.refused.Load() < 3 && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
	}
	eventually(t, tab, `rejected + " " + document.querySelectorAll("link").length`, "0 1")
	d.livery("edit", "color.brand", "#c2410c", "--env", "sandbox", "--theme", "acme")
	d.livery("publish", "--env", "sandbox", "--theme", "acme", "--wait")
	g.refuse.Store(false)
	eventually(t, tab, buttonColor, "rgb(194, 65, 12)")
}

// TestTheBrandSwitchDoesNotFlash: the first paint and every one after it has the colours of a brand, also
// while another brand is loaded and after a reload.
func TestTheBrandSwitchDoesNotFlash(t *testing.T) {
	d := startDev(t, "--empty")
	d.acme()
	g := newGate(t, d.file.EdgeURL)
	close(g.hold)
	through := func(file string, more ...string) string { return g.address(d, file, more...) }
	page := serve(t, "brands/index.html", map[string]string{"/fallback.css": fetched(t, d.address("tokens.css"))},
		"BRANDS", brandsOf(t, through), "patience = 300", "patience = 60_000") // a busy machine may paint no fallback
	tab := newTab(t)
	// every frame from the first one on is looked at
	watch := `window.seen = new Set();
		(function look() { if (document.body && getComputedStyle(document.body).display !== "none") seen.add(getComputedStyle(document.body).backgroundColor); requestAnimationFrame(look); })();`
	if _, err := chromedp.Call(tab, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: watch}); err != nil {
		t.Fatal(err)
	}
	do(t, tab, chromedp.Navigate(page))
	eventually(t, tab, pageColor, "rgb(255, 255, 255)")
	do(t, tab, chromedp.Click(`//button[text()="Midnight"]`))
	eventually(t, tab, pageColor, "rgb(11, 16, 32)")
	eventually(t, tab, `[...seen].sort().join(" ")`, "rgb(11, 16, 32) rgb(255, 255, 255)")
	do(t, tab, chromedp.Reload())
	eventually(t, tab, pageColor, "rgb(11, 16, 32)")
	eventually(t, tab, `[...seen].join(" ")`, "rgb(11, 16, 32)")
}

// TestThePageWithModesIsOfTheRightSchemeFromTheFirstFrameOn: it follows the system, and the reader's choice after it, and a
// part of it with a scheme of its own keeps that.
func TestThePageWithModesIsOfTheRightSchemeFromTheFirstFrameOn(t *testing.T) {
	d := startDev(t, "--empty")
	d.acme()
	d.schemes()
	page := serve(t, "modes/index.html", nil, "LATEST_TOKENS_CSS", d.address("tokens.css"))
	tab := newTab(t)
	const (
		light, dark = "rgb(255, 255, 255)", "rgb(11, 16, 32)"
		asideColor  = `getComputedStyle(document.querySelector("aside")).backgroundColor`
		choose      = `(scheme) => { const select = document.querySelector("select"); select.value = scheme; select.dispatchEvent(new Event("change")); return scheme; }`
		seen        = `[...window.seen].join()`
	)
	watch := `window.seen = new Set();
		(function look() { if (document.body) seen.add(getComputedStyle(document.body).backgroundColor); requestAnimationFrame(look); })();`
	if _, err := chromedp.Call(tab, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: watch}); err != nil {
		t.Fatal(err)
	}
	system := func(scheme string) { t.Helper(); prefer(t, tab, scheme) }
	system("dark")
	do(t, tab, chromedp.Navigate(page))
	eventually(t, tab, pageColor, dark)
	eventually(t, tab, seen, dark)
	eventually(t, tab, asideColor, light)
	system("light")
	eventually(t, tab, pageColor, light)
	eventually(t, tab, "("+choose+`)("dark")`, "dark")
	eventually(t, tab, pageColor, dark)
	eventually(t, tab, asideColor, light)
	do(t, tab, chromedp.Navigate(page)) // the choice stays, from the first frame on
	eventually(t, tab, pageColor, dark)
	eventually(t, tab, seen, dark)
}
