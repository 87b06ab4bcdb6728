package wasm

import (
	"context"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// Inspect asks a module for its versions. It interprets the module, so that nothing is compiled.
func Inspect(ctx context.Context, module []byte) (Info, error) {
	engine := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer engine.Close(context.WithoutCancel(ctx))
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, engine); err != nil {
		return Info{}, err
	}
	compiled, err := engine.CompileModule(ctx, module)
	if err != nil {
		return Info{}, err
	}
	in, err := newInstance(ctx, engine, compiled)
	if err != nil {
		return Info{}, err
	}
	return Info{
		ABIVersion: in.info.Version, CoreVersion: in.core, PlanFormat: in.info.PlanFormat, OverlayFormat: in.info.OverlayFormat,
		Toolchain: toolchain(module), Digest: Digest(module), Size: len(module),
	}, nil
}

// RenderOneWay renders a request as Render does, but whole or in pieces as it is told.
func (r *Runtime) RenderOneWay(ctx context.Context, digest string, req Request, whole bool) ([]byte, error) {
	p, err := r.pool(digest)
	if err != nil {
		return nil, err
	}
	j, err := takeApart(req)
	if err != nil {
		return nil, err
	}
	take := func(ctx context.Context) (*instance, error) { return p.take(ctx, j.key) }
	return p.work(ctx, take, p.give, func(ctx context.Context, in *instance) ([]byte, error) {
		plan, err := in.hold(ctx, j, r.config.PlanBytes, &r.counts)
		if err != nil {
			return nil, err
		}
		if err := in.write(ctx, j.overlay); err != nil {
			return nil, err
		}
		if whole {
			return in.renderWhole(ctx, plan.slot, len(j.overlay))
		}
		return in.renderPieces(ctx, plan, j)
	})
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
