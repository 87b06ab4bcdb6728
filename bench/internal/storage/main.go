// Package storage measures the stores: commits under 1, 8 and 64 writers over syncs of different length, and what a store
// of many Themes, pairs and blobs costs to open, to list, to publish into and to keep, over its size.
package storage

import (
	"context"
	"errors"
	"flag"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
)

// Part is the part of the benchmarks.
var Part = frame.Part{
	Name: "storage", Title: "The store",
	Report: []string{"-each", "2s", "-points", "5", "-themes", "20000", "-pairs", "200000", "-bytes", "1073741824"},
	Quick:  []string{"-each", "300ms", "-points", "2", "-themes", "500", "-pairs", "5000", "-bytes", "33554432"},
	New: func(flags *flag.FlagSet) func(context.Context, *frame.Run) error {
		var b bench
		flags.DurationVar(&b.each, "each", 3*time.Second, "how long each number of writers commits; 0 leaves commits out")
		flags.IntVar(&b.most.themes, "themes", 100_000, "how many Themes the grown store has at last")
		flags.IntVar(&b.most.pairs, "pairs", 1_000_000, "how many pair records it has at last")
		flags.Int64Var(&b.most.bytes, "bytes", 10<<30, "how many bytes of blobs it has at last; the disk needs twice as much")
		flags.IntVar(&b.points, "points", 10, "at how many sizes it is measured; 0 leaves growth out")
		flags.StringVar(&b.postgres, "postgres", "", "address of a PostgreSQL to measure beside the embedded engine, whose schema must be empty; own starts some of this machine's installation")
		path := flags.String("open", "", "only open the store in this directory and print what that takes, which the growth is measured by")
		return func(ctx context.Context, r *frame.Run) error {
			if *path != "" {
				return openAlone(ctx, *path, b.most.themes)
			}
			b.figures = r.Figures
			return b.run(ctx, r.Dir)
		}
	},
}

// bench is one run.
type bench struct {
	each     time.Duration
	most     amount
	points   int
	postgres string
	figures  *figures.Set
}

func (b *bench) run(ctx context.Context, dir string) error {
	if b.each > 0 {
		if err := b.commit(ctx, dir); err != nil {
			return err
		}
	}
	if b.points == 0 {
		return nil
	}
	if b.most.themes < b.points || b.most.pairs < b.points {
		return errors.New("-themes and -pairs must be at least -points")
	}
	return b.grow(ctx, dir)
}
