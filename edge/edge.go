// Package edge serves the files of published versions. It holds what it was asked for and no more:
// records of Themes and pairs, inputs by hash, rendered files in every encoding that was wanted. It
// learns of changes from the feed of its upstream, renders in WebAssembly only, and goes on serving
// what it holds while upstream is out of reach.
package edge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"example.com/livery/wasm"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"
	"golang.org/x/sync/singleflight"
)

// Config configures an Edge. DataDir, Upstream and Runtime must be set.
type Config struct {
	DataDir        string               // the disk cache; lost: a restart needs upstream. Of this edge alone
	Upstream       string               // base URL of the feed
	UpstreamToken  string               // bearer token of the feed
	CacheBytes     int64                // memory for files and records; 0: 256 MiB
	DiskBytes      int64                // disk for documents, overrides and modules; 0: 4 GiB
	TrustedProxies []netip.Prefix       // peers whose X-Forwarded-For is believed
	Runtime        *wasm.Runtime        // the caller closes it, after Shutdown
	Logger         *slog.Logger         // nil: nothing is logged
	Registry       *prometheus.Registry // nil: nothing is counted for others to see
	Now            func() time.Time     // nil: time.Now
}

// Edge is a running edge. It may be used concurrently.
type Edge struct {
	config   Config
	cache    *cache
	disk     *disk
	upstream *upstream
	flights  singleflight.Group
	metrics  *metrics
	server   *fasthttp.Server
	now      func() time.Time
	log      *slog.Logger

	confirmedAt atomic.Int64  // Unix nanoseconds: what is held and not in doubt was current then
	followed    atomic.Bool   // the feed was heard to its end at least once
	refreshes   chan struct{} // one element for each refresh at work

	ctx     context.Context // of everything in the background
	stop    context.CancelFunc
	working sync.WaitGroup
	mu      sync.Mutex // guards stopped
	stopped bool       // nothing new may begin in the background
}

// New starts an edge: it begins to follow the feed. ctx bounds nothing but New; Shutdown ends it.
func New(ctx context.Context, c Config) (*Edge, error) {
	if c.DataDir == "" || c.Runtime == nil {
		return nil, errors.New("edge: a data directory and a renderer runtime are needed")
	}
	e := &Edge{config: c, now: c.Now, log: c.Logger, refreshes: make(chan struct{}, 2)}
	if e.now == nil {
		e.now = time.Now
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	if err := e.open(); err != nil {
		return nil, err
	}
	e.server = e.newServer()
	e.ctx, e.stop = context.WithCancel(context.WithoutCancel(ctx))
	e.spawn(e.follow)
	return e, nil
}

// spawn runs f in the background, unless the edge is being shut down.
func (e *Edge) spawn(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.stopped {
		e.working.Go(f)
	}
}

// open makes the parts that can fail.
func (e *Edge) open() (err error) {
	if e.cache, err = newCache(orDefault(e.config.CacheBytes, 256<<20)); err != nil {
		return err
	}
	if e.disk, err = openDisk(e.config.DataDir, orDefault(e.config.DiskBytes, 4<<30)); err != nil {
		return err
	}
	if e.upstream, err = newUpstream(e.config.Upstream, e.config.UpstreamToken, e.now); err != nil {
		return err
	}
	e.metrics, err = newMetrics(e.config.Registry, e.cache)
	return err
}

func orDefault(n, fallback int64) int64 {
	if n <= 0 {
		return fallback
	}
	return n
}

// Serve answers requests of l until Shutdown, which makes it return nil. It may run on several
// listeners at once.
func (e *Edge) Serve(l net.Listener) error {
	if err := e.server.Serve(l); err != nil {
		return fmt.Errorf("edge: serve: %w", err)
	}
	return nil
}

// Shutdown closes the listeners, waits for requests at work until ctx is done, and ends everything
// in the background. The Edge is unusable then.
func (e *Edge) Shutdown(ctx context.Context) error {
	err := e.server.ShutdownWithContext(ctx)
	e.mu.Lock()
	e.stopped = true
	e.mu.Unlock()
	e.stop()
	e.working.Wait()
	e.cache.close()
	e.upstream.client.CloseIdleConnections()
	if err != nil {
		return fmt.Errorf("edge: shutdown: %w", err)
	}
	return nil
}

// Ready returns nil where requests would be served: upstream has answered since the start, or the
// disk holds something from before it.
func (e *Edge) Ready() error {
	if e.followed.Load() || e.disk.holdsThemes() {
		return nil
	}
	return errors.New("edge: upstream has not answered yet, and nothing is held from an earlier run")
}
