// Command management measures the management side on one machine: what an edit, a publish, a list
// and concurrent writers cost, and how that grows. It starts origins over stores on disk, calls
// them over HTTP on the loopback and prints one table. Callers and origin share the machine's
// cores; times are of that machine, so read the ratios.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"example.com/livery/bench/command"
	"example.com/livery/bench/progress"
)

// longest is when a run is given up.
const longest = 5 * time.Minute

func main() {
	b := bench{size: full}
	flag.StringVar(&b.dir, "dir", "", "where the stores are made and removed again; empty means the system's temporary directory")
	flag.StringVar(&b.profile, "cpuprofile", "", "write a CPU profile of what is measured to this file")
	only := flag.String("only", "", "measure these alone, separated by commas: edits, publishes, lists, writers, neighbours, engines")
	flag.StringVar(&b.postgres, "postgres", "", "address of a PostgreSQL whose schema is empty, for engines; own starts one of this machine's installation; empty leaves engines out")
	jsonPath := flag.String("json", "", "write the figures to this file too")
	quick := flag.Bool("quick", false, "a tenth of the rounds and of the time: enough to see that everything works")
	flag.Parse()
	if *quick {
		b.size = b.size.tenth()
	}
	if *only != "" {
		b.only = strings.Split(*only, ",")
	}
	command.Run("management", func(ctx context.Context) error {
		rows, err := b.run(ctx)
		if err != nil {
			return err
		}
		if err := figuresOf(rows).Write(*jsonPath); err != nil {
			return err
		}
		fmt.Printf("%s, %d cores, %s/%s\n\n%s\n%s", runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, table(rows), notes)
		return nil
	})
}

// notes say what the table does not show.
const notes = `Callers and origin share the cores. Answers are read to their end and not decoded. "slow" is the
same disk with at least 1 ms more for each sync. Variants and the Themes of the lists are written
into the store directly, as the API would leave them: 1,000 Variants are beyond any plan.
`

// bench is one run.
type bench struct {
	size    size
	dir     string   // "" means the system's temporary directory
	only    []string // none means all
	profile string   // "" means none

	postgres string // address; "" means none
	bar      *progress.Bar
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

// scenario is one part of the table.
type scenario struct {
	name  string
	steps int // how often it moves the bar on
	run   func(context.Context) ([]row, error)
}

func (b *bench) scenarios() []scenario {
	return []scenario{
		{"edits", b.size.rounds, b.edits},
		{"publishes", b.size.rounds, b.publishes},
		{"lists", b.size.reads, b.lists},
		{"writers", b.size.slices * len(loads) * len(crowds), b.writers},
		{"neighbours", b.size.slices * 3, b.neighbours},
		{"engines", b.size.slices * len(engineLoads) * 3, b.engines},
	}
}

func (b *bench) run(ctx context.Context) (rows []row, err error) {
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	chosen := slices.DeleteFunc(b.scenarios(), func(s scenario) bool { return len(b.only) > 0 && !slices.Contains(b.only, s.name) })
	if len(chosen) == 0 {
		return nil, fmt.Errorf("%s is nothing to measure: name some of edits, publishes, lists, writers, neighbours, engines", strings.Join(b.only, ","))
	}
	stop, err := b.watch()
	if err != nil {
		return nil, err
	}
	defer stop()
	for _, s := range chosen {
		b.bar = progress.Start(s.name, s.steps)
		more, err := s.run(ctx)
		b.bar.End()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		rows = append(rows, more...)
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
