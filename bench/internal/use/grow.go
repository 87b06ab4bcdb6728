//go:build linux

package use

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/world"
	"golang.org/x/sync/errgroup"
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
	began := time.Now()
	scanned, err := scan(ctx, e, paths)
	took := time.Since(began)
	if err != nil {
		return err
	}
	full, err := e.Resident()
	if err != nil {
		return err
	}
	cached, err := e.Metric(ctx, "livery_edge_cache_bytes")
	if err != nil {
		return err
	}
	add := func(name, unit string, value float64) {
		b.figures.AddOne(figures.Figure{Name: name, Unit: unit, Over: over, At: float64(at)}, value)
	}
	b.figures.AddTimes(figures.Figure{Name: "first request of each address", Over: over, At: float64(at)}, scanned, 0.5, 0.99)
	add("first request of each address", "addresses/s", float64(len(paths))/took.Seconds())
	add("edge resident, empty", "MiB", empty/(1<<20))
	add("edge resident, every address asked for", "MiB", full/(1<<20))
	add("cached", "MiB", cached/(1<<20))
	add("cached an address", "bytes", cached/float64(len(paths)))
	p := newPopularity(len(paths), b.skew, 11)
	t, err := send(ctx, e, b.rate, b.growing, func(int) (string, string) { return paths[p.next()], "gzip" })
	if err = errors.Join(err, t.faults()); err != nil {
		return err
	}
	t.report(b.figures, "", over, float64(at))
	return nil
}

// scan asks for every path once, a few at a time, and returns how long each answer took.
func scan(ctx context.Context, e *world.Edge, paths []string) (figures.Times, error) {
	const atOnce = 4
	took := make(figures.Times, len(paths))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i, path := range paths {
		group.Go(func() error {
			asked := time.Now()
			_, err := fetch(ctx, e.URL()+path)
			took[i] = time.Since(asked)
			return err
		})
	}
	return took, group.Wait()
}
