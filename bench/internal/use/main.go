//go:build linux

// Package use measures the edge as it is used: an origin and an edge of the built binary, far more
// addresses than the edge's memory holds, asked for by Zipf's law at a constant rate, a publish every
// second; how often it hits, how long hits and misses take from when they were due, what it holds. Then
// it measures how an edge grows: with Themes, with tokens, with Variants. The edge has one core, the
// origin and the load share the other.
package use

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
	"example.com/livery/bench/internal/world"
)

// The cores of the edge, and of the load and the origin.
const (
	edgeCore = 0
	restCore = 1
)

// Part is the part of the benchmarks.
var Part = frame.Part{
	Name: "use", Title: "The edge as it is used", Binary: true,
	Quick: []string{"-themes", "20", "-versions", "5", "-lasting", "8s", "-growing", "2s", "-grown", "10,100,1000", "-rate", "300"},
	New: func(flags *flag.FlagSet) func(context.Context, *frame.Run) error {
		b := bench{grown: frame.Counts{10, 1000, 100_000}}
		flags.Var(&b.only, "only", "measure these alone, separated by commas: zipf, themes, tokens, variants")
		flags.IntVar(&b.themes, "themes", 100, "Themes of the Zipf traffic, each with 10 pairs and 5 files in all versions")
		flags.IntVar(&b.versions, "versions", 20, "versions of each of these Themes")
		flags.Float64Var(&b.skew, "skew", 0.9, "exponent of Zipf's law")
		flags.IntVar(&b.rate, "rate", 1000, "requests a second")
		flags.DurationVar(&b.lasting, "lasting", time.Minute, "how long the Zipf traffic is measured, after half as long that is not counted")
		flags.Var(&b.grown, "grown", "numbers of Themes between which the edge's growth is measured, separated by commas")
		flags.DurationVar(&b.growing, "growing", 10*time.Second, "how long the traffic at each number of Themes lasts")
		return b.run
	},
}

// bench is one run.
type bench struct {
	only             frame.Words
	themes, versions int
	skew             float64
	rate             int
	lasting, growing time.Duration
	grown            frame.Counts
	figures          *figures.Set
	dir              string
	origin           *world.Origin
}

func (b *bench) run(ctx context.Context, r *frame.Run) (err error) {
	if runtime.NumCPU() < 2 {
		return fmt.Errorf("the edge and the load need a core each, and there is one")
	}
	b.figures, b.dir = r.Figures, r.Dir
	if b.origin, err = world.StartOrigin(ctx, r.Livery, b.dir, restCore); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.origin.Stop()) }()
	for _, part := range []struct {
		name string
		run  func(context.Context) error
	}{{"tokens", b.byTokens}, {"variants", b.byVariants}, {"zipf", b.zipf}, {"themes", b.byThemes}} {
		if !b.only.Choose(part.name) {
			continue
		}
		if err := part.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}

// fill makes Themes and shows how far it is.
func (b *bench) fill(ctx context.Context, prefix string, first, count int, size world.Size) ([]*world.Theme, error) {
	bar := frame.StartBar("Themes "+prefix, count)
	defer bar.End()
	return b.origin.Fill(ctx, prefix, first, count, size, bar.Step)
}
