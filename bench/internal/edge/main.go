//go:build linux

// Package edge measures what an answered request costs the server's processor: nginx in two tunings, Varnish, h2o, Caddy,
// net/http and fasthttp alone, the edge's own loop and the whole edge, serving the same files; and livery beside nginx under
// TLS. Servers have one core and the load another; the servers take turns, scenario by scenario and round by round, so that
// a slow minute of the machine hits all of them. Then it measures latency at constant rates. Servers that are not on the
// PATH are left out and named.
package edge

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"time"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/frame"
)

const generators = "The load is wrk's, and over HTTP/2 that of h2load: they share no core with the server, whose processor time is what is compared. "

// Part is the part of the benchmarks over plain HTTP/1.1.
var Part = frame.Part{
	Name: "edge", Title: "Serving files: the edge beside other servers", Binary: true, Needs: []string{"wrk"},
	About: "One core for the server, the other for the load; every server in turn, scenario by scenario and round by round. *Processor a request* is the server's, counted by the kernel. " +
		generators + "*From due* is latency at a constant rate, counted from the moment when a request was due: a server that stands still makes everything late that was due meanwhile. " +
		"\"livery\" is an edge in a process of its own, its origin on the core of the load; \"loop\" is the edge's fast path alone, \"fasthttp\" and \"net/http\" are the libraries with the same files in memory.",
	Quick: []string{"-rounds", "1", "-rates", "2000,10000", "-rate-rounds", "1", "-lasting", "1s"},
	New: func(flags *flag.FlagSet) func(context.Context, *frame.Run) error {
		b := bench{scenarios: scenarios, rates: frame.Counts{2000, 5000, 10_000, 15_000, 20_000}}
		b.flags(flags)
		flags.Var(&b.servers, "servers", "measure these servers alone, separated by commas")
		flags.StringVar(&b.profile, "cpuprofile", "", "have the loop write a CPU profile to this file")
		flags.Var(&b.rates, "rates", "constant rates at which latency is measured, requests a second, separated by commas")
		flags.DurationVar(&b.lasting, "lasting", 3*time.Second, "how long each constant rate lasts in a round")
		flags.IntVar(&b.rateRounds, "rate-rounds", 3, "rounds of each constant rate; 0: none is measured")
		return b.run
	},
}

// TLS is the part of the benchmarks under TLS.
var TLS = frame.Part{
	Name: "tls", Title: "Serving files under TLS", Binary: true, Needs: []string{"nginx", "wrk", "h2load", "openssl"},
	About: generators + "Connections that resume no session are those of openssl s_time. TLS 1.3, a certificate of ECDSA P-256, tickets. " +
		"\"livery\" is an edge in a process of its own, its origin on the core of the load.",
	Quick: []string{"-rounds", "1"},
	New: func(flags *flag.FlagSet) func(context.Context, *frame.Run) error {
		b := bench{scenarios: secureScenarios, secure: true, servers: frame.Words{"nginx buffers", "h2o"}}
		b.flags(flags)
		return b.run
	},
}

// Child is the command with which the part serves as one of our own servers. It is not for users.
const Child = "edge-child"

// bench is one run.
type bench struct {
	scenarios  []scenario
	secure     bool // under TLS
	rounds     int
	seconds    int         // of one server in one round
	only       frame.Words // none: every scenario
	servers    frame.Words // none: every server
	profile    string      // empty: none
	rates      frame.Counts
	rateRounds int
	lasting    time.Duration // of one rate in one round
	livery     string
	figures    *figures.Set
}

func (b *bench) flags(flags *flag.FlagSet) {
	flags.IntVar(&b.rounds, "rounds", 5, "rounds for each server and scenario")
	flags.IntVar(&b.seconds, "seconds", 1, "how long a server is under load in a round")
	flags.Var(&b.only, "only", "scenarios whose name holds one of these words alone, separated by commas")
}

func (b *bench) run(ctx context.Context, r *frame.Run) error {
	if runtime.NumCPU() < 2 {
		return fmt.Errorf("the server and the load need a core each, and there is one")
	}
	b.figures, b.livery = r.Figures, r.Livery
	subjects, stop, err := b.start(ctx, r.Dir)
	defer stop()
	if err != nil {
		return err
	}
	for _, s := range b.scenarios {
		if !b.only.Choose(s.name) {
			continue
		}
		fmt.Fprintln(os.Stderr, s.name)
		if err := b.measure(ctx, s, subjects); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	if b.rateRounds == 0 {
		return nil
	}
	fmt.Fprintln(os.Stderr, "constant rates")
	return b.atRates(ctx, subjects)
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
