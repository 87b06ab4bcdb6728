//go:build browser

package examples_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// shop is the example of @livery/theme in a tab, behind a gate in front of its edge.
type shop struct {
	*dev
	t    *testing.T
	tab  context.Context
	gate *gate
	page string

	brands string // as JSON: what each brand is

	mu    sync.Mutex // guards files
	files map[string]string
}

// newShop serves the example as a site would: with a strict policy, and with a fallback of the build in a layer.
func newShop(t *testing.T, scheme string) *shop {
	t.Helper()
	d := startDev(t, "--empty")
	d.acme()
	d.schemes()
	s := &shop{dev: d, t: t, gate: newGate(t, d.file.EdgeURL)}
	brands := map[string]any{}
	for name, more := range map[string][]string{"Acme": nil, "Midnight": {"--variant", "midnight"}} {
		u, err := url.Parse(d.address("tokens.css", more...))
		if err != nil {
			t.Fatal(err)
		}
		part := strings.Split(strings.TrimPrefix(u.Path, "/"), "/")
		brand := map[string]any{"base": s.gate.URL, "env": part[0], "theme": part[1], "variant": part[2]}
		if scheme != "" {
			brand["modes"] = []string{"scheme"}
		}
		brands[name] = brand
	}
	list, err := json.Marshal(brands)
	if err != nil {
		t.Fatal(err)
	}
	s.brands = string(list)
	s.files = map[string]string{
		"/": read(t, "theme/index.html"), "/shop.css": read(t, "theme/shop.css"), "/shop.mjs": read(t, "theme/shop.mjs"),
		"/theme.mjs": read(t, "../../client/js/theme.mjs"), "/live.mjs": read(t, "../../client/js/live.mjs"), "/brands.mjs": "export default " + s.brands,
		"/fallback.css": "@layer livery-fallback {\n" + strings.ReplaceAll(fetched(t, d.address("tokens.css")), "#0055aa", "#777777") + "}\n",
	}
	policy := "default-src 'none'; script-src 'self'; style-src 'self'; connect-src " + s.gate.URL
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kind := "text/html"
		if strings.HasSuffix(r.URL.Path, ".css") {
			kind = "text/css"
		} else if strings.HasSuffix(r.URL.Path, ".mjs") {
			kind = "text/javascript"
		}
		s.mu.Lock()
		file, ok := s.files[r.URL.Path]
		s.mu.Unlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", kind+"; charset=utf-8")
		w.Header().Set("Content-Security-Policy", policy)
		_, _ = w.Write([]byte(file))
	}))
	t.Cleanup(server.Close)
	s.page = server.URL
	s.tab = newTab(t)
	if scheme != "" {
		prefer(t, s.tab, scheme)
	}
	watch := `window.seen = []; window.wrong = [];
		addEventListener("unhandledrejection", (event) => wrong.push("rejection: " + event.reason));
		addEventListener("error", (event) => wrong.push("error: " + event.message));
		addEventListener("securitypolicyviolation", (event) => wrong.push("policy: " + event.violatedDirective + " " + event.blockedURI));
		window.buy = () => (document.querySelector("livery-shop")?.shadowRoot ?? document).getElementById("buy");
		(function look() {
			const button = buy();
			if (button && getComputedStyle(button).visibility === "visible") {
				const now = getComputedStyle(button).backgroundColor;
				if (seen.at(-1) !== now) seen.push(now);
			}
			requestAnimationFrame(look);
		})();`
	if _, err := chromedp.Call(s.tab, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: watch}); err != nil {
		t.Fatal(err)
	}
	return s
}

// open goes to the page, without a wait for what it loads.
func (s *shop) open() {
	s.t.Helper()
	if _, err := chromedp.Call(s.tab, cdppage.Navigate, cdppage.NavigateParams{URL: s.page + "/"}); err != nil {
		s.t.Fatal(err)
	}
}

// replace puts another file in the place of one of the site.
func (s *shop) replace(path, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[path] = text
}

// value is that of an expression now.
func (s *shop) value(expression string) string {
	s.t.Helper()
	got, err := chromedp.Run(s.tab, chromedp.Evaluate[string](expression))
	if err != nil {
		s.t.Fatal(err)
	}
	return got
}

// settles wants a promise to resolve to a text.
func (s *shop) settles(promise, want string) {
	s.t.Helper()
	got, err := chromedp.Run(s.tab, chromedp.Evaluate[string](promise, chromedp.EvalAwaitPromise))
	if err != nil || got != want {
		s.t.Fatalf("%s resolves to %q, %v, want %q", promise, got, err, want)
	}
}

// is waits until an expression has a value.
func (s *shop) is(expression, want string) {
	s.t.Helper()
	eventually(s.t, s.tab, expression, want)
}

// Colours of the button, as frames show it.
const (
	greyButton     = "rgb(119, 119, 119)" // of the fallback
	acmeButton     = "rgb(0, 85, 170)"
	midnightButton = "rgb(255, 180, 84)"
	frames         = `seen.join(" > ")`
	last           = frames + `.split(" > ").at(-1)`
)

