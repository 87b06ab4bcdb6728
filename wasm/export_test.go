package wasm

import (
	"context"
	"errors"
)

// RenderBothWays renders a request whole and in pieces, on one instance, for tests that compare them.
func (r *Runtime) RenderBothWays(ctx context.Context, digest string, req Request) (whole, pieces []byte, err error) {
	p, err := r.pool(digest)
	if err != nil {
		return nil, nil, err
	}
	j, err := takeApart(req)
	if err != nil {
		return nil, nil, err
	}
	pieces, err = p.work(ctx, func(ctx context.Context) (*instance, error) { return p.take(ctx, j.key) }, p.give,
		func(ctx context.Context, in *instance) ([]byte, error) {
			slot, err := in.hold(ctx, j, r.config.PlanBytes, &r.counts)
			if err != nil {
				return nil, err
			}
			if err := in.write(ctx, j.overlay); err != nil {
				return nil, err
			}
			var wholeErr error
			whole, wholeErr = in.renderWhole(ctx, slot, len(j.overlay))
			pieces, err := in.renderPieces(ctx, slot, len(j.overlay))
			if (err == nil) != (wholeErr == nil) {
				return nil, errors.New("one way refuses what the other takes")
			}
			return pieces, err
		})
	return whole, pieces, err
}

// RecycleFrom sets from how many bytes of memory on the instances of a loaded module are not kept.
func (r *Runtime) RecycleFrom(digest string, memoryBytes int) {
	p, err := r.pool(digest)
	if err != nil {
		panic(err)
	}
	p.recycle = memoryBytes
}

// Working returns how many calls of a loaded module have an instance.
func (r *Runtime) Working(digest string) int {
	p, err := r.pool(digest)
	if err != nil {
		panic(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.busy)
}
