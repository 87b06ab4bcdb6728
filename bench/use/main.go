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
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

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
	b := bench{figures: figures.New("use")}
	flag.StringVar(&b.binary, "livery", "bin/livery", "the built binary")
	jsonPath := flag.String("json", "", "write the figures to this file too")
	only := flag.String("only", "", "measure these alone, separated by commas: zipf, themes, tokens, variants")
	flag.IntVar(&b.themes, "themes", 100, "Themes of the Zipf traffic, each with 10 pairs and 5 files in all versions")
	flag.IntVar(&b.versions, "versions", 20, "versions of each of these Themes")
	flag.Float64Var(&b.skew, "skew", 0.9, "exponent of Zipf's law")
	flag.IntVar(&b.rate, "rate", 1000, "requests a second")
	flag.DurationVar(&b.lasting, "lasting", time.Minute, "how long the Zipf traffic is measured, after half as long that is not counted")
	grown := flag.String("grown", "10,1000,100000", "numbers of Themes between which the edge's growth is measured, separated by commas, each larger than the one before")
	flag.DurationVar(&b.growing, "growing", 10*time.Second, "how long the traffic at each number of Themes lasts")
	flag.Parse()
	var err error
	if b.grown, err = numbers(*grown); err != nil {
		fmt.Fprintln(os.Stderr, "use: -grown:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err = b.run(ctx, strings.FieldsFunc(*only, func(r rune) bool { return r == ',' })); err == nil {
		err = b.figures.Write(*jsonPath)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "use:", err)
		os.Exit(1)
	}
}

// bench is one run.
type bench struct {
	binary           string
	themes, versions int
	skew             float64
	rate             int
	lasting, growing time.Duration
	grown            []int
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

// numbers reads whole numbers above 0, each larger than the one before.
func numbers(list string) (all []int, err error) {
	before := 0
	for _, word := range strings.Split(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n <= before {
			return nil, fmt.Errorf("%q is no whole number above %d", word, before)
		}
		all, before = append(all, n), n
	}
	return all, nil
}
