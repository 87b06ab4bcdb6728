package wasm

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

// engine is a compiled module with the runtime that it runs in, which is its own: the code of one
// module can be cached, counted and deleted apart from that of the others.
type engine struct {
	runtime  wazero.Runtime
	cache    wazero.CompilationCache
	compiled wazero.CompiledModule
}

// newEngine makes the runtime of a module that is not compiled yet.
func newEngine(ctx context.Context, cache wazero.CompilationCache) (*engine, error) {
	started, err := newRuntime(ctx, cache)
	if err == nil {
		_, err = wasi_snapshot_preview1.Instantiate(ctx, started)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("wasm: start: %w", err), cache.Close(ctx))
	}
	return &engine{runtime: started, cache: cache}, nil
}

// newRuntime names the compiler explicitly; wazero panics if it has none for the machine.
func newRuntime(ctx context.Context, cache wazero.CompilationCache) (started wazero.Runtime, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("there is no WebAssembly compiler for %s/%s: %v", runtime.GOOS, runtime.GOARCH, reason)
		}
	}()
	config := wazero.NewRuntimeConfigCompiler().WithCompilationCache(cache).WithMemoryLimitPages(compileMemory / pageBytes)
	return wazero.NewRuntimeWithConfig(ctx, config), nil
}

func (e *engine) compile(ctx context.Context, module []byte) (err error) {
	ctx = experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0))
	e.compiled, err = e.runtime.CompileModule(ctx, module)
	return err
}

// close frees the code. Nothing may run in it any more.
func (e *engine) close(ctx context.Context) error {
	return errors.Join(e.runtime.Close(ctx), e.cache.Close(ctx))
}

// compile makes a module ready to run. If its code on disk may be damaged, which the engine does not
// tell apart from a module that is none, it is deleted and made anew.
func (r *Runtime) compile(ctx context.Context, digest string, module []byte) (*pool, error) {
	e, err := r.compileOnce(ctx, digest, module)
	if err != nil && r.code != nil && r.code.clear(digest) == nil {
		e, err = r.compileOnce(ctx, digest, module)
	}
	if err != nil {
		if r.code != nil {
			_ = r.code.clear(digest)
			r.code.forget(digest)
		}
		return nil, fmt.Errorf("%w: compile: %w", ErrModule, err)
	}
	p, err := newPool(ctx, r, e)
	if err != nil {
		return nil, errors.Join(err, e.close(ctx))
	}
	return p, nil
}

func (r *Runtime) compileOnce(ctx context.Context, digest string, module []byte) (*engine, error) {
	cache := wazero.NewCompilationCache()
	if r.code != nil {
		cached, err := r.code.open(digest)
		if err != nil {
			return nil, err
		}
		cache = cached
	}
	e, err := newEngine(ctx, cache)
	if err != nil {
		return nil, err
	}
	if err := e.compile(ctx, module); err != nil {
		return nil, errors.Join(err, e.close(ctx))
	}
	return e, nil
}
