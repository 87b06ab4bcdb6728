// Command storage measures the embedded engine: commits under 1, 8 and 64 writers over syncs of
// different length, and what a store of many Themes and pairs costs to open, to list and to hold.
// Times are of one shared machine; read them beside each other, not alone.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"
)

func main() {
	var b bench
	flag.DurationVar(&b.each, "each", 3*time.Second, "how long each number of writers commits")
	flag.IntVar(&b.themes, "themes", 100_000, "how many Themes the grown store has at last")
	flag.IntVar(&b.pairs, "pairs", 1_000_000, "how many pair records it has at last")
	flag.StringVar(&b.postgres, "postgres", "", "address of a PostgreSQL to measure beside the embedded engine; its schema must be empty")
	flag.Parse()
	if err := b.run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "storage:", err)
		os.Exit(1)
	}
}

// bench is one run.
type bench struct {
	each          time.Duration
	themes, pairs int
	postgres      string
}

func (b *bench) run(ctx context.Context, out io.Writer) error {
	_, _ = fmt.Fprintf(out, "# Storage\n\n%s, %d cores, %s/%s, %s. `go run ./bench/storage`\n\n", runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, time.Now().Format(time.DateOnly))
	dir, err := os.MkdirTemp("", "livery-storage-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	return errors.Join(b.commits(ctx, out, dir), b.grow(ctx, out, dir))
}
