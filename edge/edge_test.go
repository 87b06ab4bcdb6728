package edge_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/livery/edge"
	"example.com/livery/wasm"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if runtime, err := sharedRuntime(); err != nil || runtime.Close(context.Background()) != nil {
		fmt.Fprintln(os.Stderr, "the runtime does not close:", err)
		code = max(code, 1)
	}
	if missing := missingPaths(); len(missing) > 0 {
		fmt.Fprintln(os.Stderr, "name in onBothPaths:", missing)
		code = max(code, 1)
	}
	http.DefaultClient.CloseIdleConnections()
	err := goleak.Find(
		// fasthttp's own: one clock for the process, and a sweep that looks up every ten seconds.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
	)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// sharedRuntime returns the runtime of all edges of this process: to load a module takes a third of a second.
var sharedRuntime = sync.OnceValues(func() (*wasm.Runtime, error) {
	return wasm.NewRuntime(context.Background(), wasm.Config{CacheDir: filepath.Join("..", ".cache", "wazero")})
})

// running is an edge on a socket of its own, with a client.
type running struct {
	t      testing.TB
	edge   *edge.Edge
	url    string
	client *http.Client
	clock  *clock
	counts *prometheus.Registry
	dir    string
	stop   func() // once more is harmless
}

// clock is the wall clock and what a test added to it.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

func (c *clock) add(d time.Duration) { c.ahead.Add(int64(d)) }

type option func(*edge.Config)

func at(dir string) option { return func(c *edge.Config) { c.DataDir = dir } }

func trusting(proxies ...netip.Prefix) option {
	return func(c *edge.Config) { c.TrustedProxies = proxies }
}

