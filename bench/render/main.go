// Command render measures the renderer, natively: parsing a Theme, compiling its plans, compiling one
// Variant's overlays, and rendering a file from plan and overlay, by the number of tokens, of overrides
// and by file. All cells are measured in turn, several rounds in one run, and told as ratios and as growth
// beside the growth of what they work on, so that what is not linear is seen. It writes a table.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	var b bench
	flag.StringVar(&b.results, "results", "bench/results/render.md", "where the table is written; empty: nowhere")
	flag.StringVar(&b.json, "json", "", "write the figures to this file too")
	flag.IntVar(&b.rounds, "rounds", 7, "how many rounds")
	flag.DurationVar(&b.slice, "slice", 20*time.Millisecond, "how long each cell is measured in each round")
	flag.Parse()
	if err := b.run(); err != nil {
		fmt.Fprintln(os.Stderr, "render:", err)
		os.Exit(1)
	}
}

// bench is one run.
type bench struct {
	results string // empty: the table is not written
	json    string // empty: the figures are not written
	rounds  int
	slice   time.Duration
}

func (b *bench) run() error {
	cells, err := allCells()
	if err != nil {
		return err
	}
	for round := range b.rounds {
		for i := range cells {
			cells[i].measure(b.slice)
		}
		fmt.Fprintf(os.Stderr, "render: round %d of %d\n", round+1, b.rounds)
	}
	text := report(cells, b.rounds)
	fmt.Print(text)
	if err := figuresOf(cells).Write(b.json); err != nil || b.results == "" {
		return err
	}
	return os.WriteFile(b.results, []byte(text), 0o644)
}
