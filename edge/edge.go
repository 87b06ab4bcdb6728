// Package edge serves the files of published versions. It holds what it was asked for and no more:
// records of Themes and pairs, plans and overlays by hash, rendered files in every encoding that was
// wanted. It learns of changes from the feed of its upstream, renders in WebAssembly only, and goes on
// serving what it holds while upstream is out of reach. It can be the upstream of other edges.
package edge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.com/livery/edge/loop"
	"example.com/livery/wasm"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/valyala/fasthttp"
	"golang.org/x/sync/singleflight"
)

// Config configures an Edge. DataDir, Upstreams and Runtime must be set.
type Config struct {
	DataDir        string               // the disk cache; lost: a restart needs upstream. Of this edge alone
	Upstreams      []string             // base URLs of feeds, of an origin or of other edges, the preferred ones first
	UpstreamToken  string               // bearer token of the feeds; edges behind this one carry it too
	CacheBytes     int64                // memory for files, records and what files are made from; 0: 256 MiB
	DiskBytes      int64                // disk for records, plans, overlays and modules; 0: 4 GiB
	MaxConnections int                  // of clients at one time; 0: 65,536
	WriteTimeout   time.Duration        // for one answer to a client that reads slowly; 0: 30 seconds
	TrustedProxies []netip.Prefix       // peers whose X-Forwarded-For is believed
	FastPath       bool                 // plain hits are answered ahead of fasthttp, byte for byte as it would
	Runtime        *wasm.Runtime        // the caller closes it, after Shutdown
	Logger         *slog.Logger         // nil: nothing is logged
	Registry       *prometheus.Registry // nil: nothing is counted for others to see
	Now            func() time.Time     // nil: time.Now
}

// Edge is a running edge. It may be used concurrently.
type Edge struct {
	config     Config
	cache      *cache
	disk       *disk
	sources    *sources
	relay      *relay
	flights    singleflight.Group
	metrics    *metrics
	door       *door
	server     *fasthttp.Server
	loop       *loop.Loop // nil: no fast path
	feedServer *fasthttp.Server
	now        func() time.Time
	log        *slog.Logger

	confirmedAt  atomic.Int64 // Unix nanoseconds: what is held and not in doubt was current then
	heard        atomic.Bool  // the feed was heard to its end at least once
	refreshes    *waiting
	unknowns     bucket        // questions for what was not there
	misses       chan struct{} // one element for each request that does what takes long
	encoders     chan struct{} // one element for each encoding that somebody waits for
	improvements chan improvement

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
	e := &Edge{
		config:       c,
		now:          c.Now,
		log:          c.Logger,
		door:         newDoor(int(orDefault(int64(c.MaxConnections), 1<<16))),
		refreshes:    newWaiting(),
		misses:       make(chan struct{}, maxMisses),
		encoders:     make(chan struct{}, runtime.GOMAXPROCS(0)),
		improvements: make(chan improvement, maxMisses),
		unknowns:     bucket{every: unknownEvery, burst: unknownBurst},
	}
	if e.now == nil {
		e.now = time.Now
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	if err := e.open(); err != nil {
		return nil, err
	}
	if err := e.prepare(ctx); err != nil {
		return nil, err
	}
	e.start()
	return e, nil
}

// open makes the parts that can fail.
func (e *Edge) open() (err error) {
	if e.cache, err = newCache(orDefault(e.config.CacheBytes, 256<<20)); err != nil {
		return err
	}
	if e.disk, err = openDisk(e.config.DataDir, orDefault(e.config.DiskBytes, 4<<30), e.hotNames); err != nil {
		return err
	}
	if e.sources, err = newSources(e.config.Upstreams, e.config.UpstreamToken, e.now); err != nil {
		return err
	}
	e.metrics, err = newMetrics(e.config.Registry, e)
	return err
}

// prepare makes the servers.
func (e *Edge) prepare(ctx context.Context) (err error) {
	e.relay = newRelay(e.disk.cursor())
	e.server, e.feedServer = e.newServer(), e.newFeedServer()
	if e.config.FastPath {
		e.loop, err = loop.New(loop.Config{
			Source: ready{e}, Server: e.server, MaxConns: e.door.most, Overload: overloaded.whole(), Logger: e.log,
		})
	}
	e.ctx, e.stop = context.WithCancel(context.WithoutCancel(ctx))
	return err
}

// start begins what runs in the background.
func (e *Edge) start() {
	e.spawn(e.follow)
	e.spawn(e.improveAll)
	for range refreshThemes {
		e.spawn(e.refreshAll)
	}
}

// spawn runs f in the background, unless the edge is being shut down.
func (e *Edge) spawn(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.stopped {
		e.working.Go(f)
	}
}

func orDefault(n, fallback int64) int64 {
	if n <= 0 {
		return fallback
	}
	return n
}

// hotNames yields the files on disk that what was asked for lately is made from: the disk cache keeps
// them, although memory answers and nobody reads them.
func (e *Edge) hotNames(yield func(name string)) {
	if e.cache == nil {
		return
	}
	since := e.now().Add(-hotFor).Unix()
	for key, p := range e.cache.pairs.All() {
		s := p.state.Load()
		if s == nil || s.missing != "" || p.askedAt.Load() < since {
			continue
		}
		yield(pairName(key))
		yield(themeName(key[:strings.IndexByte(key, '/')+1+idLength]))
		yield(blobName(s.fed.Plan))
		yield(blobName(s.fed.Module))
		if s.fed.Overlay != "" {
			yield(blobName(s.fed.Overlay))
		}
	}
}

// Serve answers requests of l until Shutdown, which makes it return nil. It may run on several
// listeners at once.
func (e *Edge) Serve(l net.Listener) error {
	var err error
	if e.loop != nil {
		err = e.loop.Serve(l)
	} else {
		err = e.server.Serve(e.door.open(l))
	}
	if err != nil {
		return fmt.Errorf("edge: serve: %w", err)
	}
	return nil
}

// connections returns the number of open connections of clients.
func (e *Edge) connections() int {
	if e.loop != nil {
		return int(e.loop.Stats().Connections)
	}
	return e.door.count()
}

// Shutdown closes the listeners, answers the requests that were sent before, until ctx is done, and
// ends everything in the background. The Edge is unusable then.
func (e *Edge) Shutdown(ctx context.Context) error {
	err := e.door.shut(ctx)
	if e.loop != nil {
		err = errors.Join(err, e.loop.Shutdown(ctx))
	}
	err = errors.Join(err, e.server.ShutdownWithContext(ctx))
	e.mu.Lock()
	e.stopped = true
	e.mu.Unlock()
	e.stop()
	err = errors.Join(err, e.feedServer.ShutdownWithContext(ctx))
	e.working.Wait()
	e.cache.close()
	e.sources.close()
	if err != nil {
		return fmt.Errorf("edge: shutdown: %w", err)
	}
	return nil
}

// Ready returns nil where requests would be served: upstream has answered since the start, or the
// disk holds something from before it.
func (e *Edge) Ready() error {
	if e.heard.Load() || e.disk.holdsThemes() {
		return nil
	}
	return errors.New("edge: upstream has not answered yet, and nothing is held from an earlier run")
}
