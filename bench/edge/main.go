//go:build linux

// Command edge measures what an answered request costs the server's processor: nginx in two tunings,
// fasthttp alone, the edge's own loop and the whole edge, serving the same files over plain HTTP/1.1. Servers have one
// core and the load another; the servers take turns, scenario by scenario and round by round, so that
// a slow minute of the machine is everybody's. It needs nginx on the PATH. With -soak it runs the whole edge
// for a long time instead and watches its memory.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

func main() {
	var b bench
	child := flag.String("child", "", "serve as this server, on an address that is printed; for the bench itself")
	flag.StringVar(&b.dir, "dir", "", "where the files of a child are")
	flag.IntVar(&b.rounds, "rounds", 9, "rounds for each server and scenario")
	flag.DurationVar(&b.slice, "slice", 300*time.Millisecond, "how long a server is under load in a round")
	only := flag.String("only", "", "scenarios whose name holds one of these words alone, separated by commas")
	servers := flag.String("servers", "", "measure these servers alone, separated by commas")
	flag.StringVar(&b.livery, "livery", "", "measure the edge of this binary too, a built livery")
	flag.StringVar(&b.profile, "cpuprofile", "", "have the loop write a CPU profile to this file")
	var long soak
	flag.DurationVar(&long.lasting, "soak", 0, "soak the edge of -livery for so long instead, with Zipf traffic and a publish every second")
	flag.IntVar(&long.rate, "rate", 400, "requests a second of a soak")
	flag.Int64Var(&long.cacheBytes, "cache-bytes", 64<<20, "memory for files of the edge that is soaked")
	flag.StringVar(&long.results, "results", filepath.Join("bench", "results"), "folder of a soak's results")
	flag.Parse()
	b.only, b.servers = words(*only), words(*servers)
	var err error
	switch {
	case long.lasting > 0:
		long.livery = b.livery
		err = long.run(context.Background())
	case *child != "":
		err = serveChild(*child, b.dir, b.profile)
	default:
		err = b.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "edge:", err)
		os.Exit(1)
	}
}

func words(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

// bench is one run.
type bench struct {
	dir     string
	rounds  int
	slice   time.Duration
	only    []string // none: every scenario
	servers []string // none: every server
	livery  string   // the built binary; empty: is not measured
	profile string   // empty: none
}

func (b *bench) run() error {
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
	subjects, stop, err := b.start(dir)
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
		r, err := b.measure(s, subjects)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		rows = append(rows, r)
	}
	fmt.Printf("%s, %d cores, %s/%s, %d rounds of %v\n\n", runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, b.rounds, b.slice)
	printTables(os.Stdout, subjects, rows)
	return nil
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
func (b *bench) measure(s scenario, subjects []*subject) (row, error) {
	r := row{scenario: s, cells: make([]cell, len(subjects))}
	for round := range b.rounds + 1 {
		for i, server := range subjects {
			m, err := server.load(s, b.slice)
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
