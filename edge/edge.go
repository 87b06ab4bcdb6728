// Package edge serves the files of published versions. It holds what it was asked for and no more:
// records of Themes and pairs, plans and overlays by hash, rendered files in every encoding that was
// wanted. It learns of changes from the feed of its upstream, renders in WebAssembly only, and goes on
// serving what it holds while upstream is out of reach. It can be the upstream of other edges.
package edge

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"example.com/livery/edge/blobs"
	"example.com/livery/edge/content"
	"example.com/livery/edge/diskcache"
	"example.com/livery/edge/live"
	"example.com/livery/edge/records"
	"example.com/livery/edge/relay"
	"example.com/livery/edge/upstream"
	"example.com/livery/httpd"
	"example.com/livery/wasm"
	"github.com/prometheus/client_golang/prometheus"
)

// The connections of an Edge whose Config names no others.
const (
	DefaultMaxConnections     = 1 << 16
	DefaultMaxFeedConnections = 4096
)

// Config configures an Edge. DataDir, Upstreams and Runtime must be set.
type Config struct {
	DataDir            string               // the disk cache; lost: a restart needs upstream. Of this edge alone
	Upstreams          []string             // base URLs of feeds, of an origin or of other edges, the preferred ones first
	UpstreamWait       time.Duration        // how long a request waits for upstreams; 0: a second
	UpstreamToken      string               // bearer token of the feeds; edges behind this one carry it too
	CacheBytes         int64                // memory for files, records and what files are made from; 0: 256 MiB
	DiskBytes          int64                // disk for records, plans, overlays and modules; 0: 4 GiB
	DiskFileBytes      int64                // disk for files as they are served; 0: none
	MaxConnections     int                  // of clients at one time; 0: DefaultMaxConnections
	MaxConnsPerClient  int                  // of these, of one address or IPv6 network; trusted proxies are not counted. 0: 4,096; negative: no bound
	MaxFeedConnections int                  // of edges behind this one at one time; 0: DefaultMaxFeedConnections
	WriteTimeout       time.Duration        // for one answer to a client that reads slowly; 0: 30 seconds
	IdleTimeout        time.Duration        // between two requests of a connection; 0: 3 minutes
	StreamsOfOneClient int                  // requests of HTTP/2 under way, of one client over all its connections; a twentieth of it bounds the connections. 0: 1,000; negative: no bound
	TrustedProxies     []netip.Prefix       // peers whose X-Forwarded-For is believed
	NoReady            bool                 // no request is answered at once from memory, on the thread that read it: for tests of the other way
	NoDeltas           bool                 // nothing is offered as a dictionary or sent as a delta: a cache in front ignores Vary
	UpstreamTLS        func() *tls.Config   // asked for every new connection to an https upstream; nil: the system's roots
	Runtime            *wasm.Runtime        // the caller closes it, after Shutdown
	Logger             *slog.Logger         // nil: nothing is logged
	Registry           *prometheus.Registry // nil: nothing is counted for others to see
	Now                func() time.Time     // nil: time.Now
}

// Edge is a running edge. It may be used concurrently.
type Edge struct {
	config      Config
	disk        *diskcache.Cache
	bodies      *diskcache.Bodies // nil: none are kept
	upstreams   *upstream.Pool
	changes     *relay.Log
	blobs       *blobs.Store
	content     *content.Store
	records     *records.Store
	follower    *follower
	live        *live.Hub // nil: pages may not follow
	writeBehind *diskcache.WriteBehind
	metrics     *metrics
	server      *httpd.Server
	feedServer  *httpd.Server
	preloaded   atomic.Bool // the newest renderer module, as far as there is one
	now         func() time.Time
	log         *slog.Logger

	ctx      context.Context // of everything in the background
	stop     context.CancelFunc
	endPolls context.CancelFunc // of edges behind this one
	working  sync.WaitGroup
	mu       sync.Mutex // guards stopped
	stopped  bool       // nothing new may begin in the background
}

