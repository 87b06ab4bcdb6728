// Package render measures the renderer, natively: parsing a Theme, compiling its plans, compiling one Variant's overlays,
// and rendering a file from plan and overlay, by the number of tokens, of overrides and by file. All cells are measured in
// turn, several rounds in one run.
package render

import (
	"context"
	"flag"
	"time"

	"example.com/livery/bench/internal/frame"
)

// Part is the part of the benchmarks.
var Part = frame.Part{
	Name: "render", Title: "The renderer, native",
	Quick: []string{"-rounds", "3", "-slice", "5ms"},
	New: func(flags *flag.FlagSet) func(context.Context, *frame.Run) error {
		rounds := flags.Int("rounds", 7, "how many rounds")
		slice := flags.Duration("slice", 20*time.Millisecond, "how long each cell is measured in each round")
		return func(ctx context.Context, r *frame.Run) error { return run(ctx, r, *rounds, *slice) }
	},
}

func run(ctx context.Context, r *frame.Run, rounds int, slice time.Duration) error {
	cells, err := allCells()
	if err != nil {
		return err
	}
	bar := frame.StartBar("rounds", rounds)
	defer bar.End()
	for range rounds {
		for i := range cells {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			cells[i].measure(slice)
		}
		bar.Step()
	}
	addFigures(r.Figures, cells)
	return nil
}
