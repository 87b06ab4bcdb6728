//go:build browser

package browser

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// transfers is what the tab received, by address.
type transfers struct {
	mu        sync.Mutex // guards all below
	addresses map[network.RequestID]string
	encodings map[string]string  // Content-Encoding as it came over the wire
	lengths   map[string]float64 // bytes as they came, heads included
	finished  map[string]bool
}

// watch records what the tab receives until ctx ends.
func watch(ctx context.Context) (*transfers, error) {
	w := &transfers{addresses: map[network.RequestID]string{}, encodings: map[string]string{}, lengths: map[string]float64{}, finished: map[string]bool{}}
	return w, chromedp.Listen(ctx, w.record)
}

func (w *transfers) record(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		w.addresses[e.RequestID] = e.Request.URL
	case *network.EventResponseReceivedExtraInfo:
		for name, value := range e.Headers {
			if strings.EqualFold(name, "Content-Encoding") {
				w.encodings[w.addresses[e.RequestID]] = fmt.Sprint(value)
			}
		}
	case *network.EventLoadingFinished:
		w.lengths[w.addresses[e.RequestID]] = e.EncodedDataLength
		w.finished[w.addresses[e.RequestID]] = true
	}
}

// of returns how an address was encoded and how many bytes came; ok is false while it is under way.
func (w *transfers) of(address string) (encoding string, length float64, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.encodings[address], w.lengths[address], w.finished[address] && w.encodings[address] != ""
}

