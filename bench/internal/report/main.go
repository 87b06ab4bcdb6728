// Package report runs the benchmarks one after the other and writes what they measured as one report:
// README.md with the method first, then what was to be reached and in what Livery is behind, then every
// figure with its spread and its growth; figures.json; and a plot for each growth. It measures nothing
// itself. A part whose tools are not installed is left out and named; the parts that are not chosen keep
// their last figures.
package report

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"example.com/livery/bench/internal/frame"
)

// run is one run.
type run struct {
	parts        []frame.Part
	only         frame.Words
	dir, livery  string
	quick, write bool
	scratch      string
}

// Run measures parts with the arguments of the command line and writes the report.
func Run(ctx context.Context, parts []frame.Part, arguments []string) error {
	r := run{parts: parts}
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	flags.StringVar(&r.dir, "dir", "bench/report", "where the report is written")
	flags.StringVar(&r.livery, "livery", "bin/livery", "the built binary")
	flags.BoolVar(&r.quick, "quick", false, "minutes instead of an hour: enough to see that everything works, not to believe the figures")
	flags.BoolVar(&r.write, "write", false, "measure nothing: write the report anew from figures.json")
	flags.Var(&r.only, "parts", "run these parts alone, separated by commas")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	return r.run(ctx)
}

func (r *run) run(ctx context.Context) (err error) {
	chosen, err := r.choose()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		return err
	}
	if r.scratch, err = os.MkdirTemp("", "livery-report-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.scratch)
	all, err := readResults(r.dir)
	if err != nil {
		return err
	}
	all.parts = r.parts
	if !r.write {
		if err := r.measure(ctx, chosen, all); err != nil {
			return err
		}
	}
	return writeReport(r.dir, all)
}

// measure runs the parts and keeps what each gave as soon as it is there. A part that fails keeps its
// last figures; what went wrong is reported at the end, when the others have run.
func (r *run) measure(ctx context.Context, chosen []frame.Part, all *results) error {
	all.Machine = thisMachine(ctx)
	bar := frame.StartBar("report", len(chosen))
	defer bar.End()
	var failed []string
	for _, p := range chosen {
		bar.Say(p.Name)
		began := time.Now()
		got, err := r.measurePart(ctx, p)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		fmt.Fprintf(os.Stderr, "report: %s took %v\n", p.Name, time.Since(began).Round(time.Second))
		bar.Step()
		if err != nil {
			failed = append(failed, fmt.Sprintf("%s: %v", p.Name, err))
			continue
		}
		all.Parts[p.Name] = got
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
