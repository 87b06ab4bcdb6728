//go:build browser

package examples_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// forgets leaves the page and empties the cache of HTTP, as a browser may at any time; that of the service worker stays.
func (s *shop) forgets() {
	s.t.Helper()
	do(s.t, s.tab, chromedp.Navigate("about:blank")) // what it asks for would be cached later
	if _, err := chromedp.Call(s.tab, network.ClearBrowserCache, cdp.Empty{}); err != nil {
		s.t.Fatal(err)
	}
}

// TestAServiceWorkerKeepsTheThemes: what was shown once is there without an edge, after a reload and for a switch, and a brand
// that was named beforehand too. A version is never asked for again; a publish arrives once the edge is back.
func TestAServiceWorkerKeepsTheThemes(t *testing.T) {
	s := newShop(t, "")
	close(s.gate.hold)
	slowly := strings.Replace(read(t, "theme/shop.mjs"), "hold: 200", "hold: 60_000", 1) // a busy machine may paint the fallback
	s.replace("/shop.mjs", strings.Replace(slowly, "live: true, ", "", 1))
	s.replace("/worker.mjs", read(t, "../../client/js/worker.mjs"))
	s.replace("/sw.mjs", `import { offline } from "./worker.mjs"; offline({ base: "`+s.gate.URL+`", timeout: 300, first: ["`+s.gate.address(s.dev, "tokens.css", "--variant", "midnight")+`"] });`)
	ready := func() {
		t.Helper()
		s.is(`String(document.querySelectorAll("#brands button").length)`, "2")
	}

	// Without one the fallback is all that is left.
	s.open()
	s.is(frames, acmeButton)
	s.forgets()
	s.gate.refuse.Store(true)
	s.open()
	s.is(`document.getElementById("said")?.textContent ?? ""`, "Not loaded: Failed to fetch")
	s.is(frames, greyButton)
	s.gate.refuse.Store(false)
	s.is(frames, greyButton+" > "+acmeButton)

	s.settles(`navigator.serviceWorker.register("/sw.mjs", { type: "module" }).then(() => navigator.serviceWorker.ready).then(() => "ready")`, "ready")
	s.is(`String(Boolean(navigator.serviceWorker.controller))`, "true")
	s.open()
	s.is(frames, acmeButton)
	ready()
	s.is(`caches.open("livery-theme").then((cache) => cache.keys()).then((keys) => window.held = keys.length), String(window.held)`, "2")

	// The edge is away.
	s.gate.refuse.Store(true)
	s.forgets()
	s.open()
	s.is(frames, acmeButton)
	ready()
	s.is(`document.querySelectorAll("#brands button")[1].click(), ""`, "")
	s.is(frames, acmeButton+" > "+midnightButton)
	s.forgets()
	s.open()
	s.is(frames, midnightButton)
	ready()
	s.whole()

	// The edge hangs: what is held is shown after the timeout of the worker, before the one of the page.
	s.gate.refuse.Store(false)
	s.gate.hang.Store(true)
	s.forgets()
	s.open()
	s.is(frames, midnightButton)
	ready()
	s.settles(`shop.ready`, "theme")
	s.gate.hang.Store(false)
	s.gate.CloseClientConnections()

	// A question whether there is a newer one is not answered by what is held.
	s.gate.refuse.Store(true)
	s.settles(`shop.refresh().then(String)`, "false")
	s.gate.refuse.Store(false)

	// The edge is back, with a publish.
	s.livery("edit", "color.brand", "#c2410c", "--env", "sandbox", "--theme", "acme", "--variant", "midnight")
	s.livery("publish", "--env", "sandbox", "--theme", "acme", "--unchanged")
	s.livery("publish", "--env", "sandbox", "--theme", "acme", "--variant", "midnight", "--wait")
	s.settles(`shop.refresh().then(String)`, "true")
	s.is(frames, midnightButton+" > rgb(194, 65, 12)")

	// A version does not change.
	pinned := `fetch("` + s.gate.address(s.dev, "tokens.css", "--pinned") + `", { cache: "no-store" }).then((answer) => answer.text()).then((text) => String(text.includes("#0055aa")))`
	s.settles(pinned, "true")
	before := s.gate.passed.Load()
	s.settles(pinned, "true")
	if after := s.gate.passed.Load(); after != before {
		t.Fatalf("the version is asked for %d times more", after-before)
	}

	// What is gone is held no longer.
	midnight := s.gate.address(s.dev, "tokens.css", "--variant", "midnight")
	s.livery("theme", "delete", "acme", "--env", "sandbox", "--yes")
	asked := `fetch("` + midnight + `", { cache: "no-store" }).then((answer) => { window.answer = answer.status; }, () => { window.answer = "none"; }), String(window.answer)`
	s.is(asked, "404")
	s.gate.refuse.Store(true)
	s.is(asked, "none")
	s.whole()
}
