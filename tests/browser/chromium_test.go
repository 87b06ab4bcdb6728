//go:build browser

// Package browser proves in a real Chromium that no token breaks out of the files that Livery
// serves, and that the files do in a browser what they say. It is made of tests alone, behind the
// build tag browser: go test -tags browser ./tests/browser. Its flags are -payloads and -seed for the
// random payloads, and -picture for the file of a picture of the sample. LIVERY_CHROMIUM names the
// browser's program if it is not on the path.
package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"example.com/livery/internal/test/program"
)

// patience bounds every wait for the browser: a page that takes longer is a failure.
const patience = 60 * time.Second

// chromium is one browser with one tab, the server of its pages, and the canary that the host names
// of the attacks lead to. The tests of this package share it and run one by one.
type chromium struct {
	tab    context.Context
	pages  *pageServer
	canary *canary

	mu       sync.Mutex // guards requests
	requests []string   // addresses the tab asked for since the last navigation, in order
}

// tab is the browser of this test binary. TestMain opens it.
var tab *chromium

func TestMain(m *testing.M) {
	program.Main(func() int {
		code, err := runWithBrowser(m)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return code
	})
}

func runWithBrowser(m *testing.M) (int, error) {
	profile, err := os.MkdirTemp("", "livery-browser-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(profile)
	c := &chromium{pages: newPageServer(), canary: newCanary()}
	defer c.pages.close()
	defer c.canary.server.Close()
	allocator, stop := chromedp.NewExecAllocator(context.Background(), c.options(profile)...)
	defer stop()
	ctx, closeTab := chromedp.NewContext(allocator)
	defer closeTab()
	c.tab = ctx
	if err := c.listen(); err != nil {
		return 1, fmt.Errorf("no browser to test with (LIVERY_CHROMIUM names its program): %w", err)
	}
	tab = c
	code := m.Run()
	if late := c.canary.take(canaryHost); len(late) > 0 {
		return 1, fmt.Errorf("the canary was asked, after its page was left, for %q", late)
	}
	return code, chromedp.Cancel(ctx)
}

// options make the browser quiet: it asks only the page server, and the hosts that attacks
// name lead to the canary.
func (c *chromium) options(profile string) []chromedp.ExecAllocatorOption {
	options := []chromedp.ExecAllocatorOption{
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck,
		chromedp.UserDataDir(profile),
		chromedp.WindowSize(1200, 800),
		chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("host-resolver-rules", fmt.Sprintf("MAP *canary.test %s, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", c.canary.address())),
	}
	for _, quiet := range []string{"quic", "background-networking", "component-update", "sync", "extensions", "default-apps", "breakpad"} {
		options = append(options, chromedp.Flag("disable-"+quiet, true))
	}
	if path := os.Getenv("LIVERY_CHROMIUM"); path != "" {
		options = append(options, chromedp.ExecPath(path))
	}
	return options
}

// listen opens the tab and records from then on every request that it makes.
func (c *chromium) listen() error {
	if err := chromedp.Do(c.tab); err != nil {
		return err
	}
	if _, err := chromedp.Call(c.tab, network.Enable, network.EnableParams{}); err != nil {
		return err
	}
	return chromedp.Listen(c.tab, func(event any) {
		if sent, ok := event.(*network.EventRequestWillBeSent); ok {
			c.mu.Lock()
			c.requests = append(c.requests, sent.Request.URL)
			c.mu.Unlock()
		}
	})
}

// open navigates to an address and waits until it is loaded.
func (c *chromium) open(ctx context.Context, address string) error {
	c.mu.Lock()
	c.requests = nil
	c.mu.Unlock()
	return chromedp.Do(ctx, chromedp.Navigate(address))
}

// requestsUntil returns what the tab asked for since it was opened, without mark, which must be the
// last of it: events arrive in order, so nothing from before the mark is missing.
func (c *chromium) requestsUntil(mark string) ([]string, error) {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		c.mu.Lock()
		at := slices.Index(c.requests, mark)
		requests := slices.Clone(c.requests)
		c.mu.Unlock()
		if at >= 0 {
			return slices.Delete(requests, at, at+1), nil
		}
	}
	return nil, fmt.Errorf("the request of %s was never reported", mark)
}

// evaluate runs an expression in the tab and returns its value. A promise is awaited.
func evaluate[T any](ctx context.Context, expression string) (T, error) {
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// canaryHost is the host that attacks name; copiedHost is what the tests put in its place that want
// a request to be made.
const (
	canaryHost = "canary.test"
	copiedHost = "copied.canary.test"
)

// canary is a server that no page may ask. It records its requests, by host.
type canary struct {
	server   *httptest.Server
	mu       sync.Mutex // guards asked
	requests map[string][]string
}

func newCanary() *canary {
	c := &canary{requests: map[string][]string{}}
	c.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		c.requests[r.Host] = append(c.requests[r.Host], r.URL.Path)
		c.mu.Unlock()
		http.NotFound(w, r)
	}))
	return c
}

func (c *canary) address() string { return c.server.Listener.Addr().String() }

// take returns the paths that were asked of host since it was last called.
func (c *canary) take(host string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	paths := c.requests[host]
	delete(c.requests, host)
	return paths
}
