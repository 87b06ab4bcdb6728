package derive

import (
	"context"
	"fmt"
	"sync"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
	"example.com/livery/wasm"
)

// guests runs the modules of other releases. Nothing is started before the first one is needed,
// which is never on most origins.
type guests struct {
	store storage.Store
	dir   string // of machine code; empty: in memory

	mu      sync.Mutex // guards runtime
	runtime *wasm.Runtime
}

// load returns a runtime that has the module at hand.
func (g *guests) load(ctx context.Context, module record.Hash) (*wasm.Runtime, error) {
	r, err := g.started()
	if err != nil || r.Loaded(string(module)) {
		return r, err
	}
	code, err := g.store.Blob(ctx, module)
	if err != nil {
		return nil, fmt.Errorf("renderer module %s: %w", module, err)
	}
	return r, r.Load(ctx, string(module), code)
}

func (g *guests) started() (*wasm.Runtime, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.runtime != nil {
		return g.runtime, nil
	}
	var err error
	g.runtime, err = wasm.NewRuntime(context.Background(), wasm.Config{CacheDir: g.dir, Instances: 1})
	return g.runtime, err
}

func (g *guests) close(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.runtime == nil {
		return nil
	}
	return g.runtime.Close(ctx)
}
