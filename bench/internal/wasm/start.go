package wasm

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/wasm"
)

// starting measures how long it takes until a file can be rendered.
func (b *bench) starting(ctx context.Context) error {
	var cold, coldCPU, cached, cachedCPU, instance, hit, miss figures.Times
	for i := range b.size.starts {
		dir := filepath.Join(b.dir, fmt.Sprint("start", i))
		took, used, _, err := b.start(ctx, dir)
		if err != nil {
			return err
		}
		cold, coldCPU = append(cold, took), append(coldCPU, used)
		for range 3 {
			took, used, stats, err := b.start(ctx, dir)
			if err != nil {
				return err
			}
			cached, cachedCPU = append(cached, took), append(cachedCPU, used)
			instance = append(instance, stats.StartTime/time.Duration(stats.Started))
		}
		b.bar.Step()
	}
	if err := b.opening(ctx, &hit, &miss); err != nil {
		return err
	}
	for _, of := range []struct {
		name, unit string
		took       figures.Times
	}{
		{"compile, cache empty", "ms", cold},
		{"compile, cache empty", "ms of processor", coldCPU},
		{"start from the cache", "ms", cached},
		{"start from the cache", "ms of processor", cachedCPU},
		{"one instance of a start", "ms", instance},
		{"first render of a 2,000-token plan", "ms", miss},
		{"every other render of the Theme alone", "ms", hit},
	} {
		b.figures.AddRounds(figures.Figure{Name: of.name, Unit: of.unit}, of.took.Milliseconds())
	}
	return nil
}

// start starts a Runtime over a cache directory and stops it again. It returns how long the start took, and
// how much processor time.
func (b *bench) start(ctx context.Context, dir string) (took, used time.Duration, stats wasm.Stats, err error) {
	began, cpuBegan := time.Now(), figures.ProcessorTime()
	r, err := wasm.NewRuntime(ctx, wasm.Config{CacheDir: dir})
	if err != nil {
		return 0, 0, wasm.Stats{}, err
	}
	err = r.Load(ctx, b.digest, b.module)
	took, used, stats = time.Since(began), figures.ProcessorTime()-cpuBegan, r.Stats()
	if closeErr := r.Close(ctx); err == nil {
		err = closeErr
	}
	return took, used, stats, err
}

// opening measures the first render of a plan and the ones after it.
func (b *bench) opening(ctx context.Context, hit, miss *figures.Times) error {
	r, err := b.loaded(ctx, 1)
	if err != nil {
		return err
	}
	defer r.Close(ctx)
	for i := range 50 {
		d, err := compile(2000, 1, fmt.Sprint("p", i))
		if err != nil {
			return err
		}
		for n := range 10 {
			began := time.Now()
			if _, err := r.Render(ctx, b.digest, wasm.Request{Plan: d.plan}); err != nil {
				return err
			}
			if took := time.Since(began); n == 0 {
				*miss = append(*miss, took)
			} else {
				*hit = append(*hit, took)
			}
		}
	}
	return nil
}

// loaded returns a Runtime that has the module, for the given number of calls at one time.
func (b *bench) loaded(ctx context.Context, instances int) (*wasm.Runtime, error) {
	r, err := wasm.NewRuntime(ctx, wasm.Config{CacheDir: filepath.Join(b.dir, "cache"), Instances: instances})
	if err != nil {
		return nil, err
	}
	if err := r.Load(ctx, b.digest, b.module); err != nil {
		_ = r.Close(ctx)
		return nil, err
	}
	return r, nil
}
