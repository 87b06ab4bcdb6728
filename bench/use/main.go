//go:build linux

// Command use measures the edge as it is used: an origin and an edge of the built binary, far more
// addresses than the edge's memory holds, asked for by Zipf's law at a constant rate, a publish every
// second; how often it hits, how long hits and misses take from when they were due, what it holds. Then
// it measures how an edge grows: with Themes, with tokens, with Variants. The edge has one core, the
// origin and the load share the other.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"example.com/livery/bench/command"
	"example.com/livery/bench/figures"
	"example.com/livery/bench/progress"
	"example.com/livery/bench/world"
)

// The cores of the edge, and of the load and the origin.
const (
	edgeCore = 0
	restCore = 1
)

func main() {
	b := bench{figures: figures.New("use"), grown: command.Counts{10, 1000, 100_000}}
	flag.StringVar(&b.binary, "livery", "bin/livery", "the built binary")
	jsonPath := flag.String("json", "", "write the figures to this file too")
	only := flag.String("only", "", "measure these alone, separated by commas: zipf, themes, tokens, variants")
	flag.IntVar(&b.themes, "themes", 100, "Themes of the Zipf traffic, each with 10 pairs and 5 files in all versions")
	flag.IntVar(&b.versions, "versions", 20, "versions of each of these Themes")
	flag.Float64Var(&b.skew, "skew", 0.9, "exponent of Zipf's law")
	flag.IntVar(&b.rate, "rate", 1000, "requests a second")
	flag.DurationVar(&b.lasting, "lasting", time.Minute, "how long the Zipf traffic is measured, after half as long that is not counted")
	flag.Var(&b.grown, "grown", "numbers of Themes between which the edge's growth is measured, separated by commas")
	flag.DurationVar(&b.growing, "growing", 10*time.Second, "how long the traffic at each number of Themes lasts")
	flag.Parse()
	command.Run("use", func(ctx context.Context) error {
		if err := b.run(ctx, strings.FieldsFunc(*only, func(r rune) bool { return r == ',' })); err != nil {
			return err
		}
		return b.figures.Write(*jsonPath)
	})
}

// bench is one run.
type bench struct {
	binary           string
	themes, versions int
	skew             float64
	rate             int
	lasting, growing time.Duration
	grown            command.Counts
	figures          *figures.Set
	dir              string
	origin           *world.Origin
}

func (b *bench) run(ctx context.Context, only []string) (err error) {
	if runtime.NumCPU() < 2 {
		return fmt.Errorf("the edge and the load need a core each, and there is one")
	}
	if b.dir, err = os.MkdirTemp("", "livery-use-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if b.origin, err = world.StartOrigin(ctx, b.binary, b.dir, restCore); err != nil {
		return err
	}
	defer func() {
		if ended := b.origin.Stop(); err == nil {
			err = ended
		}
	}()
	for _, part := range []struct {
		name string
		run  func(context.Context) error
	}{{"tokens", b.byTokens}, {"variants", b.byVariants}, {"zipf", b.zipf}, {"themes", b.byThemes}} {
		if len(only) > 0 && !slices.Contains(only, part.name) {
			continue
		}
		if err := part.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	fmt.Printf("%s, %d cores, %s/%s\n\n%s", runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, b.table())
	return nil
}

// fill makes Themes and shows how far it is.
func (b *bench) fill(ctx context.Context, prefix string, first, count int, size world.Size) ([]*world.Theme, error) {
	bar := progress.Start("Themes "+prefix, count)
	defer bar.End()
	return b.origin.Fill(ctx, prefix, first, count, size, bar.Step)
}