// whole holds for each page at the end: nothing was rejected or refused, and there is one sheet of the theme.
func (s *shop) whole() {
	s.t.Helper()
	s.is(`wrong.join("\n")`, "")
	s.is(`String(document.adoptedStyleSheets.length)`, "1")
}

// listen keeps what each page says on its console, and how far its layout shifts.
func (s *shop) listen() {
	s.t.Helper()
	script := `for (const kind of ["error", "warn"]) console[kind] = (...said) => (window.said ??= []).push(said.join(" "));
		window.shift = 0;
		new MutationObserver(() => { window.first ??= document.getElementById("buy"); }).observe(document, { childList: true, subtree: true });
		new PerformanceObserver((list) => { for (const one of list.getEntries()) shift += one.value; }).observe({ type: "layout-shift", buffered: true });`
	if _, err := chromedp.Call(s.tab, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: script}); err != nil {
		s.t.Fatal(err)
	}
}

// silent holds after every visit, once listen was called: no warning, no error, one sheet.
func (s *shop) silent() {
	s.t.Helper()
	s.is(`(window.said ?? []).join("\n")`, "")
	s.whole()
}

// quiet is silent, without a layout shift too.
func (s *shop) quiet() {
	s.t.Helper()
	s.is(`String(shift)`, "0")
	s.silent()
}

// takenOver holds for a page of a server, once listen was called: its script took the button that was sent, and made no other.
func (s *shop) takenOver() {
	s.t.Helper()
	s.is(`String(first === buy())`, "true")
}

// TestTheThemeIsRightAtTheFirstPaint: no frame shows the fallback, on the first visit and on those after it; a switch shows
// one brand or the other, never anything between, and stays for the next visit.
func TestTheThemeIsRightAtTheFirstPaint(t *testing.T) {
	s := newShop(t, "")
	close(s.gate.hold)
	slowly := strings.Replace(read(t, "theme/shop.mjs"), "hold: 200", "hold: 60_000", 1) // a busy machine may paint the fallback
	if !strings.Contains(slowly, "60_000") {
		t.Fatal("shop.mjs does not hold the first paint")
	}
	s.replace("/shop.mjs", slowly)
	s.open()
	s.is(`String(document.querySelectorAll("#brands button").length)`, "2")
	s.is(frames, acmeButton)
	s.is(`document.querySelectorAll("#brands button")[1].click(), ""`, "")
	s.is(`localStorage.getItem("brand")`, "Midnight")
	s.is(frames, acmeButton+" > "+midnightButton)
	s.whole()
	s.open()
	s.is(`String(document.querySelectorAll("#brands button").length)`, "2")
	s.is(frames, midnightButton)
	s.whole()
}

// TestTheThemeTakesWhatIsPreloaded: the stylesheet that the tag of a server fetched is not fetched again; then the edge is
// asked once whether there is a newer one.
func TestTheThemeTakesWhatIsPreloaded(t *testing.T) {
	s := newShop(t, "")
	close(s.gate.hold)
	tag := run(t, ".", "node", "--input-type=module", "-e", `import { preload } from "../../client/js/theme.mjs"; console.log(preload({ href: "`+s.gate.address(s.dev, "tokens.css")+`" }))`)
	s.replace("/", strings.Replace(read(t, "theme/index.html"), "<link", tag+"<link", 1))
	s.replace("/shop.mjs", strings.Replace(read(t, "theme/shop.mjs"), "live: true, ", "", 1)) // which asks by itself
	s.open()
	s.is(`String(globalThis.shop?.text?.includes("#0055aa") ?? false)`, "true")
	s.settles(`shop.refresh().then(String)`, "true")
	s.is(`performance.getEntriesByType("resource").filter((one) => one.name.includes("tokens.css")).map((one) => one.initiatorType).join(" ")`, "link fetch fetch")
	s.whole()
}

// TestAHangingEdgeLeavesTheFallback: the page is painted and works while the edge does not answer, ready says so, and the
// theme comes with the answer.
func TestAHangingEdgeLeavesTheFallback(t *testing.T) {
	s := newShop(t, "")
	s.open()
	s.is(`String(performance.getEntriesByName("first-contentful-paint").length)`, "1")
	s.is(`String(Boolean(globalThis.shop))`, "true")
	s.settles(`shop.ready`, "fallback")
	s.is(frames, greyButton)
	s.is(`String(document.querySelectorAll("#brands button").length)`, "2")
	close(s.gate.hold)
	s.is(frames, greyButton+" > "+acmeButton)
	s.whole()
}

// TestAnEdgeThatIsAwayAtFirst: the fallback stays, the failure is told, and the theme comes by itself once the edge is back.
func TestAnEdgeThatIsAwayAtFirst(t *testing.T) {
	s := newShop(t, "")
	close(s.gate.hold)
	s.gate.refuse.Store(true)
	s.open()
	s.is(`document.getElementById("said")?.textContent ?? ""`, "Not loaded: Failed to fetch") // a refusal without CORS
	s.is(frames, greyButton)
	s.gate.refuse.Store(false)
	s.is(frames, greyButton+" > "+acmeButton)
	s.is(`document.getElementById("said").textContent`, "")
	s.whole()
}

