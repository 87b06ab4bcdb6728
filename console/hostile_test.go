//go:build browser

package console_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// opening are the parameters of addresses that views read, with values that open something. A parameter that a view reads
// and that is not here fails TestAddressesTellNobodyElse: it gets a row. Each is also set to addresses of another site.
var opening = map[string][]string{
	"show": {"site", "tokens"}, "p1": {"draft", "1"}, "p2": {"draft"}, "p3": nil, "p4": nil, "url": nil,
	"q": nil, "type": nil, "only": {"changed"}, "token": nil, "theme": nil, "kind": nil, "by": nil, "sort": {"changed"}, "drafts": {"1"}, "as": {"list"}, "changes": {"1"},
	"op": {"getCaller", "deleteTheme"}, "from": {"1"}, "to": {"draft"}, "v": nil, "all": {"1"},
	"login": nil, "state": nil, "code": nil, "error": nil, "error_description": nil,
}

// watching notes which parameters a page reads, how many requests it waits for, and what it posts to other windows.
const watching = `(() => {
	const seen = globalThis.watched = { names: [], posted: [], waits: 0 };
	for (const method of ["get", "getAll", "has"]) {
		const own = URLSearchParams.prototype[method];
		URLSearchParams.prototype[method] = function (name, ...rest) { seen.names.push(name); return own.call(this, name, ...rest); };
	}
	const send = fetch;
	globalThis.fetch = (...args) => { seen.waits++; return send(...args).finally(() => { seen.waits--; }); };
	const content = Object.getOwnPropertyDescriptor(HTMLIFrameElement.prototype, "contentWindow");
	Object.defineProperty(HTMLIFrameElement.prototype, "contentWindow", { ...content, get() {
		const target = content.get.call(this);
		return target && new Proxy(target, { get: (_, name) => name === "postMessage" ? (data, to, ...rest) => { seen.posted.push(String(to)); target.postMessage(data, to, ...rest); } : target[name] });
	} });
})()`

// leaks are the requests of pages for other origins than the console's.
type leaks struct {
	mu  sync.Mutex // guards all
	all []string
}

func (l *leaks) add(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, what)
}

// take returns what was added since the last call.
func (l *leaks) take() (all []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all, l.all = l.all, nil
	return all
}

