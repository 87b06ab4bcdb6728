//go:build browser

package examples_test

import (
	"path/filepath"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestTheDocumentationFitsEveryReader: every page that an origin serves fits a telephone and has no fault of access, in both
// schemes; the policy that it is served with stops nothing of it.
func TestTheDocumentationFitsEveryReader(t *testing.T) {
	axe := read(t, filepath.Join("node_modules", "axe-core", "axe.min.js"))
	d := startDev(t, "--empty")
	dir := t.TempDir()
	if said, err := d.shell(dir, "livery docs --out ."); err != nil {
		t.Fatal(err, said)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	tab := newTab(t)
	for _, page := range pages {
		name := filepath.Base(page)
		screen(t, tab, 360, "light")
		do(t, tab, chromedp.Navigate(d.file.OriginURL+"/docs/"+name))
		if _, err := chromedp.Run(tab, chromedp.Evaluate[bool](`globalThis.stopped = [];
			addEventListener("securitypolicyviolation", (event) => stopped.push(event.violatedDirective + " " + event.blockedURI)); true`)); err != nil {
			t.Fatal(err)
		}
		eventually(t, tab, `document.readyState`, "complete")
		eventually(t, tab, `String(document.documentElement.scrollWidth - document.documentElement.clientWidth)`, "0")
		for _, as := range []struct {
			width  int64
			scheme string
		}{{360, "light"}, {1440, "dark"}} {
			screen(t, tab, as.width, as.scheme)
			eventually(t, tab, `String(innerWidth)`, strconv.FormatInt(as.width, 10))
			if _, err := chromedp.Run(tab, chromedp.Evaluate[bool](axe+"; true")); err != nil {
				t.Fatal(err)
			}
			found, err := chromedp.Run(tab, chromedp.Evaluate[string](
				`axe.run().then(({ violations }) => violations.map((v) => v.id + ": " + v.nodes[0].html.slice(0, 200)).join("\n"))`, chromedp.EvalAwaitPromise))
			if err != nil || found != "" {
				t.Errorf("%s, %d px, %s: %v\n%s", name, as.width, as.scheme, err, found)
			}
		}
		eventually(t, tab, `stopped.join("\n")`, "")
	}
}

// TestTheDocumentationIsSearched: what is typed is found, and the keyboard goes there.
func TestTheDocumentationIsSearched(t *testing.T) {
	d := startDev(t, "--empty")
	tab := newTab(t)
	screen(t, tab, 1280, "light")
	do(t, tab, chromedp.Navigate(d.file.OriginURL+"/docs/"))
	eventually(t, tab, `document.getElementById("scheme").hidden + ""`, "false")
	do(t, tab, chromedp.KeyEvent("/"))
	eventually(t, tab, `document.activeElement.id`, "search")
	eventually(t, tab, `document.activeElement.value = ""`, "") // a key of the protocol types, whatever becomes of its event
	do(t, tab, chromedp.KeyEvent("livery rollback"))
	eventually(t, tab, `document.querySelector("#found li")?.firstChild.textContent ?? ""`, "livery rollback")
	do(t, tab, chromedp.KeyEvent("\r"))
	eventually(t, tab, `location.pathname + location.hash`, "/docs/commands.html#livery-rollback")
	eventually(t, tab, `document.getElementById("scheme").hidden + ""`, "false") // the script of the new page runs
	for _, want := range []string{"light", "dark", "system"} {
		if _, err := chromedp.Run(tab, chromedp.Evaluate[bool](`document.getElementById("scheme").click(); true`)); err != nil {
			t.Fatal(err)
		}
		eventually(t, tab, `document.documentElement.dataset.scheme ?? "system"`, want)
	}
}
