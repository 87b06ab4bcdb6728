// Package management measures the management side on one machine: what an edit, a publish, a list
// and concurrent writers cost, and how that grows. It starts origins over stores on disk, calls
// them over HTTP on the loopback. Callers and origin share the machine's
// cores; times are of that machine, so read the ratios.
package management

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/pprof"
	"time"

	"example.com/livery/bench/internal/frame"
)

// longest is when a run is given up.
const longest = 5 * time.Minute

// Part is the part of the benchmarks. Responses are read to their end and not decoded; "slow" is the same disk with 1 ms more
// for each sync. Variants, and the Themes of the lists, are written into the store directly: 1,000 Variants are beyond any
// plan.
var Part = frame.Part{
	Name: "management", Title: "The origin: edits, publishes, lists, writers",
	Quick: []string{"-tenth"},
	New: func(flags *flag.FlagSet) func(context.Context, *frame.Run) error {
		b := bench{size: full}
		flags.StringVar(&b.profile, "cpuprofile", "", "write a CPU profile of what is measured to this file")
		flags.Var(&b.only, "only", "measure these alone, separated by commas: edits, publishes, lists, writers, neighbours, engines")
		flags.StringVar(&b.postgres, "postgres", "", "address of a PostgreSQL whose schema is empty, for engines; own starts one of this machine's installation; empty leaves engines out")
		flags.BoolFunc("tenth", "a tenth of the rounds and of the time", func(string) error { b.size = full.tenth(); return nil })
		return func(ctx context.Context, r *frame.Run) error {
			b.dir = r.Dir
			rows, err := b.run(ctx)
			addFigures(r.Figures, rows)
			return err
		}
	},
}

// bench is one run.
type bench struct {
	size     size
	dir      string
	only     frame.Words
	profile  string // "" means none
	postgres string // address; "" means none
}

// size is how much is measured. A scenario ends with its rounds or its budget, whichever is first.
type size struct {
	tokens        []int // of the Themes that are edited, each ten times the one before
	variants      []int // of the Themes that are published
	overrides     int   // of each Variant, at least perGroup
	themes        []int // of the Environments that are listed
	writers       int
	rounds        int           // of edits and publishes
	reads         int           // rounds of lists
	slices        int           // times that writers of one kind write
	slice         time.Duration // each time
	budget        time.Duration // of one scenario that has rounds
	publishTokens int           // of the Themes that are published
	heavyTokens   int           // of the larger Themes that are written to at once
}

var full = size{
	tokens: []int{200, 2000, 20000}, variants: []int{10, 100, 1000}, overrides: 200, themes: []int{100, 20000}, writers: 64,
	rounds: 100, reads: 200, slices: 3, slice: time.Second, budget: 20 * time.Second, publishTokens: 2000, heavyTokens: 2000,
}

// tenth is a tenth of the measuring of the same things.
func (s size) tenth() size {
	s.rounds, s.reads, s.slices, s.budget = max(2, s.rounds/10), max(2, s.reads/10), 1, s.budget/10
	s.slice = max(time.Millisecond, s.slice/3)
	return s
}

func (b *bench) run(ctx context.Context) (rows []row, err error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	stop, err := b.watch()
	if err != nil {
		return nil, err
	}
	defer stop()
	chosen := false
	for _, s := range []struct {
		name string
		run  func(context.Context) ([]row, error)
	}{
		{"edits", b.edits}, {"publishes", b.publishes}, {"lists", b.lists}, {"writers", b.writers}, {"neighbours", b.neighbours}, {"engines", b.engines},
	} {
		if !b.only.Choose(s.name) {
			continue
		}
		chosen = true
		more, err := s.run(ctx)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		rows = append(rows, more...)
	}
	if !chosen {
		return nil, fmt.Errorf("%s measures nothing: name some of edits, publishes, lists, writers, neighbours, engines", &b.only)
	}
	return rows, nil
}

// watch starts the CPU profile that was asked for.
func (b *bench) watch() (stop func(), err error) {
	if b.profile == "" {
		return func() {}, nil
	}
	f, err := os.Create(b.profile)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		_ = f.Close()
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close()
	}, nil
}
