// Package derive makes the blobs that edges render from: the plans of a Theme version and the
// overlays of what its Variants override (package renderer/plan). Both are derived: dropped, they are
// compiled again from the document, the overrides and the prefix of the version, always by the
// renderer module that the version names, and are the same bytes. What this binary's own module
// would compile is compiled natively; modules of other releases run in package wasm.
//
// It also registers renderer modules. It decides nothing about what a Variant serves: that stands in
// the records, of which it writes nothing but the name of an overlay.
package derive

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"example.com/livery/origin/lru"
	"example.com/livery/renderer"
	"example.com/livery/storage"
	"example.com/livery/storage/record"
)

// Config is what a Deriver needs. Store and Native must be given.
type Config struct {
	Store      storage.Store
	Native     record.Hash      // the registered module that was built from the same sources as this binary
	CacheDir   string           // of the machine code of other modules; empty: in memory
	CacheBytes int64            // memory for compiled Themes; 0 means DefaultCacheBytes
	Logger     *slog.Logger     // nil means slog.Default()
	Now        func() time.Time // nil means time.Now

	// Acquire waits until one more document of an Environment may be compiled for a request, and AcquireBackground until
	// one may that no request waits for; both return what releases it, or ctx's error. Nil does not wait. A publish calls
	// neither for what it compiles: it has waited already.
	Acquire, AcquireBackground func(ctx context.Context, environmentID string) (release func(), err error)
}

// DefaultCacheBytes is the memory for compiled Themes if Config says nothing.
const DefaultCacheBytes = 64 << 20

// Deriver compiles plans and overlays. Its methods may be called concurrently.
type Deriver struct {
	store  storage.Store
	native record.Hash
	now    func() time.Time
	log    *slog.Logger

	foreground acquire // for requests that wait
	background acquire

	themes   *lru.Cache[themeKey, *renderer.CompiledTheme]
	combined *lru.Cache[string, []byte] // overlays of combinations by their names, and these by inputs
	digests  *lru.Cache[string, *Digests]
	modules  *modules
	flights  singleflight.Group // by what is compiled
	sources  sources
	queue    queue

	ctx    context.Context // ends with Close
	cancel context.CancelFunc

	mu     sync.Mutex // guards closed, and that nothing is added to work after it
	closed bool
	work   sync.WaitGroup // flights and the goroutine that takes from the queue
}

// New returns a Deriver, which must be closed. It starts nothing yet.
func New(c Config) *Deriver {
	d := &Deriver{
		store: c.Store, native: c.Native, foreground: c.Acquire, background: c.AcquireBackground, now: c.Now, log: c.Logger,
		themes: lru.New[themeKey, *renderer.CompiledTheme](cmp.Or(c.CacheBytes, DefaultCacheBytes)), combined: lru.New[string, []byte](CombinationBytes),
		digests: lru.New[string, *Digests](digestCacheBytes), modules: &modules{store: c.Store, dir: c.CacheDir},
	}
	if d.now == nil {
		d.now = time.Now
	}
	if d.log == nil {
		d.log = slog.Default()
	}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	return d
}

// Close ends the work in the background, waits for it until ctx ends, and frees the modules. What
// is missing then is compiled when an edge requests it.
func (d *Deriver) Close(ctx context.Context) error {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.cancel()
	ended := make(chan struct{})
	go func() {
		d.work.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return d.modules.close(ctx)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin counts a piece of work, which must call d.work.Done; after Close there is none.
func (d *Deriver) begin() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.closed {
		d.work.Add(1)
	}
	return !d.closed
}

// shared runs fn once for all callers that want key meanwhile, and returns its result, or ctx's error to
// those that do not wait so long. fn runs until Close.
func shared[T any](ctx context.Context, d *Deriver, key string, fn func(ctx context.Context) (T, error)) (result T, err error) {
	if !d.begin() {
		return result, context.Canceled
	}
	flight := d.flights.DoChan(key, func() (made any, err error) {
		defer recovered(&err)
		return fn(d.ctx)
	})
	select {
	case done := <-flight:
		d.work.Done()
		if done.Err != nil {
			return result, done.Err
		}
		return done.Val.(T), nil
	case <-ctx.Done():
		go func() {
			<-flight
			d.work.Done()
		}()
		return result, ctx.Err()
	}
}

// recovered turns a panic of the compiler in the background into an error: the process goes on.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("derive: panic: %v\n%s", p, debug.Stack())
	}
}

// acquire is Config.Acquire or Config.AcquireBackground.
type acquire func(ctx context.Context, environmentID string) (release func(), err error)

// run runs fn, which works for an Environment, once it may.
func (a acquire) run(ctx context.Context, environmentID string, fn func() error) error {
	if a == nil {
		return fn()
	}
	release, err := a(ctx, environmentID)
	if err != nil {
		return err
	}
	defer release()
	return fn()
}
