package derive

import (
	"context"
	"fmt"
	"sync"

	"example.com/livery/storage"
	"example.com/livery/storage/record"
	"example.com/livery/wasm"
)

// modules runs the modules of other releases. Nothing is started before the first one is needed,
// which is never on most origins.
type modules struct {
	store storage.Store
	dir   string // of machine code; empty: in memory

	mu      sync.Mutex // guards runtime
	runtime *wasm.Runtime
}

// load returns a runtime that has the module at hand.
func (m *modules) load(ctx context.Context, module record.Hash) (*wasm.Runtime, error) {
	r, err := m.started()
	if err != nil || r.Loaded(string(module)) {
		return r, err
	}
	code, err := m.store.Blob(ctx, module)
	if err != nil {
		return nil, fmt.Errorf("renderer module %s: %w", module, err)
	}
	return r, r.Load(ctx, string(module), code)
}

func (m *modules) started() (*wasm.Runtime, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runtime != nil {
		return m.runtime, nil
	}
	var err error
	m.runtime, err = wasm.NewRuntime(context.Background(), wasm.Config{CacheDir: m.dir, Instances: 1})
	return m.runtime, err
}

func (m *modules) close(ctx context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.runtime == nil {
		return nil
	}
	return m.runtime.Close(ctx)
}
