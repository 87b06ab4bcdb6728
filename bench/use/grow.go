//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.com/livery/bench/figures"
	"example.com/livery/bench/load"
	"example.com/livery/bench/world"
)

// grownCache is the memory of an edge whose growth is measured: all of what is asked for fits.
const grownCache = 2 << 30

// byThemes measures an edge that has been asked for one file of every Theme of ever larger origins.
func (b *bench) byThemes(ctx context.Context) error {
	var themes []*world.Theme
	for _, count := range b.grown {
		more, err := b.fill(ctx, "grown", len(themes), count-len(themes), world.Size{Tokens: 20, Versions: 1, OneFile: true})
		if err != nil {
			return err
		}
		themes = append(themes, more...)
		var paths []string
		for _, t := range themes {
			paths = append(paths, b.origin.Path(t, 0, 0, world.Files[0]))
		}
		if err := b.grow(ctx, "Themes", count, paths); err != nil {
			return err
		}
	}
	return nil
}

// byTokens measures edges that serve one Theme of ever more tokens, with 20 Variants in five files.
func (b *bench) byTokens(ctx context.Context) error {
	for _, tokens := range []int{100, 1000, 10000} {
		if err := b.growOne(ctx, "tokens", tokens, world.Size{Tokens: tokens, Variants: 20, Versions: 1}); err != nil {
			return err
		}
	}
	return nil
}

// byVariants measures edges that serve one Theme with ever more Variants in five files.
func (b *bench) byVariants(ctx context.Context) error {
	for _, variants := range []int{1, 10, 100} {
		if err := b.growOne(ctx, "Variants", variants, world.Size{Tokens: zipfTokens, Variants: variants, Versions: 1}); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) growOne(ctx context.Context, over string, at int, size world.Size) error {
	themes, err := b.fill(ctx, fmt.Sprintf("by-%s-%d", map[string]string{"tokens": "tokens", "Variants": "variants"}[over], at), at, 1, size)
	if err != nil {
		return err
	}
	return b.grow(ctx, over, at, b.addresses(themes))
}

// grow starts a fresh edge, asks it once for every path, then by Zipf's law at the constant rate, and
// adds what came of it as one point of a growth.
func (b *bench) grow(ctx context.Context, over string, at int, paths []string) (err error) {
	e, err := world.StartEdge(ctx, b.origin, b.dir, fmt.Sprintf("edge-%s-%d", over, at), edgeCore, grownCache)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Stop()) }()
	fmt.Fprintf(os.Stderr, "%d %s\n", at, over)
	empty, err := e.Resident()
	if err != nil {
		return err
	}
	scanned, err := scan(ctx, e, paths)
	if err != nil {
		return err
	}
	full, err := e.Resident()
	if err != nil {
		return err
	}
	held, err := e.Metric(ctx, "livery_edge_cache_bytes")
	if err != nil {
		return err
	}
	add := func(name, unit string, value float64) {
		b.figures.AddOne(figures.Figure{Name: name, Unit: unit, Over: over, At: float64(at)}, value)
	}
	add("first request of each address", "p50, ms", inMS(scanned.waits.At(0.5)))
	add("first request of each address", "p99, ms", inMS(scanned.waits.At(0.99)))
	add("first request of each address", "addresses/s", float64(len(paths))/scanned.took.Seconds())
	add("edge resident, empty", "MiB", empty/(1<<20))
	add("edge resident, every address asked for", "MiB", full/(1<<20))
	add("held", "MiB", held/(1<<20))
	add("held an address", "bytes", held/float64(len(paths)))
	p := newPopularity(len(paths), b.skew, 11)
	t, err := send(ctx, e, b.rate, b.growing, func(int) string { return paths[p.next()] })
	if err != nil {
		return err
	}
	t.tell(b.figures, "", over, float64(at))
	return nil
}

// scanned is what came of asking for every address once.
type scanned struct {
	waits load.Waits
	took  time.Duration
}

// scan asks for every path once, a few at a time: each answer is waited for.
func scan(ctx context.Context, e *world.Edge, paths []string) (s scanned, err error) {
	const atOnce = 4
	var next atomic.Int64
	var working sync.WaitGroup
	var mu sync.Mutex // guards s and err
	began := time.Now()
	for range atOnce {
		working.Go(func() {
			var waits load.Waits
			var failed error
			for i := next.Add(1) - 1; i < int64(len(paths)) && failed == nil; i = next.Add(1) - 1 {
				asked := time.Now()
				_, failed = fetch(ctx, e.URL()+paths[i])
				waits = append(waits, time.Since(asked))
			}
			mu.Lock()
			defer mu.Unlock()
			s.waits, err = append(s.waits, waits...), errors.Join(err, failed)
		})
	}
	working.Wait()
	s.took = time.Since(began)
	slices.Sort(s.waits)
	return s, err
}
