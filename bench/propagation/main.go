//go:build linux

// Command propagation measures how long it takes from the answer to a publish until edges serve the new
// bytes: with 1, 10 and 100 edges on one feed, after the feed was cut off, after the origin was started
// again; and what each edge more costs the origin, from which it estimates what very many would. The
// origin is a process of the built binary, the edges live in this one and share the directory of
// compiled modules. All of them share the machine's cores: many edges at once wait for each other here
// as they would not on machines of their own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"example.com/livery/bench/command"
	"example.com/livery/bench/figures"
	"example.com/livery/bench/progress"
	"example.com/livery/bench/world"
)

func main() {
	b := bench{figures: figures.New("propagation"), edges: command.Counts{1, 10, 100}}
	flag.StringVar(&b.binary, "livery", "bin/livery", "the built binary")
	jsonPath := flag.String("json", "", "write the figures to this file too")
	flag.Var(&b.edges, "edges", "how many edges follow the feed, separated by commas")
	flag.IntVar(&b.publishes, "publishes", 100, "publishes at each number of edges")
	flag.IntVar(&b.outages, "outages", 5, "how often the feed is cut off, and the origin started again")
	flag.DurationVar(&b.cut, "cut", 5*time.Second, "how long the feed is cut off each time")
	flag.IntVar(&b.estimate, "estimate", 10_000, "number of edges for which the origin's work is estimated")
	flag.Parse()
	command.Run("propagation", func(ctx context.Context) error {
		if err := b.run(ctx); err != nil {
			return err
		}
		return b.figures.Write(*jsonPath)
	})
}

// bench is one run.
type bench struct {
	binary    string
	edges     command.Counts
	publishes int
	outages   int
	cut       time.Duration
	estimate  int
	figures   *figures.Set

	dir    string
	origin *world.Origin
	theme  *world.Theme
	token  string
	value  int // of the last publish
	bar    *progress.Bar
	costs  []cost
}

func (b *bench) run(ctx context.Context) (err error) {
	if b.dir, err = os.MkdirTemp("", "livery-propagation-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	if b.origin, err = world.StartOrigin(ctx, b.binary, b.dir, world.AnyCore); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.origin.Stop()) }()
	token, err := os.ReadFile(b.origin.TokenFile())
	if err != nil {
		return err
	}
	b.token = strings.TrimSpace(string(token))
	themes, err := b.origin.Fill(ctx, "spread", 0, 1, world.Size{Tokens: 500, Variants: 1, Versions: 1}, nil)
	if err != nil {
		return err
	}
	b.theme = themes[0]
	b.bar = progress.Start("publishes", len(b.edges)*b.publishes+2*b.outages)
	defer b.bar.End()
	for _, count := range b.edges {
		if err := b.spread(ctx, count); err != nil {
			return fmt.Errorf("%d edges: %w", count, err)
		}
	}
	b.estimateMany()
	fmt.Printf("%s, %d cores, %s/%s\n\n%s", runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, b.figures.Table("edges"))
	return nil
}
