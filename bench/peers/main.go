// Command peers measures the renderer beside the tools that teams build tokens with today, Style
// Dictionary and Terrazzo (versions pinned in package.json): the same documents, in turn, in one
// run, so that a slow moment of the machine slows all of them. Read ratios, not times.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func main() {
	var b bench
	flag.StringVar(&b.folder, "folder", "bench/peers", "the folder with the peers' scripts and their node_modules")
	flag.StringVar(&b.corpus, "corpus", "../shared/corpus", "where the documents are")
	flag.StringVar(&b.results, "results", "bench/results/peers.md", "where the tables are written; empty: nowhere")
	flag.StringVar(&b.json, "json", "", "write the figures to this file too")
	flag.IntVar(&b.rounds, "rounds", 5, "how often everything is measured")
	flag.DurationVar(&b.budget, "budget", 6*time.Minute, "after which no further round begins")
	flag.Parse()
	if err := b.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

// bench is one run.
type bench struct {
	folder, corpus, results string
	json                    string // empty: the figures are not written
	rounds                  int
	budget                  time.Duration
}

func (b *bench) run(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(b.folder, "node_modules")); err != nil {
		return fmt.Errorf("the peers are not installed: npm ci --prefix %s installs them", b.folder)
	}
	scratch, err := os.MkdirTemp("", "livery-peers-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	documents, err := b.documents(scratch)
	if err != nil {
		return err
	}
	rounds, err := b.measure(ctx, documents)
	if err != nil {
		return err
	}
	report, err := b.report(documents, rounds)
	if err != nil {
		return err
	}
	fmt.Print(report)
	told, err := b.figuresOf(documents)
	if err != nil {
		return err
	}
	if err := told.Write(b.json); err != nil || b.results == "" {
		return err
	}
	return os.WriteFile(b.results, []byte(report), 0o644)
}

// measure does everything once a round, and returns how many rounds there was time for.
func (b *bench) measure(ctx context.Context, documents []*document) (rounds int, err error) {
	for end := time.Now().Add(b.budget); rounds < b.rounds && (rounds == 0 || time.Now().Before(end)); rounds++ {
		for _, d := range documents {
			if err := d.render(); err != nil {
				return rounds, err
			}
			for i := range peers {
				fmt.Fprintf(os.Stderr, "peers: round %d of %d, %s, %s\n", rounds+1, b.rounds, d.what, peers[i].name)
				if err := d.peers[i].build(ctx, filepath.Join(b.folder, peers[i].script), d.file); err != nil {
					return rounds, fmt.Errorf("%s, %s: %w", d.what, peers[i].name, err)
				}
			}
		}
	}
	return rounds, nil
}
