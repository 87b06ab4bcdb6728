package wasm

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero"
)

// recycleBytes is the size of linear memory from which an instance is not kept: memory never
// shrinks, and one large document should not hold this much for ever.
const recycleBytes = 96 << 20

// pool holds the instances of one module. An instance is made when it is first needed, and kept for
// the next call unless it failed or grew too large. It may be used concurrently.
type pool struct {
	engine   wazero.Runtime
	compiled wazero.CompiledModule
	slots    chan struct{} // one element for each instance at work
	closed   chan struct{} // closed when no render may begin any more

	mu   sync.Mutex // guards idle
	idle []*instance
}

// newPool compiles nothing; it starts the first instance, so that a module that breaks the contract
// is refused here.
func newPool(ctx context.Context, engine wazero.Runtime, compiled wazero.CompiledModule, size int) (*pool, error) {
	first, err := newInstance(ctx, engine, compiled)
	if err != nil {
		return nil, err
	}
	return &pool{
		engine:   engine,
		compiled: compiled,
		slots:    make(chan struct{}, size),
		closed:   make(chan struct{}),
		idle:     []*instance{first},
	}, nil
}

// render runs one request on an instance of its own. It waits for one until ctx is done; a render
// that has begun is not interrupted.
func (p *pool) render(ctx context.Context, req Request) ([]byte, error) {
	select {
	case p.slots <- struct{}{}:
	case <-p.closed:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, fmt.Errorf("wasm: wait for an instance: %w", context.Cause(ctx))
	}
	defer func() { <-p.slots }()
	ctx = context.WithoutCancel(ctx)
	in, err := p.take(ctx)
	if err != nil {
		return nil, fmt.Errorf("wasm: %w: %w", ErrFailed, err)
	}
	file, err := in.renderFile(ctx, req)
	if refused := (*RefusedError)(nil); err == nil || errors.As(err, &refused) {
		p.give(ctx, in)
		return file, err
	}
	_ = in.module.Close(ctx)
	return nil, fmt.Errorf("wasm: %w: %w", ErrFailed, err)
}

// take returns the instance that was used last, which holds the Theme that is asked for most
// likely, or a new one.
func (p *pool) take(ctx context.Context) (*instance, error) {
	p.mu.Lock()
	if n := len(p.idle); n > 0 {
		in := p.idle[n-1]
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		return in, nil
	}
	p.mu.Unlock()
	return newInstance(ctx, p.engine, p.compiled)
}

func (p *pool) give(ctx context.Context, in *instance) {
	if in.memoryBytes() >= recycleBytes {
		_ = in.module.Close(ctx)
		return
	}
	p.mu.Lock()
	p.idle = append(p.idle, in)
	p.mu.Unlock()
}

// drain waits for the renders at work and lets no other begin.
func (p *pool) drain() {
	close(p.closed)
	for range cap(p.slots) {
		p.slots <- struct{}{}
	}
}
