//go:build browser

package examples_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestAPageWithTagsTakesNoOtherStylesheet: what livery open --html prints dresses a page over the edge, with one question
// for the file, and the same file with another byte does not.
func TestAPageWithTagsTakesNoOtherStylesheet(t *testing.T) {
	d := startDev(t, "--empty")
	d.acme()
	address := d.address("tokens.css", "--pinned")
	tags := d.livery("open", "--env", "sandbox", "--theme", "acme", "--html")
	if strings.Count(tags, address) != 2 {
		t.Fatalf("livery open --html prints %s, want %s twice", tags, address)
	}
	css := fetched(t, address)
	var asked atomic.Int32
	between := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // a cache that is not to be trusted
		asked.Add(1)
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		w.Header().Set("Access-Control-Allow-Origin", "*")
		text := css
		if strings.HasPrefix(r.URL.Path, "/changed") {
			text = strings.Replace(css, "#0055aa", "#c2410c", 1)
		}
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(between.Close)
	body := `<body style="background: var(--color-brand)"><script>addEventListener("load", () => window.loaded = true)</script>`
	for base, want := range map[string]string{
		address: "rgb(0, 85, 170)", between.URL + "/right/tokens.css": "rgb(0, 85, 170)", between.URL + "/changed/tokens.css": "rgba(0, 0, 0, 0)",
	} {
		asked.Store(0)
		page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte("<!doctype html>" + strings.ReplaceAll(tags, address, base) + body))
		}))
		tab := newTab(t)
		do(t, tab, chromedp.Navigate(page.URL))
		eventually(t, tab, "String(window.loaded)", "true")
		eventually(t, tab, pageColor, want)
		if strings.Contains(base, "/right/") && asked.Load() != 1 {
			t.Errorf("the stylesheet was asked for %d times, want once: the link takes what was preloaded", asked.Load())
		}
		page.Close()
	}
}
