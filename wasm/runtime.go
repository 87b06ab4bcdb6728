// Package wasm hosts renderer modules: it compiles a module once, with a cache on disk, keeps a
// pool of instances for each module digest, and renders files in them. An instance has no file
// system, network, clock or environment, and a limit on its memory; one that failed in any way is
// thrown away. The contract with the module is package abi.
package wasm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"example.com/livery/wasm/abi"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// The errors that callers branch on.
var (
	ErrNotLoaded = errors.New("the renderer module is not loaded")
	ErrClosed    = errors.New("the renderer runtime is closed")
	ErrDigest    = errors.New("the renderer module is not the one its digest names")
	ErrTooLarge  = errors.New("the document is too large to render")
	ErrFailed    = errors.New("the renderer module failed") // trapped, ran out of memory or broke the contract
)

// RefusedError is a module's refusal of its input. The same input is always refused.
type RefusedError struct {
	Status   abi.Status
	Position int // of the fault in the text that Status names, in bytes
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("wasm: %s (byte %d)", e.Status, e.Position)
}

// Config configures a Runtime. The zero value is usable.
type Config struct {
	CacheDir  string // compiled modules are kept here and may be shared between processes; empty: in memory only
	Instances int    // renders at one time for each module; 0: one for each processor and a spare
}

// Request names one file and what it is made from.
type Request struct {
	Theme     []byte // the document, JSON
	Overrides []byte // a flat JSON object, or empty for the Theme alone
	Prefix    string // of custom properties; empty: none
	File      abi.File
}

// Runtime compiles modules and renders with them. It may be used concurrently.
type Runtime struct {
	engine    wazero.Runtime
	cache     wazero.CompilationCache
	cacheDir  string
	instances int
	large     chan struct{} // one element while a large document is rendered

	mu      sync.Mutex // guards modules and closed
	modules map[string]*loading
	closed  bool
}

// loading is a module that is loaded or being loaded. ready is closed when pool or err is set.
type loading struct {
	ready chan struct{}
	pool  *pool
	err   error
}

// NewRuntime makes a Runtime. It fails where this machine has no compiler: interpreted, modules are
// some forty times slower, which nobody should find out in production.
func NewRuntime(ctx context.Context, c Config) (*Runtime, error) {
	cache := wazero.NewCompilationCache()
	if c.CacheDir != "" {
		onDisk, err := wazero.NewCompilationCacheWithDir(c.CacheDir)
		if err != nil {
			return nil, fmt.Errorf("wasm: cache directory: %w", err)
		}
		cache = onDisk
	}
	engine, err := newEngine(ctx, cache)
	if err == nil {
		_, err = wasi_snapshot_preview1.Instantiate(ctx, engine)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("wasm: start: %w", err), cache.Close(ctx))
	}
	if c.Instances <= 0 {
		c.Instances = runtime.GOMAXPROCS(0) + 1
	}
	return &Runtime{
		engine:    engine,
		cache:     cache,
		cacheDir:  c.CacheDir,
		instances: c.Instances,
		large:     make(chan struct{}, 1),
		modules:   map[string]*loading{},
	}, nil
}

// newEngine names the compiler explicitly; wazero panics where it has none for the machine.
func newEngine(ctx context.Context, cache wazero.CompilationCache) (engine wazero.Runtime, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("there is no WebAssembly compiler for %s/%s: %v", runtime.GOOS, runtime.GOARCH, reason)
		}
	}()
	config := wazero.NewRuntimeConfigCompiler().WithCompilationCache(cache).WithMemoryLimitPages(memoryPages)
	return wazero.NewRuntimeWithConfig(ctx, config), nil
}

// Loaded reports whether Render can use the module of that digest.
func (r *Runtime) Loaded(digest string) bool {
	r.mu.Lock()
	l := r.modules[digest]
	r.mu.Unlock()
	return l != nil && l.done() && l.err == nil
}

func (l *loading) done() bool {
	select {
	case <-l.ready:
		return true
	default:
		return false
	}
}

