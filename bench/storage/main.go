// Command storage measures the embedded engine: commits under 1, 8 and 64 writers over syncs of
// different length, and what a store of many Themes, pairs and blobs costs to open, to list, to publish
// into and to hold, drawn over its size. Times are of one machine; read them beside each other, not
// alone.
package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"time"

	"example.com/livery/bench/command"
)

func main() {
	var b bench
	flag.DurationVar(&b.each, "each", 3*time.Second, "how long each number of writers commits; 0 leaves commits out")
	flag.IntVar(&b.most.themes, "themes", 100_000, "how many Themes the grown store has at last")
	flag.IntVar(&b.most.pairs, "pairs", 1_000_000, "how many pair records it has at last")
	flag.Int64Var(&b.most.bytes, "bytes", 10<<30, "how many bytes of blobs it has at last; the disk needs twice as much")
	flag.IntVar(&b.points, "points", 10, "at how many sizes it is measured; 0 leaves growth out")
	flag.StringVar(&b.plots, "plots", "", "directory for the curves, as SVG; empty draws none")
	flag.StringVar(&b.figures, "json", "", "file for the figures; empty writes none")
	flag.StringVar(&b.work, "work", os.TempDir(), "directory on the disk to measure; a folder in it is made and removed")
	flag.StringVar(&b.postgres, "postgres", "", "address of a PostgreSQL to measure beside the embedded engine, whose schema must be empty; own starts some of this machine's installation")
	path := flag.String("open", "", "only open the store in this directory and print what that takes, which the growth is measured by")
	flag.Parse()
	run := b.run
	if *path != "" {
		run = func(ctx context.Context) error { return openAlone(ctx, *path, b.most.themes) }
	}
	command.Run("storage", run)
}

// bench is one run.
type bench struct {
	each                           time.Duration
	most                           amount
	points                         int
	plots, figures, work, postgres string
}

func (b *bench) run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp(b.work, "livery-storage-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	r := report{began: time.Now()}
	if b.each > 0 {
		if r.commits, err = b.commit(ctx, dir); err != nil {
			return err
		}
	}
	if b.points > 0 {
		if b.most.themes < b.points || b.most.pairs < b.points {
			return errors.New("-themes and -pairs must be at least -points")
		}
		if r.grown, err = b.grow(ctx, dir); err != nil {
			return err
		}
	}
	if _, err := os.Stdout.WriteString(r.text()); err != nil {
		return err
	}
	return errors.Join(b.draw(r), r.set().Write(b.figures))
}

// draw writes the curves.
func (b *bench) draw(r report) error {
	if b.plots == "" || len(r.grown) == 0 {
		return nil
	}
	for name, chart := range r.charts() {
		if err := os.WriteFile(filepath.Join(b.plots, "storage-"+name+".svg"), chart.SVG(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