// ownRuntime gives an edge a runtime without modules, as the edge of a process that has just started has.
func ownRuntime(t testing.TB) option {
	own, err := wasm.NewRuntime(t.Context(), wasm.Config{CacheDir: filepath.Join("..", ".cache", "wazero")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := own.Close(context.Background()); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	return func(c *edge.Config) { c.Runtime = own }
}

// run starts an edge before the feed.
func run(t testing.TB, f *feed, options ...option) *running {
	startsEdge(t)
	shared, err := sharedRuntime()
	if err != nil {
		t.Fatal(err)
	}
	r := &running{t: t, clock: &clock{}, counts: prometheus.NewRegistry(), client: &http.Client{Transport: &http.Transport{DisableCompression: true}}}
	config := edge.Config{
		DataDir: t.TempDir(), NoReady: !fastPath(t), Upstreams: []string{f.url()}, UpstreamWait: 3 * time.Second, UpstreamToken: token, Runtime: shared, Now: r.clock.now,
		Registry: r.counts, Logger: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	for _, o := range options {
		o(&config)
	}
	r.dir = config.DataDir
	if r.edge, err = edge.New(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.url = "http://" + l.Addr().String()
	served := make(chan error, 1)
	go func() { served <- r.edge.Serve(l) }()
	stopped := false
	r.stop = func() {
		if stopped {
			return
		}
		stopped = true
		r.client.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := r.edge.Shutdown(ctx); err != nil {
			t.Errorf("Shutdown = %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("Serve = %v", err)
		}
	}
	t.Cleanup(r.stop)
	return r
}

// response is an answer, read to its end.
type response struct {
	status int
	header http.Header
	body   string
}

// do sends a request with these header lines ("Name: value"). It fails if an origin may read the answer and not its timing, or
// the other way round.
func (r *running) do(method, path string, lines ...string) response {
	r.t.Helper()
	req, err := http.NewRequest(method, r.url+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		if strings.EqualFold(name, "Host") {
			req.Host = value
			continue
		}
		req.Header.Add(name, value)
	}
	res, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	if readers, timers := res.Header["Access-Control-Allow-Origin"], res.Header["Timing-Allow-Origin"]; !slices.Equal(readers, timers) {
		r.t.Errorf("%s %s: %v may read the answer, and %v its timing", method, path, readers, timers)
	}
	return response{res.StatusCode, res.Header, string(body)}
}

func (r *running) get(path string, lines ...string) response {
	r.t.Helper()
	return r.do(http.MethodGet, path, lines...)
}

// eventually polls until ok, or fails after a while.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("%s did not come about", what)
}

// settle waits until the edge has heard of every change so far.
func (r *running) settle() {
	r.t.Helper()
	eventually(r.t, "following the feed", func() bool { return r.edge.Ready() == nil })
}

// warm waits until the edges between have an answer to each address: an edge behind another gives up after a second,
// which a busy machine may need for what nothing was asked of yet.
func (r *running) warm(addresses ...string) {
	r.t.Helper()
	for _, address := range addresses {
		eventually(r.t, "an answer to "+address, func() bool { return r.get(address).status != 503 })
	}
}

// counted sums up a metric over its labels.
func (r *running) counted(name string) (sum float64) {
	r.t.Helper()
	families, err := r.counts.Gather()
	if err != nil {
		r.t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, m := range family.GetMetric() {
			sum += m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return sum
}

// path spells a served address of the first Theme.
func path(variant, version, file string) string {
	return "/" + env + "/" + thm + "/" + variant + "/" + version + "/" + file
}

const smallTheme = `{"space":{"$type":"dimension","small":{"$value":"4px"},"inner":{"$value":"{space.small}"}}}`

// publishedFeed returns a feed with one published Theme.
func publishedFeed(t testing.TB) *feed {
	f := newFeed(t)
	f.publish(thm, smallTheme)
	return f
}

func want(t testing.TB, got response, status int, body string) {
	t.Helper()
	if got.status != status || !strings.Contains(got.body, body) {
		t.Fatalf("answer = %d %q %v, want %d with %q", got.status, got.body, got.header, status, body)
	}
}

func TestPinnedFilesAreImmutable(t *testing.T) { // S40, S72, A90
	r := run(t, publishedFeed(t))
	for file, contentType := range map[string]string{
		"tokens.css":         "text/css; charset=utf-8",
		"tokens.values.json": "application/json",
		"tokens.json":        "application/json",
		"tokens.flat.json":   "application/json",
		"tokens.dtcg.json":   "application/design-tokens+json",
	} {
		got := r.get(path("-", "1", file))
		want(t, got, 200, "4px")
		for name, value := range map[string]string{
			"Content-Type": contentType, "Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff",
			"Cross-Origin-Resource-Policy": "cross-origin", "Access-Control-Allow-Origin": "*", "Timing-Allow-Origin": "*", "Vary": "Accept-Encoding", "Accept-Ranges": "bytes",
			"Age": "", "Server": "",
		} {
			if got.header.Get(name) != value {
				t.Errorf("%s: %s = %q, want %q", file, name, got.header.Get(name), value)
			}
		}
	}
}

func TestLatestLivesForTheCacheLifetime(t *testing.T) { // S38
	r := run(t, publishedFeed(t))
	got := r.get(path("-", "latest", "tokens.css"))
	want(t, got, 200, "--space-inner: 4px")
	if cc := got.header.Get("Cache-Control"); cc != "public, max-age=60, stale-if-error=86400" {
		t.Errorf("Cache-Control = %q", cc)
	}
	if got.header.Get("Age") == "" {
		t.Error("latest has no Age")
	}
}

func TestVariantServesItsValues(t *testing.T) { // S9, S10, S233
	f := publishedFeed(t)
	f.override(thm, brand, 1, `{"space.small":"9px","nothing.here":"1px"}`, true)
	r := run(t, f)
	want(t, r.get(path(brand, "1", "tokens.css")), 200, "--space-small: 9px;\n  --space-inner: 9px;")
	want(t, r.get(path("-", "1", "tokens.css")), 200, "--space-small: 4px;")
}

// Before it is sealed a pair at its number is answered like latest (decisions 5.7).
func TestUnsealedPairIsNotImmutable(t *testing.T) {
	f := publishedFeed(t)
	f.override(thm, brand, 1, `{"space.small":"9px"}`, false)
	r := run(t, f)
	got := r.get(path(brand, "1", "tokens.css"))
	want(t, got, 200, "9px")
	if cc := got.header.Get("Cache-Control"); cc != "public, max-age=60, stale-if-error=86400" {
		t.Errorf("Cache-Control of an unsealed pair = %q", cc)
	}
}

// The same document under another prefix is another file.
func TestPrefixIsPartOfTheContent(t *testing.T) { // S66
	f := publishedFeed(t)
	f.publishAs(thm, smallTheme, "acme")
	r := run(t, f)
	want(t, r.get(path("-", "1", "tokens.css")), 200, "--space-small: 4px;")
	want(t, r.get(path("-", "2", "tokens.css")), 200, "--acme-space-small: 4px;")
}
