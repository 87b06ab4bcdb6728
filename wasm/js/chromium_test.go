//go:build browser

package js

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// browserNames are the programs that are tried if LIVERY_CHROMIUM names none.
var browserNames = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// openTab starts a browser of its own for a test. Without one the test is skipped.
func openTab(t *testing.T) context.Context {
	t.Helper()
	program := os.Getenv("LIVERY_CHROMIUM")
	for _, name := range browserNames {
		if path, err := exec.LookPath(name); err == nil && program == "" {
			program = path
		}
	}
	if program == "" {
		t.Skip("NOT PROVEN: there is no Chromium on the path, and LIVERY_CHROMIUM names none")
	}
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(program), chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1200, 800),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
	}
	for _, quiet := range []string{"background-networking", "component-update", "sync", "extensions", "default-apps", "breakpad"} {
		options = append(options, chromedp.Flag("disable-"+quiet, true))
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	tab, closeTab := chromedp.NewContext(allocator)
	t.Cleanup(closeTab)
	tab, cancel := context.WithTimeout(tab, patience)
	t.Cleanup(cancel)
	if err := chromedp.Do(tab); err != nil {
		t.Fatalf("%s does not start: %v", program, err)
	}
	t.Cleanup(func() {
		if err := chromedp.Cancel(tab); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("close the browser: %v", err)
		}
	})
	return tab
}

// visit opens an address.
func visit(t *testing.T, tab context.Context, address string) {
	t.Helper()
	if err := chromedp.Do(tab, chromedp.Navigate(address)); err != nil {
		t.Fatal(err)
	}
}

// evaluate runs an expression in the tab and returns its value. A promise is awaited.
func evaluate[T any](t *testing.T, tab context.Context, expression string) T {
	t.Helper()
	value, err := chromedp.Run(tab, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%.200s: %v", expression, err)
	}
	return value
}

// until evaluates a claim until it holds.
func until(t *testing.T, tab context.Context, claim string) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if evaluate[bool](t, tab, claim) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("it never came to %s", claim)
		}
	}
}

// importShim is an expression that loads the module through the shim and compares it.
const importShim = `(async () => {
	const { load } = await import("/wasm/livery.mjs");
	const { compare, throughShim } = await import("/wasm/js/testdata/parity.mjs");
	const module = await (await fetch("/wasm/renderer.wasm")).arrayBuffer();
	return String(await compare("/", throughShim(await load(module))));
})()`

// Decisions 6.5: the same bytes come out natively and in a browser.
func TestChromiumEqualsNative(t *testing.T) {
	module(t)
	tab := openTab(t)
	for _, of := range everySource {
		t.Run(of.name, func(t *testing.T) {
			p := newParity(t, of.sources(t))
			visit(t, tab, p.server.URL+"/sources")
			p.finish(strings.TrimSpace(evaluate[string](t, tab, importShim)))
		})
	}
}
