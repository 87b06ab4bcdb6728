package wasm

import (
	"context"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"
)

// MaxModuleBytes is the size past which a module is refused.
const MaxModuleBytes = 16 << 20

// moduleLoad is a module that is loaded or being loaded. ready is closed when pool or err is set.
type moduleLoad struct {
	ready chan struct{}
	pool  *pool
	err   error
}

func (l *moduleLoad) done() bool {
	select {
	case <-l.ready:
		return true
	default:
		return false
	}
}

// Loaded reports whether Render can use the module of that digest. A module that is not used for
// a while is dropped, so the answer may be another at once.
func (r *Runtime) Loaded(digest string) bool {
	_, err := r.pool(digest)
	return err == nil
}

// pool returns the instances of a module, or ErrClosed or ErrNotLoaded.
func (r *Runtime) pool(digest string) (*pool, error) {
	r.mu.Lock()
	l, closed := r.modules[digest], r.closed
	r.mu.Unlock()
	if closed {
		return nil, ErrClosed
	}
	if l == nil || !l.done() || l.err != nil {
		return nil, fmt.Errorf("wasm: module %s: %w", digest, ErrNotLoaded)
	}
	return l.pool, nil
}

// Load compiles a module and keeps it under its digest. It does nothing if the module is loaded,
// and callers that come while it is being loaded share one compilation. The error is ErrDigest if
// the bytes are not those of the digest, ErrModule if the module is too large or does not keep
// the contract, which it says in what, or ErrClosed. If more modules are kept than configured, the
// ones that were unused for the longest time are dropped.
func (r *Runtime) Load(ctx context.Context, digest string, module []byte) error {
	if len(module) > MaxModuleBytes {
		return fmt.Errorf("wasm: load %s: %w: it has %d bytes, more than %d", digest, ErrModule, len(module), MaxModuleBytes)
	}
	if got := Digest(module); got != digest {
		return fmt.Errorf("wasm: load %s: %w: the bytes have the digest %s", digest, ErrDigest, got)
	}
	l, first, err := r.loading(digest)
	if err != nil {
		return err
	}
	if first {
		l.pool, l.err = r.compile(context.WithoutCancel(ctx), digest, module)
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
func (r *Runtime) loading(digest string) (l *moduleLoad, first bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, false, ErrClosed
	}
	if l := r.modules[digest]; l != nil {
		return l, false, nil
	}
	l = &moduleLoad{ready: make(chan struct{})}
	r.modules[digest] = l
	return l, true, nil
}

// settle publishes the outcome; a failure is forgotten, so that the next Load tries again.
func (r *Runtime) settle(digest string, l *moduleLoad) {
	r.mu.Lock()
	if l.err != nil && r.modules[digest] == l {
		delete(r.modules, digest)
	}
	close(l.ready)
	r.mu.Unlock()
	r.dropUnused(time.Now(), digest)
	r.pruneCode(time.Now())
}

// keep looks after the modules until the Runtime is closed: it drops what is unused and takes the
// place of calls that last too long.
func (r *Runtime) keep() {
	every := time.NewTicker(max(min(r.config.Overdue, r.config.ModuleIdle)/4, time.Millisecond))
	defer every.Stop()
	code := time.NewTicker(markCodeEvery)
	defer code.Stop()
	for {
		select {
		case now := <-every.C:
			r.dropUnused(now, "")
			for _, p := range r.pools() {
				p.look(now)
			}
		case now := <-code.C:
			r.pruneCode(now)
		case <-r.quit:
			return
		}
	}
}

// pruneCode keeps the directory of compiled modules within its budget. If that fails, some code too
// much is on disk, and the next turn may delete it.
func (r *Runtime) pruneCode(now time.Time) {
	if r.code == nil {
		return
	}
	r.mu.Lock()
	loaded := slices.Collect(maps.Keys(r.modules))
	r.mu.Unlock()
	_ = r.code.prune(loaded, now)
}

// pools returns the pools of all loaded modules.
func (r *Runtime) pools() []*pool {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []*pool
	for _, l := range r.modules {
		if l.done() && l.err == nil {
			all = append(all, l.pool)
		}
	}
	return all
}

// dropUnused drops the modules that were unused for too long, and the longest unused while there are
// too many. The module named keep stays: it was loaded a moment ago and is about to be used.
func (r *Runtime) dropUnused(now time.Time, keep string) {
	for dropped := false; ; dropped = true {
		p := r.detach(now, keep)
		if p == nil {
			if dropped {
				debug.FreeOSMemory() // a module's code and memory are a third of an idle edge
			}
			return
		}
		r.counts.dropped.Add(1)
		_ = p.free(context.Background()) // nothing is at work in it, so there is nothing to wait for
	}
}

// detach takes one module that is to be dropped out of the table; nil: there is none.
func (r *Runtime) detach(now time.Time, keep string) *pool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	oldest, since := "", now
	for digest, l := range r.modules {
		if digest == keep || !l.done() || l.err != nil {
			continue
		}
		if used, unused := l.pool.unused(); unused && used.Before(since) {
			oldest, since = digest, used
		}
	}
	if oldest == "" || len(r.modules) <= r.config.Modules && now.Sub(since) < r.config.ModuleIdle {
		return nil
	}
	p := r.modules[oldest].pool
	if !p.shutUnused() {
		return nil
	}
	delete(r.modules, oldest)
	return p
}
