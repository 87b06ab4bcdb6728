package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"example.com/livery/bench/figures"
	"example.com/livery/bench/markdown"
	"example.com/livery/wasm"
)

// loads measures how many renders a second one, two and all cores make, in turn.
func (b *bench) loads(ctx context.Context) (table, error) {
	d, err := compile(2000, 50, "lv")
	if err != nil {
		return table{}, err
	}
	counts := []int{1, 2}
	if cores := runtime.GOMAXPROCS(0); cores > 2 {
		counts = append(counts, cores)
	}
	rates, costs := make([][]float64, len(counts)), make([][]float64, len(counts))
	runtimes := make([]*wasm.Runtime, len(counts))
	for i, n := range counts {
		if runtimes[i], err = b.loaded(ctx, n); err != nil {
			return table{}, err
		}
		defer runtimes[i].Close(ctx)
		if err := fill(ctx, runtimes[i], b.digest, d, n); err != nil {
			return table{}, err
		}
	}
	held := make([]byte, heldBytes)
	defer runtime.KeepAlive(held)
	for range b.size.loads {
		for i, n := range counts {
			rate, cost, err := b.load(ctx, runtimes[i], d, n)
			if err != nil {
				return table{}, err
			}
			rates[i], costs[i] = append(rates[i], rate), append(costs[i], cost)
		}
		b.bar.Step()
	}
	t := table{head: []string{"instances at work", "renders a second", "25% to 75%", "times one", "processor time each", "renders a second by that", "reach"}}
	for i, n := range counts {
		reach := ""
		if n == 2 {
			reach = "at least 20,000"
		}
		b.told.AddRounds(figures.Figure{Name: "renders on several instances", Unit: "renders/s", Over: "instances", At: float64(n)}, rates[i])
		t.add(n, markdown.Grouped(int(quantile(rates[i], 0.5))), markdown.Grouped(int(quantile(rates[i], 0.25)))+" to "+markdown.Grouped(int(quantile(rates[i], 0.75))),
			fmt.Sprintf("%.2f", quantile(rates[i], 0.5)/quantile(rates[0], 0.5)), micro(quantile(costs[i], 0.5)),
			markdown.Grouped(int(float64(n)*1e9/quantile(costs[i], 0.5))), reach)
	}
	return t, nil
}

// load renders 2,000 tokens with 50 overrides from n callers at one time and returns renders a second, and
// the nanoseconds of processor time that each took.
func (b *bench) load(ctx context.Context, r *wasm.Runtime, d document, n int) (rate, cost float64, err error) {
	var (
		callers sync.WaitGroup
		done    atomic.Int64
		failed  atomic.Pointer[error]
	)
	began, cpuBegan := time.Now(), cpuTime()
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
	return float64(done.Load()) / time.Since(began).Seconds(), float64(cpuTime()-cpuBegan) / float64(done.Load()), nil
}
