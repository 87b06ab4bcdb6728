//go:build linux

// Package edge measures the edge beside nginx in two tunings, Varnish and h2o, which serve the same files: what an
// answered request costs the server's processor, in HTTP/1.1, under TLS and in HTTP/2; what a
// miss costs; what an idle connection and a flood take of memory, and what a flood
// does to another client. Servers have one core and the load another; the servers take turns, scenario by scenario and
// round by round, so that a slow minute of the machine hits all of them. Servers that are not on the PATH are left out and
// named.
package edge

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
	"example.com/livery/bench/internal/world"
)

// Part is the part of the benchmarks. The kernel counts the processor time of a server; the load has the other core. "A miss" is the first response for a file of 20 KB:
// livery renders and encodes it, nginx and h2o read and encode a file that they have not seen. An idle connection has
// asked once. Floods come from one address, as fast as a process of the lowest priority can send, for 4 seconds, to servers
// with default limits; a bystander at another address asks 100 times a second, one time of five with a handshake. Memory is
// the most that was resident during the flood above what was before the first one.
var Part = frame.Part{
	Name: "edge", Title: "Serving files: the edge beside other servers", Binary: true, Needs: []string{"nginx", "wrk", "h2load", "openssl"},
	Quick: []string{"-rounds", "1", "-flood-for", "1s"},
	New: func(flags *flag.FlagSet) func(context.Context, *frame.Run) error {
		var b bench
		flags.IntVar(&b.rounds, "rounds", 5, "rounds for each server and scenario")
		flags.IntVar(&b.seconds, "seconds", 1, "how long a server is under load in a round")
		flags.Var(&b.only, "only", "scenarios whose name holds one of these words alone, separated by commas; there are also: misses, idle, floods")
		flags.Var(&b.servers, "servers", "measure these servers alone, separated by commas")
		flags.DurationVar(&b.floodFor, "flood-for", 4*time.Second, "how long a server is under each flood")
		return b.run
	},
}

// Child is the command with which the part floods and watches. It is not for users.
const Child = "edge-child"

// bench is one run.
type bench struct {
	rounds   int
	seconds  int         // of one server in one round
	only     frame.Words // none: every scenario
	servers  frame.Words // none: every server
	floodFor time.Duration
	livery   string
	figures  *figures.Set
}

// phase is a part of the run with servers of its own.
type phase struct {
	secure  bool     // under TLS
	servers []string // beside livery, in the order of the tables
	steps   []step

	dir      string
	subjects []*subject
	origin   *world.Origin // of livery
}

// step is what is measured at a time.
type step struct {
	name string
	run  func(context.Context, *phase) error
}

// phases are those of a run: floods come last, as servers keep what they took.
func (b *bench) phases() []phase {
	each := func(scenarios []scenario, more ...step) (steps []step) {
		for _, sc := range scenarios {
			steps = append(steps, step{sc.name, func(ctx context.Context, p *phase) error { return b.measure(ctx, sc, p.subjects) }})
		}
		return append(steps, more...)
	}
	peers := []string{"nginx buffers", "h2o"}
	return []phase{
		{servers: []string{"nginx sendfile", "nginx buffers", "varnish", "h2o"}, steps: each(scenarios)},
		{servers: peers, steps: []step{{"misses", b.misses}}},
		{servers: peers, secure: true, steps: []step{{"idle", b.idle}}},
		{servers: peers, secure: true, steps: each(secureScenarios)},
		{servers: peers, secure: true, steps: []step{{"floods", b.underFloods}}},
	}
}

func (b *bench) run(ctx context.Context, r *frame.Run) error {
	if runtime.NumCPU() < 2 {
		return fmt.Errorf("the server and the load need a core each, and there is one")
	}
	b.figures, b.livery = r.Figures, r.Livery
	for i, p := range b.phases() {
		p.dir = filepath.Join(r.Dir, fmt.Sprint(i))
		if err := b.take(ctx, &p); err != nil {
			return err
		}
	}
	return nil
}

// take starts the servers of a phase and takes the steps that are chosen.
func (b *bench) take(ctx context.Context, p *phase) error {
	steps := slices.DeleteFunc(p.steps, func(s step) bool { return !b.only.Choose(s.name) })
	if len(steps) == 0 {
		return nil
	}
	stop, err := b.start(ctx, p)
	defer stop()
	if err != nil {
		return err
	}
	for _, s := range steps {
		fmt.Fprintln(os.Stderr, s.name)
		if err := s.run(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

// measure has every server answer a scenario in turn, some rounds long. The first round warms up.
func (b *bench) measure(ctx context.Context, s scenario, subjects []*subject) error {
	cost, rate, waits := make([][]float64, len(subjects)), make([][]float64, len(subjects)), make([][3][]float64, len(subjects))
	for round := range b.rounds + 1 {
		for i, server := range subjects {
			if err := ctx.Err(); err != nil {
				return err
			}
			m, err := server.load(ctx, s, b.seconds)
			if toolOf(server.name) != "" && err != nil { // a round that another server breaks off ends nothing
				b.figures.Note("%s, %s: a round was broken off: %v", s.name, server.name, err)
				continue
			}
			if err != nil {
				return fmt.Errorf("%s: %w", server.name, err)
			}
			if round == 0 || m.requests == 0 {
				continue
			}
			cost[i] = append(cost[i], float64(m.busy.Nanoseconds())/1e3/float64(m.requests))
			rate[i] = append(rate[i], float64(m.requests)/m.took.Seconds())
			for k, ms := range m.waits {
				waits[i][k] = append(waits[i][k], ms)
			}
		}
	}
	for i, server := range subjects {
		add := func(unit string, rounds []float64) {
			b.figures.AddRounds(figures.Figure{Name: s.name, Subject: server.name, Unit: unit}, rounds)
		}
		add("µs of processor a request", cost[i])
		add("requests/s", rate[i])
		for k, unit := range []string{"p50, ms", "p99, ms", "p999, ms"} {
			add(unit, waits[i][k])
		}
	}
	return nil
}