// Load compiles a module and keeps it under its digest. It does nothing where the module is loaded,
// and callers that come while it is being loaded share one compilation. The error is ErrDigest where
// the bytes are not those of the digest, ErrClosed, or says where the module breaks the contract.
func (r *Runtime) Load(ctx context.Context, digest string, module []byte) error {
	if Digest(module) != digest {
		return fmt.Errorf("wasm: load %s: %w", digest, ErrDigest)
	}
	l, first, err := r.loading(digest)
	if err != nil {
		return err
	}
	if first {
		l.pool, l.err = r.compile(context.WithoutCancel(ctx), module)
		r.settle(digest, l)
	}
	select {
	case <-l.ready:
	case <-ctx.Done():
		return fmt.Errorf("wasm: load %s: %w", digest, context.Cause(ctx))
	}
	if l.err != nil {
		return fmt.Errorf("wasm: load %s: %w", digest, l.err)
	}
	return nil
}

// loading returns the entry of a digest; first tells the caller to load it.
func (r *Runtime) loading(digest string) (l *loading, first bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, false, ErrClosed
	}
	if l := r.modules[digest]; l != nil {
		return l, false, nil
	}
	l = &loading{ready: make(chan struct{})}
	r.modules[digest] = l
	return l, true, nil
}

// settle publishes the outcome; a failure is forgotten, so that the next Load tries again.
func (r *Runtime) settle(digest string, l *loading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l.err != nil {
		delete(r.modules, digest)
	}
	close(l.ready)
}

func (r *Runtime) compile(ctx context.Context, module []byte) (*pool, error) {
	ctx = experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0))
	compiled, err := r.engine.CompileModule(ctx, module)
	if err != nil && r.cacheDir != "" { // the reason may be a damaged file in the cache
		if clearFiles(r.cacheDir) == nil {
			compiled, err = r.engine.CompileModule(ctx, module)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	p, err := newPool(ctx, r.engine, compiled, r.instances)
	if err != nil {
		return nil, errors.Join(err, compiled.Close(ctx))
	}
	return p, nil
}

// clearFiles deletes the files of the cache and keeps its directories.
func clearFiles(dir string) error {
	return filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return os.Remove(path)
	})
}

// largeBytes is the size of an input from which only one is rendered at a time in a Runtime: it may
// need more memory than all others together.
const largeBytes = 2 << 20

// Render renders one file with the module of that digest. The errors are ErrNotLoaded, ErrTooLarge,
// ErrClosed, a *RefusedError, ErrFailed where the module did not survive its input, or ctx's while
// waiting for an instance; a render that has begun is not interrupted.
func (r *Runtime) Render(ctx context.Context, digest string, req Request) ([]byte, error) {
	size := len(req.Theme) + len(req.Overrides) + len(req.Prefix)
	if size > abi.MaxInputBytes {
		return nil, fmt.Errorf("wasm: render: %w", ErrTooLarge)
	}
	r.mu.Lock()
	l, closed := r.modules[digest], r.closed
	r.mu.Unlock()
	if closed {
		return nil, ErrClosed
	}
	if l == nil || !l.done() || l.err != nil {
		return nil, fmt.Errorf("wasm: render with %s: %w", digest, ErrNotLoaded)
	}
	if size >= largeBytes {
		select {
		case r.large <- struct{}{}:
			defer func() { <-r.large }()
		case <-ctx.Done():
			return nil, fmt.Errorf("wasm: wait for another large document: %w", context.Cause(ctx))
		}
	}
	return l.pool.render(ctx, req)
}

// Close waits for renders and loads at work, and frees all modules. The Runtime is unusable then.
func (r *Runtime) Close(ctx context.Context) error {
	r.mu.Lock()
	already := r.closed
	r.closed = true
	modules := r.modules
	r.modules = map[string]*loading{}
	r.mu.Unlock()
	if already {
		return nil
	}
	for _, l := range modules {
		<-l.ready
		if l.err == nil {
			l.pool.drain()
		}
	}
	return errors.Join(r.engine.Close(ctx), r.cache.Close(ctx))
}
