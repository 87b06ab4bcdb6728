// Command report runs the benchmarks one after the other and writes what they measured as one report:
// README.md with the method first, then what was to be reached and where Livery is behind, then every
// figure with its spread and its growth; figures.json; and a plot for each growth. It measures nothing
// itself. A part whose tools are not installed is left out and told; the parts that are not chosen keep
// their last figures.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"example.com/livery/bench/command"
	"example.com/livery/bench/progress"
)

func main() {
	var r run
	flag.StringVar(&r.dir, "dir", "bench/report", "where the report is written")
	flag.StringVar(&r.livery, "livery", "bin/livery", "the built binary")
	flag.BoolVar(&r.quick, "quick", false, "minutes instead of an hour: enough to see that everything works, not to believe the figures")
	flag.BoolVar(&r.write, "write", false, "measure nothing: write the report anew from figures.json")
	only := flag.String("parts", "", "run these parts alone, separated by commas: "+strings.Join(partNames(), ", "))
	flag.Parse()
	command.Run("report", func(ctx context.Context) error { return r.run(ctx, *only) })
}

// run is one run.
type run struct {
	dir, livery  string
	quick, write bool
}

func (r *run) run(ctx context.Context, only string) error {
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		return err
	}
	all, err := readResults(r.dir)
	if err != nil {
		return err
	}
	if !r.write {
		if err := r.measure(ctx, chosen, all); err != nil {
			return err
		}
	}
	return writeReport(r.dir, all)
}

// measure runs the parts and keeps what each gave as soon as it is there. A part that fails keeps its
// last figures; what went wrong is told at the end, when the others have run.
func (r *run) measure(ctx context.Context, chosen []part, all *results) error {
	all.Machine = thisMachine(ctx)
	bar := progress.Start("report", len(chosen))
	defer bar.End()
	var failed []string
	for _, p := range chosen {
		bar.Say(p.name)
		began := time.Now()
		got, err := p.run(ctx, r)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		fmt.Fprintf(os.Stderr, "report: %s took %v\n", p.name, time.Since(began).Round(time.Second))
		bar.Step()
		if err != nil {
			failed = append(failed, fmt.Sprintf("%s: %v", p.name, err))
			continue
		}
		all.Parts[p.name] = got
		if err := all.save(r.dir); err != nil {
			return err
		}
	}
	if len(failed) > 0 {
		if err := writeReport(r.dir, all); err != nil {
			return err
		}
		return fmt.Errorf("%s", strings.Join(failed, "\n"))
	}
	return nil
}
