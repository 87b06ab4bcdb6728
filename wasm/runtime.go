// Package wasm hosts renderer modules: it compiles a module once, with a cache on disk, keeps a
// pool of instances for each module digest, and renders files in them from plans and overlays
// (package renderer/plan). An instance has no file system, network, clock or environment, and a
// limit on its memory; one that failed in any way is thrown away. The contract with the module is
// package abi.
//
// A call of a module cannot be interrupted, and Go's collector waits for it, so everything in a
// module has to end by itself soon: rendering costs no more than the overlay's edits and the
// file's bytes, both bounded before it begins; compiling is bounded by the input's size and by the
// renderer's own limits. A module that loops for ever would in the end stop this process; the one
// guard against that is to load no module that is not a renderer. What the host can do it does: a
// call that takes too long is counted, and its place is given to a new instance.
package wasm

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"example.com/livery/wasm/abi"
	"github.com/tetratelabs/wazero"
)

// The errors that callers branch on.
var (
	ErrNotLoaded = errors.New("the renderer module is not loaded")
	ErrClosed    = errors.New("the renderer runtime is closed")
	ErrDigest    = errors.New("the renderer module is not the one its digest names")
	ErrModule    = errors.New("the renderer module is refused") // it does not keep the contract
	ErrTooLarge  = errors.New("the document or its file is too large to render")
	ErrFailed    = errors.New("the renderer module failed") // trapped, ran out of memory or broke the contract
)

// RefusedError is a module's refusal of its input. The same input is always refused. It is
// ErrTooLarge if the status says so.
type RefusedError struct {
	Status   abi.Status
	Position int // of the fault in the text that Status names, in bytes
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("wasm: %s (byte %d)", e.Status, e.Position)
}

// Is reports whether e is target's kind of refusal.
func (e *RefusedError) Is(target error) bool {
	return target == ErrTooLarge && e.Status == abi.StatusTooLarge
}

// Config configures a Runtime. The zero value is usable.
type Config struct {
	CacheDir    string        // compiled modules are kept here and may be shared between processes; empty: in memory only
	CodeBytes   int64         // disk for these, those apart that were used in the last 20 minutes; 0: 512 MiB
	Instances   int           // calls at one time for each module; one more instance stands by; 0: one for each processor
	PlanBytes   int           // of the plans that one instance holds, a single larger one apart; 0: 32 MiB
	MemoryBytes int64         // linear memory of all instances from which on those with more than their share are not kept; 0: no bound
	Modules     int           // kept at one time, as far as the rest is unused; 0: 8
	ModuleIdle  time.Duration // a module that was unused for so long is dropped; 0: a minute. Loading it again takes some 70 ms of CPU
	Overdue     time.Duration // a render that takes longer loses its place to a new instance; 0: 5 seconds
}

func (c Config) complete() Config {
	c.CodeBytes = orElse(c.CodeBytes, 512<<20)
	c.Instances = orElse(c.Instances, runtime.GOMAXPROCS(0))
	c.PlanBytes = orElse(c.PlanBytes, 32<<20)
	c.Modules = orElse(c.Modules, 8)
	c.ModuleIdle = orElse(c.ModuleIdle, time.Minute)
	c.Overdue = orElse(c.Overdue, 5*time.Second)
	return c
}

func orElse[T int | int64 | time.Duration](set, standard T) T {
	if set <= 0 {
		return standard
	}
	return set
}

// Runtime compiles modules and renders with them. It may be used concurrently.
type Runtime struct {
	code   *codeDir // nil: compiled modules are kept in memory only
	config Config
	counts counts
	large  chan struct{} // one element while a large document is compiled
	quit   chan struct{} // closed by Close
	keeper sync.WaitGroup

	mu      sync.Mutex // guards modules and closed
	modules map[string]*moduleLoad
	closed  bool
}

// NewRuntime makes a Runtime. It fails if this machine has no compiler: interpreted, modules are
// some forty times slower, which no operator should find out in production.
func NewRuntime(ctx context.Context, c Config) (*Runtime, error) {
	probe, err := newEngine(ctx, wazero.NewCompilationCache())
	if err == nil {
		err = probe.close(ctx)
	}
	if err != nil {
		return nil, err
	}
	r := &Runtime{
		config:  c.complete(),
		large:   make(chan struct{}, 1),
		quit:    make(chan struct{}),
		modules: map[string]*moduleLoad{},
	}
	if c.CacheDir != "" {
		if r.code, err = openCodeDir(c.CacheDir, r.config.CodeBytes); err != nil {
			return nil, fmt.Errorf("wasm: cache directory: %w", err)
		}
	}
	r.keeper.Go(r.keep)
	return r, nil
}

// Close lets no other call begin, waits for calls and loads at work, and frees all modules. The
// Runtime is unusable then. If ctx is done while a call is still at work, Close returns its error
// and frees nothing that the call may use.
func (r *Runtime) Close(ctx context.Context) error {
	r.mu.Lock()
	already := r.closed
	r.closed = true
	modules := r.modules
	r.modules = map[string]*moduleLoad{}
	r.mu.Unlock()
	if already {
		return nil
	}
	close(r.quit)
	r.keeper.Wait()
	for _, l := range modules {
		<-l.ready
		if l.err == nil {
			l.pool.shut(ErrClosed)
		}
	}
	for digest, l := range modules {
		if l.err != nil {
			continue
		}
		if err := l.pool.free(ctx); err != nil {
			return fmt.Errorf("wasm: close: module %s: %w", digest, err)
		}
	}
	return nil
}