// A137: whatever an address says, no view shows another site, asks it or tells it anything. A site that came with the address
// is shown, and told the draft, once the person has allowed it in this browser, and no longer once that is withdrawn.
func TestAddressesTellNobodyElse(t *testing.T) {
	var found leaks
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		found.add("the other site is asked for " + r.URL.Path)
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<!doctype html><p>Evil</p><script>addEventListener("message", () => fetch("/told"))</script>`)
	}))
	t.Cleanup(evil.Close)
	d := startDev(t)
	s := sampleOf(d)
	p := newBrowser(t)
	p.logInAs(d, "dev")
	if _, err := chromedp.Call(p.ctx, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: watching}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(p.ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // the origin refuses what no address could mean
		p.bad = slices.DeleteFunc(p.bad, func(text string) bool { return strings.HasPrefix(text, "log: ") })
	})
	err := chromedp.Listen(p.ctx, func(event any) {
		if e, ok := event.(*network.EventRequestWillBeSent); ok && !strings.HasPrefix(e.Request.URL, d.origin+"/") && strings.Contains(e.Request.URL, "://") && !strings.HasPrefix(e.Request.URL, "blob:") {
			found.add("the page requests " + e.Request.URL)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	read := map[string]bool{}
	open := func(address string) []string {
		t.Helper()
		p.visit("about:blank") // an address that differs behind the # alone would load nothing
		p.visit(d.origin + address)
		p.until(`document.querySelector("main")?.childElementCount > 0 && !document.querySelector("main .loading") && !document.querySelector("main").innerText.includes("Rendering …") && watched.waits === 0`)
		evaluate[bool](p, `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true))))`)
		for _, name := range evaluate[[]string](p, `watched.names`) {
			read[name] = true
		}
		for _, to := range evaluate[[]string](p, `watched.posted`) {
			found.add("the page tells " + to)
		}
		return found.take()
	}
	for _, pattern := range patterns(t) {
		for _, query := range hostileQueries(evil.URL) {
			address := s.address(pattern) + query
			for _, what := range open(address) {
				t.Errorf("%s: %s", what, address)
			}
		}
	}
	if unknown := slices.DeleteFunc(slices.Sorted(maps.Keys(read)), func(name string) bool { _, known := opening[name]; return known }); len(unknown) > 0 {
		t.Errorf("views read the parameters %q, which this test does not set: give each a row", unknown)
	}
	preview := s.address("e/:environment/t/:theme/preview") + "?show=site&p1=draft&url=" + url.QueryEscape(evil.URL+"/page")
	open(preview)
	p.click("button", "Allow "+evil.URL)
	await(t, func() error {
		if evaluate[int](p, `watched.posted.length`) == 0 {
			return fmt.Errorf("nothing is told to a site that was allowed")
		}
		return nil
	})
	await(t, func() error {
		found.mu.Lock()
		defer found.mu.Unlock()
		if !slices.Contains(found.all, "the other site is asked for /told") {
			return fmt.Errorf("a site that was allowed hears nothing: %q", found.all)
		}
		return nil
	})
	if all := open(preview); len(all) == 0 {
		t.Error("what is allowed is forgotten")
	}
	p.click("button", "Withdraw "+evil.URL)
	p.until(`!document.querySelector("iframe.look-frame")`)
	found.take()
	if all := open(preview); len(all) > 0 {
		t.Errorf("after it was withdrawn: %q", all)
	}
}

// hostileQueries are queries, some with a fragment, that name another site wherever one can be named.
func hostileQueries(site string) []string {
	unknown := []string{"redirect", "next", "return_to", "target", "src", "href", "iframe", "callback", "origin", "edge", "base"}
	set := func(value func(name string) string, names ...string) string {
		query := url.Values{}
		for _, name := range names {
			query.Set(name, value(name))
		}
		return "?" + query.Encode()
	}
	// An issuer's answer is taken out of the address with all else.
	views := slices.DeleteFunc(slices.Sorted(maps.Keys(opening)), func(name string) bool { return name == "state" })
	address := func(name string) string { return site + "/" + name }
	script := func(name string) string { return "javascript:fetch('" + site + "/" + name + "')" }
	list := []string{
		set(address, append(views, unknown...)...) + "#" + site + "/hash",
		set(script, append(views, unknown...)...) + "#login=" + url.QueryEscape(site+"/login"),
		set(address, "state", "code", "error", "error_description") + "#?url=" + url.QueryEscape(site),
	}
	for i := range 2 {
		list = append(list, set(func(name string) string {
			if values := opening[name]; i < len(values) {
				return values[i]
			}
			return address(name)
		}, append(views, unknown...)...))
	}
	return list
}

// A138: a link of someone else asks before it takes the place of a session, and the page shows no text of an address that is not
// the answer to a login of its own.
func TestAddressesReplaceNobody(t *testing.T) {
	d := startDev(t)
	p := newBrowser(t)
	p.visit(d.origin + "/console/?state=x&error=denied&error_description=" + url.QueryEscape("Call 555 0100"))
	p.says("This login was begun in another tab or is too old.")
	if text := evaluate[string](p, `document.body.innerText`); strings.Contains(text, "555") {
		t.Errorf("the page says what the address has:\n%s", text)
	}
	p.logInAs(d, "dev")
	link := strings.Fields(d.livery("console", "--subject", "vera"))[0]
	p.visit("about:blank")
	p.visit(link)
	p.says("You are logged in as dev. The link that you opened logs in someone else in this browser.")
	p.click("dialog button", "Cancel")
	p.until(`!document.querySelector("dialog") && document.querySelector(".menu summary").textContent === "dev"`)
	p.visit("about:blank")
	p.visit(link)
	p.click("dialog button", "Use the link")
	p.until(`document.querySelector(".menu summary")?.textContent === "vera" && !document.querySelector("dialog")`)
	own := strings.Fields(d.livery("console", "--subject", "vera"))[0]
	p.visit("about:blank")
	p.visit(own)
	p.until(`document.querySelector(".menu summary")?.textContent === "vera" && location.hash === "" && !document.querySelector("dialog")`)
	p.bad = slices.DeleteFunc(p.bad, func(text string) bool { return strings.Contains(text, "409") })
}
