//go:build linux

// Package propagation measures how long it takes from the answer to a publish until edges serve the new
// bytes: with 1, 10 and 100 edges on one feed, after the feed was cut off, after the origin was started
// again; and what each edge more costs the origin, from which it estimates what very many would. The
// origin is a process of the built binary, the edges live in this one and share the directory of
// compiled modules. All of them share the machine's cores: many edges at once wait for each other here
// as they would not on machines of their own.
package propagation

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
	"example.com/livery/bench/internal/world"
)

// Part is the part of the benchmarks.
var Part = frame.Part{
	Name: "propagation", Title: "From a publish to new bytes", Binary: true,
	Quick: []string{"-publishes", "10", "-restarts", "1"},
	New: func(flags *flag.FlagSet) func(context.Context, *frame.Run) error {
		b := bench{edges: frame.Counts{1, 10, 100}}
		flags.Var(&b.edges, "edges", "how many edges follow the feed, separated by commas")
		flags.IntVar(&b.publishes, "publishes", 100, "publishes at each number of edges")
		flags.IntVar(&b.restarts, "restarts", 5, "how often the origin is started again")
		flags.IntVar(&b.estimate, "estimate", 10_000, "number of edges for which the origin's work is estimated")
		return b.run
	},
}

// bench is one run.
type bench struct {
	edges     frame.Counts
	publishes int
	restarts  int
	estimate  int
	figures   *figures.Set

	dir    string
	origin *world.Origin
	theme  *world.Theme
	token  string
	value  int // of the last publish
	bar    *frame.Bar
	costs  []cost
}

func (b *bench) run(ctx context.Context, r *frame.Run) (err error) {
	b.figures, b.dir = r.Figures, r.Dir
	if b.origin, err = world.StartOrigin(ctx, r.Livery, b.dir, world.AnyCore); err != nil {
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
	b.bar = frame.StartBar("publishes", len(b.edges)*b.publishes+b.restarts)
	defer b.bar.End()
	for _, count := range b.edges {
		if err := b.spread(ctx, count); err != nil {
			return fmt.Errorf("%d edges: %w", count, err)
		}
	}
	b.estimateMany()
	return nil
}
