//go:build linux

// Command edge measures what an answered request costs the server's processor: nginx in two tunings,
// Varnish, h2o, Caddy, net/http and fasthttp alone, the edge's own loop and the whole edge, serving the same files over
// plain HTTP/1.1. Servers have one core and the load another; the servers take turns, scenario by
// scenario and round by round, so that a slow minute of the machine is everybody's. Then it measures latency at
// constant rates, and the load itself beside wrk. What is not on the PATH is left out and told. With -soak it runs the
// whole edge for a long time instead and watches its memory, with -soak-origin an origin.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"example.com/livery/bench/command"
	"example.com/livery/bench/figures"
)

func main() {
	b := bench{rates: []int{2000, 5000, 10_000, 15_000, 20_000}, figures: figures.New("edge")}
	child := flag.String("child", "", "serve as this server, on an address that is printed; for the bench itself")
	flag.StringVar(&b.dir, "dir", "", "where the files of a child are")
	flag.IntVar(&b.rounds, "rounds", 9, "rounds for each server and scenario")
	flag.DurationVar(&b.slice, "slice", 300*time.Millisecond, "how long a server is under load in a round")
	only := flag.String("only", "", "scenarios whose name holds one of these words alone, separated by commas")
	servers := flag.String("servers", "", "measure these servers alone, separated by commas")
	flag.StringVar(&b.livery, "livery", "", "measure the edge of this binary too, a built livery")
	flag.StringVar(&b.profile, "cpuprofile", "", "have the loop write a CPU profile to this file")
	jsonPath := flag.String("json", "", "write the figures to this file too")
	flag.Func("rates", "constant rates at which latency is measured, requests a second, separated by commas; empty: none (default 2000,5000,10000,15000,20000)", func(list string) (err error) {
		b.rates, err = numbers(list)
		return err
	})
	flag.DurationVar(&b.lasting, "lasting", 3*time.Second, "how long each constant rate, and the comparison with wrk, lasts in a round")
	flag.IntVar(&b.rateRounds, "rate-rounds", 3, "rounds of each constant rate, and of the comparison with wrk; 0: neither is measured")
	var long soak
	flag.DurationVar(&long.lasting, "soak", 0, "soak the edge of -livery for so long instead, with Zipf traffic and a publish every second")
	flag.IntVar(&long.rate, "rate", 400, "requests a second of a soak")
	flag.Int64Var(&long.cacheBytes, "cache-bytes", 64<<20, "memory for files of the edge that is soaked")
	flag.StringVar(&long.results, "results", filepath.Join("bench", "results"), "folder of the results of a soak and of -tls")
	originCount := flag.Int("soak-origin", 0, "soak the origin of -livery instead: so many publishes, then so many Themes")
	secure := flag.Bool("tls", false, "measure the edge of -livery under TLS beside nginx instead, and write edge_tls.md into -results")
	flag.Parse()
	b.only, b.servers = words(*only), words(*servers)
	command.Run("edge", func(ctx context.Context) error {
		switch {
		case *secure:
			under := secureBench{livery: b.livery, results: long.results, rounds: b.rounds, slice: b.slice, only: b.only}
			return under.run(ctx)
		case *originCount > 0:
			return (&originSoak{livery: b.livery, results: long.results, count: *originCount}).run(ctx)
		case long.lasting > 0:
			long.livery = b.livery
			return long.run(ctx)
		case *child != "":
			return serveChild(*child, b.dir, b.profile)
		}
		if err := b.run(ctx); err != nil {
			return err
		}
		return b.figures.Write(*jsonPath)
	})
}

func words(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

// numbers reads whole numbers above 0.
func numbers(list string) (all []int, err error) {
	for _, word := range words(list) {
		n, err := strconv.Atoi(word)
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("%q is no whole number above 0", word)
		}
		all = append(all, n)
	}
	return all, nil
}

// bench is one run.
type bench struct {
	dir        string
	rounds     int
	slice      time.Duration
	only       []string // none: every scenario
	servers    []string // none: every server
	livery     string   // the built binary; empty: is not measured
	profile    string   // empty: none
	rates      []int    // requests a second
	rateRounds int
	lasting    time.Duration // of one rate in one round
	figures    *figures.Set
}

func (b *bench) run(ctx context.Context) error {
	if runtime.NumCPU() < 2 {
		return fmt.Errorf("the server and the load need a core each, and there is one")
	}
	dir, err := os.MkdirTemp("", "livery-edge-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // nginx's worker is somebody else
		return err
	}
	subjects, stop, err := b.start(ctx, dir)
	defer stop()
	if err != nil {
		return err
	}
	if err := pin(0, loadCore); err != nil {
		return err
	}
	runtime.LockOSThread()
	var rows []row
	for _, s := range scenarios {
		if !wanted(s.name, b.only) {
			continue
		}
		fmt.Fprintln(os.Stderr, s.name)
		r, err := b.measure(ctx, s, subjects)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		rows = append(rows, r)
	}
	fmt.Printf("%s, %d cores, %s/%s, %d rounds of %v\n\n", runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, b.rounds, b.slice)
	printTables(os.Stdout, subjects, rows)
	b.tell(subjects, rows)
	if b.rateRounds == 0 {
		return nil
	}
	fmt.Fprintln(os.Stderr, "constant rates")
	if err := b.atRates(subjects); err != nil {
		return err
	}
	b.printRates(os.Stdout, subjects)
	fmt.Fprintln(os.Stderr, "the load beside wrk")
	return b.besideWrk(subjects)
}

func wanted(name string, list []string) bool {
	for _, word := range list {
		if strings.Contains(name, word) {
			return true
		}
	}
	return len(list) == 0
}

// measure has every server answer a scenario in turn, some rounds long.
func (b *bench) measure(ctx context.Context, s scenario, subjects []*subject) (row, error) {
	r := row{scenario: s, cells: make([]cell, len(subjects))}
	for round := range b.rounds + 1 {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		for i, server := range subjects {
			m, err := server.load(s, b.slice)
			if toolOf(server.name) != "" && err != nil { // what others break off is told, and ends nothing
				b.figures.Note("%s, %s: a round was broken off: %v", s.name, server.name, err)
				continue
			}
			if err != nil {
				return r, fmt.Errorf("%s: %w", server.name, err)
			}
			if round > 0 { // the first warms up
				r.cells[i].add(m)
			}
		}
	}
	return r, nil
}
