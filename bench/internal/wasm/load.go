package wasm

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/wasm"
)

// loads measures how many renders a second one, two and all cores make, in turn.
func (b *bench) loads(ctx context.Context) error {
	d, err := compile(2000, 50, "lv")
	if err != nil {
		return err
	}
	counts := []int{1, 2}
	if cores := runtime.GOMAXPROCS(0); cores > 2 {
		counts = append(counts, cores)
	}
	rates, costs := make([][]float64, len(counts)), make([][]float64, len(counts))
	runtimes := make([]*wasm.Runtime, len(counts))
	for i, n := range counts {
		if runtimes[i], err = b.loaded(ctx, n); err != nil {
			return err
		}
		defer runtimes[i].Close(ctx)
		if err := fill(ctx, runtimes[i], b.digest, d, n); err != nil {
			return err
		}
	}
	reserved := make([]byte, reservedBytes)
	defer runtime.KeepAlive(reserved)
	for range b.size.loads {
		for i, n := range counts {
			rate, cost, err := b.load(ctx, runtimes[i], d, n)
			if err != nil {
				return err
			}
			rates[i], costs[i] = append(rates[i], rate), append(costs[i], cost)
		}
		b.bar.Step()
	}
	for i, n := range counts {
		f := figures.Figure{Name: "renders on several instances", Unit: "renders/s", Over: "instances", At: float64(n)}
		b.figures.AddRounds(f, rates[i])
		f.Unit = "µs of processor a render"
		b.figures.AddRounds(f, costs[i])
	}
	return nil
}

// load renders 2,000 tokens with 50 overrides from n callers at one time and returns renders a second, and
// the microseconds of processor time that each took.
func (b *bench) load(ctx context.Context, r *wasm.Runtime, d document, n int) (rate, cost float64, err error) {
	var (
		callers sync.WaitGroup
		done    atomic.Int64
		failed  atomic.Pointer[error]
	)
	began, cpuBegan := time.Now(), figures.ProcessorTime()
	for range n {
		callers.Go(func() {
			for time.Since(began) < b.size.load {
				for range 16 {
					if _, err := r.Render(ctx, b.digest, wasm.Request{Plan: d.plan, Overlay: d.overlay}); err != nil {
						failed.Store(&err)
						return
					}
				}
				done.Add(16)
			}
		})
	}
	callers.Wait()
	if err := failed.Load(); err != nil {
		return 0, 0, *err
	}
	return float64(done.Load()) / time.Since(began).Seconds(), float64((figures.ProcessorTime() - cpuBegan).Nanoseconds()) / 1e3 / float64(done.Load()), nil
}