// New starts an edge: it begins to follow the feed. ctx bounds nothing but New; Shutdown ends it.
func New(ctx context.Context, c Config) (*Edge, error) {
	if c.DataDir == "" || c.Runtime == nil {
		return nil, errors.New("edge: a data directory and a renderer runtime are needed")
	}
	e := &Edge{
		config: c,
		now:    c.Now,
		log:    c.Logger,
	}
	if e.now == nil {
		e.now = time.Now
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	e.ctx, e.stop = context.WithCancel(context.WithoutCancel(ctx))
	if err := e.open(); err != nil {
		return nil, err
	}
	e.prepare()
	e.follower = &follower{
		ctx: e.ctx, upstreams: e.upstreams, disk: e.disk, records: e.records, changes: e.changes, metrics: e.metrics,
		spawn: e.spawn, whole: func() { e.preload(e.blobs.Modules) }, logDiskError: e.logDiskError, now: e.now, log: e.log,
		advised: map[*upstream.Client]string{},
	}
	e.start()
	return e, nil
}

func (c *Config) upstream() upstream.Config {
	return upstream.Config{URLs: c.Upstreams, Token: c.UpstreamToken, TLS: c.UpstreamTLS, Wait: c.upstreamWait()}
}

func (c *Config) upstreamWait() time.Duration {
	return time.Duration(orDefault(int64(c.UpstreamWait), int64(time.Second)))
}

// The parts of a memory budget: Themes 6/64, pairs 12/64, files and what they are made from the rest. If files are some 2 KiB
// as they are sent, records are evicted about as often as files: a file is of use only with the record of its pair.
const (
	budgetParts = 64
	themeParts  = 6
	pairParts   = 12
)

// open makes the parts that can fail.
func (e *Edge) open() (err error) {
	if err := e.openDisk(); err != nil {
		return err
	}
	e.writeBehind = diskcache.NewWriteBehind(e.disk, e.logDiskError)
	if e.upstreams, err = upstream.New(e.config.upstream(), e.now); err != nil {
		return err
	}
	e.metrics = newMetrics()
	e.blobs = blobs.New(blobs.Config{
		Context: e.ctx, Disk: e.disk, WriteBehind: e.writeBehind, Upstream: e.upstreams, Asked: e.metrics.Asked, LogDiskError: e.logDiskError, Now: e.now,
	})
	part := orDefault(e.config.CacheBytes, standardCache) / budgetParts
	var bodies content.BodyDisk
	if e.bodies != nil {
		bodies = e.bodies
	}
	e.content = content.New(e.ctx, content.Config{
		Bodies: bodies,
		Budget: orDefault(e.config.CacheBytes, standardCache) - (themeParts+pairParts)*part,
		Slots:  runtime.GOMAXPROCS(0), Pending: maxRecompressions, Runtime: e.config.Runtime,
		Blob: e.blobs.Get, HasBlob: e.blobs.Has, Older: func(line content.Line) []*content.Inputs { return e.records.Older(line) }, IsTemporary: func(err error) bool { return errors.Is(err, upstream.ErrUnreachable) },
		Rendering: func() func(error) { return e.metrics.rendering() }, Recompressed: func() { e.metrics.improved.Inc() }, Now: e.now, Logger: e.log,
	})
	e.openRecords(uint64(part))
	return e.metrics.register(e)
}

// indexOfBodies is the part, of the memory for knowing what is on disk, that files have.
const indexOfBodies = 4

// openDisk opens what the edge has on disk.
func (e *Edge) openDisk() (err error) {
	memory := MemoryFor(e.config.CacheBytes, 1).Index
	if e.config.DiskFileBytes > 0 {
		budget := diskcache.Budget{Bytes: e.config.DiskFileBytes, IndexBytes: memory / indexOfBodies}
		if e.bodies, err = diskcache.OpenBodies(e.config.DataDir, budget, inputsID); err != nil {
			return err
		}
	}
	budget := diskcache.Budget{Bytes: orDefault(e.config.DiskBytes, 4<<30), IndexBytes: memory - memory/indexOfBodies}
	e.disk, err = diskcache.Open(e.config.DataDir, budget, func(yield func(key string, times *atomic.Uint32)) {
		if e.records != nil {
			e.records.Requests(yield)
		}
	}, e.bodies)
	return err
}

// maxRecompressions is how many bodies wait for being made smaller.
const maxRecompressions = 1024

// openRecords makes the records.
func (e *Edge) openRecords(part uint64) {
	e.records = records.New(records.Config{
		ThemeBytes: themeParts * part,
		PairBytes:  pairParts * part,
		Context:    e.ctx,
		Go:         e.spawn,
		Draining:   func() bool { return e.server.Draining() },
		Now:        e.now, Logger: e.log, LogDiskError: e.logDiskError,
		Upstream: e.upstreams, Disk: e.disk, WriteBehind: e.writeBehind,
		Content: recordContent{e.ctx, e.content, e.blobs, e.disk, e.logDiskError}, Observer: e.metrics,
	})
}

// logDiskError reports a failure of the disk cache, which costs no more than a restart without upstream.
func (e *Edge) logDiskError(err error) {
	if err != nil {
		e.log.Warn("the disk cache cannot be written", "error", err)
	}
}

// prepare makes the servers.
func (e *Edge) prepare() {
	e.changes = relay.NewLog(e.disk.Cursor())
	polls, endPolls := context.WithCancel(e.ctx)
	e.endPolls = endPolls
	idle := time.Duration(orDefault(int64(e.config.IdleTimeout), int64(3*time.Minute)))
	e.feedServer = relay.New(relay.Config{
		Context: polls, MaxConns: int(orDefault(int64(e.config.MaxFeedConnections), DefaultMaxFeedConnections)), Idle: idle, Token: e.config.UpstreamToken, MaxWait: e.config.upstreamWait(), Now: e.now, Logger: e.log,
		Log: e.changes, Records: e.records, Modules: e.blobs.Modules, Input: e.content.Input, Following: e.upstreams.Following,
	})
	c := httpd.Config{
		Handler:          front{e},
		MaxConns:         int(orDefault(int64(e.config.MaxConnections), DefaultMaxConnections)),
		ConnsPerClient:   cmp.Or(e.config.MaxConnsPerClient, 4096),
		StreamsPerClient: cmp.Or(e.config.StreamsOfOneClient, 1000),
		StreamBytes:      MemoryFor(e.config.CacheBytes, runtime.GOMAXPROCS(0)).Streams,
		WaitingBytes:     MemoryFor(e.config.CacheBytes, runtime.GOMAXPROCS(0)).Waiting,
		TrustedProxies:   e.config.TrustedProxies,
		WriteTimeout:     time.Duration(orDefault(int64(e.config.WriteTimeout), int64(30*time.Second))),
		IdleTimeout:      idle,
		Shed:             e.metrics.shed.Inc,
		Logger:           e.log,
	}
	e.live = live.New(c.MaxConns/liveParts, c.Clients())
	e.server = httpd.New(c)
}

// liveParts is one part in so many of the connections that event streams may have: the others are for files.
const liveParts = 2

// start begins what runs in the background.
func (e *Edge) start() {
	if e.disk.HoldsThemes() {
		e.spawn(func() { e.preload(e.modulesOnDisk) })
	}
	e.spawn(e.follower.run)
	e.spawn(e.content.RecompressAll)
	e.spawn(e.content.MakeDeltas)
	e.spawn(func() { e.writeBehind.Run(e.ctx) })
	e.records.Start()
}

// spawn runs f in the background, unless the edge is being shut down, and reports whether it does.
func (e *Edge) spawn(f func()) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.stopped {
		e.working.Go(f)
	}
	return !e.stopped
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

// ServeTLS answers requests of l under TLS until Shutdown, which makes it return nil: in HTTP/2 those
// of clients that choose it, if c.NextProtos offers "h2", else in HTTP/1.1. c must not change while
// it is in use; its session tickets serve every connection. It may run on several listeners at once.
func (e *Edge) ServeTLS(l net.Listener, c *tls.Config) error {
	if err := e.server.ServeTLS(l, c); err != nil {
		return fmt.Errorf("edge: serve: %w", err)
	}
	return nil
}

// ServeFeed answers other edges that have this one as their upstream, on a listener of its own, until
// Shutdown, which makes it return nil. They must carry the feed's token.
func (e *Edge) ServeFeed(l net.Listener) error {
	if err := e.feedServer.Serve(l); err != nil {
		return fmt.Errorf("edge: serve the feed: %w", err)
	}
	return nil
}

// Shutdown closes the listeners, answers the requests that were sent before, until ctx is done, and
// ends everything in the background. It cuts the connections whose requests were not answered by then and returns
// ctx's error. The Edge is unusable then.
func (e *Edge) Shutdown(ctx context.Context) error {
	e.live.Close()
	e.endPolls()
	feed := make(chan error, 1)
	go func() { feed <- e.feedServer.Shutdown(ctx) }()
	err := errors.Join(e.server.Shutdown(ctx), <-feed)
	e.mu.Lock()
	e.stopped = true
	e.mu.Unlock()
	e.stop()
	e.working.Wait()
	e.writeBehind.Flush()
	e.records.PersistUsage()
	e.disk.Close()
	e.bodies.Close()
	e.upstreams.Close()
	if err != nil {
		return fmt.Errorf("edge: shutdown: %w", err)
	}
	return nil
}

// Ready returns nil if requests would be served without a wait for this start: upstream has answered since, or the disk
// holds something from before it, and the newest renderer module was loaded.
func (e *Edge) Ready() error {
	switch {
	case !e.follower.heard.Load() && !e.disk.HoldsThemes():
		return errors.New("edge: upstream has not answered yet, and nothing is held from an earlier run")
	case !e.preloaded.Load():
		return errors.New("edge: the renderer is not loaded yet")
	}
	return nil
}
