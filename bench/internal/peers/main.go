// Package peers measures the renderer beside the tools that teams build tokens with today, Style
// Dictionary and Terrazzo (versions pinned in package.json): the same documents, in turn, in one
// run, so that a slow moment of the machine slows all of them. Read ratios, not times.
package peers

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"example.com/livery/bench/internal/frame"
)

// Part is the part of the benchmarks. Livery makes all five files, the others tokens.css alone. Times are without the start of
// a process unless the row says so. One more brand changes 50 tokens: a peer builds the whole document again, a server
// compiles a brand once.
var Part = frame.Part{
	Name: "peers", Title: "Rendering beside Style Dictionary and Terrazzo",
	Needs: []string{"node", "bench/peers/node_modules", "../shared/corpus"}, Quick: []string{"-rounds", "1"},
	New: func(flags *flag.FlagSet) func(context.Context, *frame.Run) error {
		var b bench
		flags.StringVar(&b.folder, "folder", "bench/peers", "the folder with the peers' scripts and their node_modules")
		flags.StringVar(&b.corpus, "corpus", "../shared/corpus", "where the documents are")
		flags.IntVar(&b.rounds, "rounds", 5, "how often everything is measured")
		flags.DurationVar(&b.budget, "budget", 6*time.Minute, "after which no further round begins")
		return b.run
	},
}

// bench is one run.
type bench struct {
	folder, corpus string
	rounds         int
	budget         time.Duration
}

func (b *bench) run(ctx context.Context, r *frame.Run) error {
	if _, err := os.Stat(filepath.Join(b.folder, "node_modules")); err != nil {
		return fmt.Errorf("the peers are not installed: npm ci --prefix %s installs them", b.folder)
	}
	documents, err := b.documents(r.Dir)
	if err != nil {
		return err
	}
	if err := b.measure(ctx, documents); err != nil {
		return err
	}
	return b.addFigures(r.Figures, documents)
}

// measure does everything once a round, as long as there is time.
func (b *bench) measure(ctx context.Context, documents []*document) error {
	bar := frame.StartBar("builds", b.rounds*len(documents))
	defer bar.End()
	end := time.Now().Add(b.budget)
	for round := 0; round < b.rounds && (round == 0 || time.Now().Before(end)); round++ {
		for _, d := range documents {
			if err := d.render(); err != nil {
				return err
			}
			for i := range peers {
				if err := d.peers[i].build(ctx, filepath.Join(b.folder, peers[i].script), d.file); err != nil {
					return fmt.Errorf("%s, %s: %w", d.what, peers[i].name, err)
				}
			}
			bar.Step()
		}
	}
	return nil
}
