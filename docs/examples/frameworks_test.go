//go:build browser

package examples_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestFrameworksHydrateWithoutAWord: what a server rendered is taken over without a warning, has its fallback at the first
// paint, gets the theme, and is switched by the state of the application.
func TestFrameworksHydrateWithoutAWord(t *testing.T) {
	t.Run("React", func(t *testing.T) {
		hydrated(t, "react", "src/server.jsx") // strict mode mounts twice
	})
	t.Run("Vue", func(t *testing.T) {
		hydrated(t, "vue", "src/server.mjs").unmounts()
	})
	t.Run("Svelte", func(t *testing.T) {
		hydrated(t, "svelte", "src/server.js").unmounts()
	})
}

// unmounts ends the application, which leaves nothing of the theme.
func (s *shop) unmounts() {
	s.t.Helper()
	s.settles(`Promise.resolve(app.unmount()).then(() => document.adoptedStyleSheets.length + " " + getComputedStyle(document.body).visibility)`, "0 visible")
}

// hydrated opens an example that a server rendered, and switches its brand.
func hydrated(t *testing.T, example, server string) *shop {
	s := newShop(t, "")
	dir := workshop(t, example)
	if err := os.CopyFS(filepath.Join(dir, "node_modules", "@livery", "theme"), os.DirFS("../../client/js")); err != nil {
		t.Fatal(err)
	}
	fallback := strings.ReplaceAll(fetched(t, s.address("tokens.css")), "#0055aa", "#777777")
	if err := os.WriteFile(filepath.Join(dir, "src", "tokens.css"), []byte(fallback), 0o644); err != nil {
		t.Fatal(err)
	}
	vite := installed(t, "vite")
	run(t, dir, vite, "build", "--mode", "development", "--minify", "false")
	run(t, dir, vite, "build", "--ssr", server, "--outDir", "server")
	rendered := run(t, dir, "node", "--input-type=module", "-e", `
		import { app, head } from "./server/server.js";
		const brands = `+s.brands+`;
		console.log(await app(brands) + "\n---\n" + head(brands));`)
	app, head, ok := strings.Cut(strings.TrimSpace(rendered), "\n---\n")
	if !ok || !strings.Contains(app, "Buy from") || !strings.HasPrefix(head, `<link rel="preload" as="fetch" crossorigin href="http`) {
		t.Fatalf("the server renders %q", rendered)
	}
	page := strings.NewReplacer("<!--head-->", head+`<script>globalThis.brands = `+s.brands+`</script>`, "<!--app-->", app).Replace(read(t, filepath.Join(dir, "dist", "index.html")))
	files := http.FileServer(http.Dir(filepath.Join(dir, "dist")))
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			files.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(page))
	}))
	t.Cleanup(site.Close)
	close(s.gate.hold)
	s.listen()
	do(t, s.tab, chromedp.Navigate(site.URL))
	s.is(`document.getElementById("buy").dataset.state`, "theme")
	s.is(last, acmeButton)
	s.quiet()
	const buttons = `document.querySelectorAll("main button")`
	s.neverFlashes(buttons)
	s.is(`document.getElementById("buy").textContent`, "Buy from Midnight")
	s.silent()
	do(t, s.tab, chromedp.Navigate(site.URL))
	s.is(last, acmeButton)
	s.is(buttons+`[1].click(), ""`, "")
	s.is(last, midnightButton)
	s.takenOver()
	s.quiet()
	return s
}