// brandedTheme is a Theme of a usual size with one color.
func brandedTheme(color string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"color": {"$type": "color", "brand": {"$value": %q}}, "space": {"$type": "dimension"`, color)
	for i := range 600 {
		fmt.Fprintf(&b, `, "step%d-%x": {"$value": "%d.%dpx"}`, i, i*2654435761&0xffff, i*7919%900, i*104729%99)
	}
	return b.String() + "}}"
}

// openPublic starts a livery dev whose one Theme every client may read, and publishes versions of it.
func openPublic(t *testing.T) *guardedDev {
	g := openGuarded(t, "https://nobody.example")
	g.livery("serving", "set", g.theme, "--allowed-origin", "")
	g.eventually("the edge lets every origin in", func() bool { return g.status("https://any.example") == http.StatusOK })
	return g
}

// push publishes a version with that color.
func (g *guardedDev) push(color string) {
	file := filepath.Join(g.t.TempDir(), "theme.json")
	if err := os.WriteFile(file, []byte(brandedTheme(color)), 0o644); err != nil {
		g.t.Fatal(err)
	}
	g.livery("push", file, "--env", "sandbox", "--theme", "acme", "--publish")
}

// address returns that of the stylesheet at a version.
func (g *guardedDev) address(version string) string {
	return strings.TrimSuffix(g.folder(), "latest/") + version + "/tokens.css"
}

// A page that links its stylesheet with crossorigin is sent, once it has had one version, only what
// changed since: at the next number, and at latest. The styles are those of the version (RFC 9842).
func TestChromiumIsSentDeltas(t *testing.T) {
	pages := newPageServer()
	defer pages.close()
	g := openPublic(t)
	g.push("#0055aa")
	g.push("#00aa55")
	ctx, cancel := context.WithTimeout(tab.tab, patience)
	defer cancel()
	received, err := watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	show := func(address, want string) {
		t.Helper()
		page := pages.serveFiles(map[string]string{"page.html": `<!doctype html><html><head><link rel="stylesheet" crossorigin href="` + address + `"></head><body></body></html>`})
		if err := tab.open(ctx, page+"page.html"); err != nil {
			t.Fatal(err)
		}
		color, err := evaluate[string](ctx, `getComputedStyle(document.documentElement).getPropertyValue("--color-brand").trim()`)
		if err != nil || color != want {
			t.Fatalf("%s: --color-brand is %q (%v), want %q", address, color, err, want)
		}
	}
	transferred := func(address string) (encoding string, length float64) {
		g.eventually("the transfer of "+address+" is reported", func() (ok bool) {
			encoding, length, ok = received.of(address)
			return ok
		})
		t.Logf("%s: %s, %v bytes with the head", address, encoding, length)
		return encoding, length
	}

	show(g.address("2"), "#0055aa")
	encoding, whole := transferred(g.address("2"))
	if encoding != "br" {
		t.Errorf("the first version comes as %s, want br", encoding)
	}
	g.awaitDictionary(ctx, received)
	show(g.address("3"), "#00aa55")
	if encoding, length := transferred(g.address("3")); encoding != "dcz" || length > whole/2 {
		t.Errorf("the second version comes as %s in %v bytes, the first came in %v", encoding, length, whole)
	}
	g.push("#aa5500")
	g.eventually("latest is the newest version", func() bool { return strings.Contains(g.text("latest"), "#aa5500") })
	show(g.address("latest"), "#aa5500")
	if encoding, length := transferred(g.address("latest")); encoding != "dcz" || length > whole/2 {
		t.Errorf("latest comes as %s in %v bytes, the first version came in %v", encoding, length, whole)
	}
}

// A page that follows its Theme by the event stream is sent, at a publish, what changed and no more.
func TestAPublishComesToAnOpenPageAsADelta(t *testing.T) {
	pages := newPageServer()
	defer pages.close()
	g := openPublic(t)
	g.push("#0055aa")
	ctx, cancel := context.WithTimeout(tab.tab, patience)
	defer cancel()
	files := map[string]string{"page.html": `<!doctype html><html><head><script type="module" src="page.js"></script></head><body></body></html>`}
	for _, name := range []string{"theme", "live"} {
		source, err := os.ReadFile(filepath.Join("..", "..", "client", "js", name+".mjs"))
		if err != nil {
			t.Fatal(err)
		}
		files[name+".js"] = strings.ReplaceAll(string(source), `.mjs"`, `.js"`)
	}
	files["page.js"] = fmt.Sprintf(`import { theme } from "./theme.js"; globalThis.shown = theme({ href: %q, live: true });`, g.address("latest"))
	if err := tab.open(ctx, pages.serveFiles(files)+"page.html"); err != nil {
		t.Fatal(err)
	}
	shows := func(color string) {
		t.Helper()
		g.eventually("the page shows "+color, func() bool {
			got, err := evaluate[string](ctx, `getComputedStyle(document.documentElement).getPropertyValue("--color-brand").trim()`)
			return err == nil && got == color
		})
	}
	shows("#0055aa")
	received, err := watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	g.awaitDictionary(ctx, received)
	for _, color := range []string{"#00aa55", "#aa5500"} {
		g.push(color)
		shows(color)
		g.eventually("the transfer is reported", func() bool {
			encoding, length, ok := received.of(g.address("latest"))
			return ok && encoding == "dcz" && length < 2000
		})
	}
}

// awaitDictionary waits until the browser, which writes it down behind the page, has a dictionary: it
// then comes by an address that differs in its query only as a delta.
func (g *guardedDev) awaitDictionary(ctx context.Context, received *transfers) {
	g.t.Helper()
	tries := 0
	g.eventually("the browser has a dictionary", func() bool {
		tries++
		address := fmt.Sprintf("%s?try=%d", g.address("2"), tries)
		if _, err := evaluate[string](ctx, fmt.Sprintf("fetch(%q).then((r) => r.text())", address)); err != nil {
			g.t.Fatal(err)
		}
		encoding := ""
		g.eventually("the transfer of "+address+" is reported", func() (ok bool) {
			encoding, _, ok = received.of(address)
			return ok
		})
		return encoding == "dcz"
	})
}

// text returns the stylesheet at a version.
func (g *guardedDev) text(version string) string {
	res, err := http.Get(g.address(version))
	if err != nil {
		return ""
	}
	defer res.Body.Close()
	var b strings.Builder
	if err := res.Write(&b); err != nil {
		return ""
	}
	return b.String()
}
