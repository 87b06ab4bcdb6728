// Package wasm measures the WebAssembly runtime on one machine: what starting costs, and what one
// render costs beside the same render in native code.
// Everything that is compared is measured in turn in one run; times are of that machine, so read the ratios.
package wasm

import (
	"context"
	"flag"
	"fmt"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
	"example.com/livery/wasm"
)

// Part is the part of the benchmarks. Times are processor time with the collector's included. A render opens the overlay and
// makes new bytes of tokens.css, as an edge does; "native, same buffer" overwrites one buffer again and again.
var Part = frame.Part{
	Name: "runtime", Title: "The renderer in WebAssembly",
	Quick: []string{"-rounds", "6"},
	New: func(flags *flag.FlagSet) func(context.Context, *frame.Run) error {
		b := bench{size: full}
		flags.Var(&b.only, "only", "measure these alone, separated by commas: starting, renders")
		flags.IntVar(&b.size.rounds, "rounds", b.size.rounds, "rounds of each render")
		return b.run
	},
}

// reservedBytes is how much lies on the heap while files are rendered. Without it, the collector would run every few dozen
// renders of a large file, as it does not in an edge that has a cache.
const reservedBytes = 128 << 20

// bench is one run.
type bench struct {
	size    size
	only    frame.Words
	dir     string // of compiled modules
	module  []byte
	digest  string
	bar     *frame.Bar
	figures *figures.Set
}

// size is how much is measured.
type size struct {
	starts    int           // rounds of starting
	rounds    int           // of each render
	slice     time.Duration // of one round of one way to render
	tokens    []int
	overrides []int
}

var full = size{
	starts: 5, rounds: 30, slice: 4 * time.Millisecond,
	tokens: []int{500, 2000, 10000}, overrides: []int{1, 10, 50, 200, 1000},
}

func (b *bench) run(ctx context.Context, r *frame.Run) error {
	module, err := wasm.Guest()
	if err != nil {
		return err
	}
	b.module, b.digest, b.dir, b.figures = module, wasm.Digest(module), r.Dir, r.Figures
	b.bar = frame.StartBar("rounds", b.size.starts+b.size.rounds*len(b.cases()))
	defer b.bar.End()
	for _, part := range []struct {
		name string
		run  func(context.Context) error
	}{{"starting", b.starting}, {"renders", b.renders}} {
		if !b.only.Choose(part.name) {
			continue
		}
		if err := part.run(ctx); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	return nil
}
