//go:build browser

package examples_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// Colours of the surface in the Theme of the examples and in its Variant.
const (
	acmeSurface     = "rgb(255, 255, 255)"
	midnightSurface = "rgb(11, 16, 32)"
)

// brandsOf is what the example of the brands has in the place of BRANDS.
func brandsOf(t *testing.T, address func(file string, more ...string) string) string {
	t.Helper()
	brands, err := json.Marshal(map[string]string{
		"Acme": address("tokens.css"), "Midnight": address("tokens.css", "--variant", "midnight"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(brands)
}

// TestALinkedStylesheetWinsOverAFallback: the tokens of a build are in a cascade layer, so that those of a link
// count, whether its link stands before or after the fallback, and whichever example the fallback is of.
func TestALinkedStylesheetWinsOverAFallback(t *testing.T) {
	d := startDev(t, "--empty")
	d.acme()
	theme := fetched(t, d.address("tokens.css"))
	link := `<link rel="stylesheet" href="` + d.address("tokens.css", "--variant", "midnight") + `">`
	bundle := `<link rel="stylesheet" href="/bundle.css">`
	style := `<style>@import "fallback.css" layer(fallback);</style>`
	files := map[string]string{"/bundle.css": tailwind(t, d.address("tokens.css", "--pinned")), "/fallback.css": theme}
	tab := newTab(t)
	for name, head := range map[string]string{
		"tailwind alone": bundle, "tailwind, link first": link + bundle, "tailwind, bundle first": bundle + link,
		"brands alone": style, "brands, link first": link + style, "brands, bundle first": style + link,
		"both, no link": style + bundle, "both, bundle first, no link": bundle + style,
		"both, link first": link + bundle + style, "both, link between": style + link + bundle, "both, link last": bundle + style + link,
	} {
		t.Run(name, func(t *testing.T) {
			want := midnightSurface
			if !strings.Contains(head, link) {
				want = acmeSurface
			}
			page := serve(t, "tailwind/index.html", files, `<link rel="stylesheet" href="/src/style.css">`,
				head+"<style>body { background: var(--color-surface); }</style>")
			do(t, tab, chromedp.Navigate(page))
			eventually(t, tab, pageColor, want)
			if strings.Contains(head, bundle) {
				eventually(t, tab, `getComputedStyle(document.querySelector("button")).color`, want) // text-surface
			}
		})
	}
	for name, at := range map[string]string{"bundle first": "<style>", "link first": "</head>"} {
		t.Run("tailwind with brands, "+name, func(t *testing.T) {
			page := serve(t, "brands/index.html", files, "BRANDS", brandsOf(t, d.address), at, bundle+at)
			do(t, tab, chromedp.Navigate(page+"/?brand=Midnight"))
			eventually(t, tab, pageColor, midnightSurface)
			do(t, tab, chromedp.Click(`//button[text()="Acme"]`))
			eventually(t, tab, pageColor, acmeSurface)
			do(t, tab, chromedp.Click(`//button[text()="Midnight"]`))
			eventually(t, tab, pageColor, midnightSurface)
		})
	}
}

// gate is a proxy in front of an edge that can hold its answers back, or refuse.
type gate struct {
	*httptest.Server
	hold    chan struct{} // closed: answers pass
	waiting atomic.Int32  // requests that wait for hold
	hang    atomic.Bool   // no answers from now on
	passed  atomic.Int32  // requests that reached the edge
	refuse  atomic.Bool
	refused atomic.Int32 // requests
	slow    atomic.Bool  // answers come some frames later
	streams atomic.Int32 // of events, that are open
}

func newGate(t *testing.T, edge string) *gate {
	t.Helper()
	target, err := url.Parse(edge)
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{hold: make(chan struct{})}
	proxy := httputil.NewSingleHostReverseProxy(target)
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.waiting.Add(1)
		select {
		case <-g.hold:
		case <-r.Context().Done():
		}
		g.waiting.Add(-1)
		if g.hang.Load() {
			<-r.Context().Done()
			return
		}
		if g.refuse.Load() {
			g.refused.Add(1)
			http.Error(w, "away", http.StatusServiceUnavailable)
			return
		}
		if g.slow.Load() {
			time.Sleep(100 * time.Millisecond)
		}
		g.passed.Add(1)
		if strings.HasSuffix(r.URL.Path, "/latest/events") {
			g.streams.Add(1)
			defer g.streams.Add(-1)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(g.Close)
	return g
}

// address is that of a file of the Theme acme, through the gate.
func (g *gate) address(d *dev, file string, more ...string) string {
	return strings.Replace(d.address(file, more...), strings.TrimSuffix(d.file.EdgeURL, "/"), g.URL, 1)
}