// TestAFailedSwitchLeavesTheBrand: what was shown stays, its address too, nothing is left behind, and a later switch works.
func TestAFailedSwitchLeavesTheBrand(t *testing.T) {
	s := newShop(t, "")
	close(s.gate.hold)
	s.open()
	s.is(`String(globalThis.shop?.text?.includes("#0055aa") ?? false)`, "true")
	before := s.value(`shop.href`)
	s.settles(`shop.set({ variant: "var_missing" }).then(String)`, "false")
	s.is(`shop.href`, before)
	s.is(`document.getElementById("said").textContent.replace(/^.* answers/, "answers")`, "answers 404")
	s.is(`(() => { try { shop.set({ modes: ["no such mode"] }); } catch (error) { return error.name; } })()`, "TypeError")
	s.is(`document.querySelectorAll("#brands button")[1].click(), ""`, "")
	s.is(last, midnightButton)
	s.settles(`import("/brands.mjs").then(({ default: brands }) => Promise.all([shop.set(brands.Acme), shop.refresh()])).then((done) => done.join(" "))`, "true true")
	s.whole()
}

// TestTheLastSwitchWins: an answer that comes after that of a later switch is not shown.
func TestTheLastSwitchWins(t *testing.T) {
	s := newShop(t, "")
	close(s.gate.hold)
	s.open()
	s.is(`String(globalThis.shop?.text?.includes("#0055aa") ?? false)`, "true")
	s.settles(`import("/brands.mjs").then(async ({ default: brands }) => {
		const fetched = fetch;
		let late;
		window.fetch = async (href, how) => {
			const answer = await fetched(href, how);
			if (href.includes("var_")) await new Promise((go) => { late = go; });
			return answer;
		};
		const first = shop.set(brands.Midnight);
		while (!late) await new Promise((go) => setTimeout(go, 1));
		const second = await shop.set(brands.Acme);
		late();
		return [await first, second].join(" ");
	})`, "false true")
	s.is(last, acmeButton)
	s.is(frames+`.includes("`+midnightButton+`") + ""`, "false")
	s.whole()
}

// TestAPublishReachesAnOpenPage: a question later the page has the new colour, and is told which tokens changed.
func TestAPublishReachesAnOpenPage(t *testing.T) {
	s := newShop(t, "")
	close(s.gate.hold)
	s.open()
	s.is(`String(globalThis.shop?.text?.includes("#0055aa") ?? false)`, "true")
	s.livery("edit", "color.brand", "#c2410c", "--env", "sandbox", "--theme", "acme")
	s.livery("publish", "--env", "sandbox", "--theme", "acme", "--wait")
	s.settles(`shop.refresh().then(String)`, "true")
	s.is(last, "rgb(194, 65, 12)")
	s.is(`document.getElementById("said").textContent`, "Changed: --color-brand, --color-link")
	s.whole()
}

// TestTheThemeFollowsTheScheme: with modes one sheet is right for both schemes, and an element has one of its own.
func TestTheThemeFollowsTheScheme(t *testing.T) {
	s := newShop(t, "dark")
	close(s.gate.hold)
	s.open()
	s.is(pageColor, midnightSurface)
	s.is(`document.documentElement.dataset.scheme = "light"`, "light")
	s.is(pageColor, acmeSurface)
	s.whole()
}

// TestOneElementHasAThemeOfItsOwn: the rest of the page keeps its own, and closing takes everything away.
func TestOneElementHasAThemeOfItsOwn(t *testing.T) {
	s := newShop(t, "")
	close(s.gate.hold)
	s.open()
	s.is(`String(globalThis.shop?.text?.includes("#0055aa") ?? false)`, "true")
	s.settles(`import("/theme.mjs").then(async ({ theme }) => {
		const { default: brands } = await import("/brands.mjs");
		globalThis.part = theme({ ...brands.Midnight, target: document.getElementById("said") });
		return part.ready;
	})`, "theme")
	color := func(id string) string {
		return `getComputedStyle(document.getElementById("` + id + `")).getPropertyValue("--color-brand")`
	}
	s.is(color("said"), "#ffb454")
	s.is(color("buy"), "#0055aa")
	s.is(`part.close(), shop.close(), document.adoptedStyleSheets.length + " " + document.querySelectorAll("[data-livery]").length`, "0 0")
	s.is(color("buy"), "#777777")
	s.is(`wrong.join("\n")`, "")
}

// sides are the scripts that press the shop's buttons of the first and of the second brand.
func sides(buttons string) (acme, midnight string) {
	return buttons + "[0].click()", buttons + "[1].click()"
}

// neverFlashes switches from the first brand to the second, with an edge that takes its time: each frame has one or the other.
func (s *shop) neverFlashes(buttons string) {
	s.t.Helper()
	s.gate.slow.Store(true)
	defer s.gate.slow.Store(false)
	_, midnight := sides(buttons)
	s.is(`seen.splice(0, seen.length - 1), `+midnight+`, ""`, "")
	s.is(last, midnightButton)
	s.is(frames, acmeButton+" > "+midnightButton)
}
