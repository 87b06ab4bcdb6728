//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"example.com/livery/bench/markdown"
)

// secureScenario is one kind of traffic under TLS.
type secureScenario struct {
	name    string
	path    string // of the bench's file
	coding  string // of Accept-Encoding; empty: identity
	conns   int
	streams int  // at once on each connection, in HTTP/2; 0: HTTP/1.1
	fresh   bool // a new connection for each request
	resumed bool // which goes on with the session of the one before
}

var secureScenarios = []secureScenario{
	{name: "HTTP/1.1, 2 KB", path: "/2k.css", conns: 32},
	{name: "HTTP/1.1, 20 KB as gzip", path: "/20k.css", coding: "gzip", conns: 32},
	{name: "HTTP/1.1, 2 KB, a new connection each, resumed", path: "/2k.css", conns: 8, fresh: true, resumed: true},
	{name: "HTTP/1.1, 2 KB, a new connection each, not resumed", path: "/2k.css", conns: 8, fresh: true},
	{name: "HTTP/2, 2 KB, 10 streams", path: "/2k.css", conns: 8, streams: 10},
	{name: "HTTP/2, 20 KB as gzip, 10 streams", path: "/20k.css", coding: "gzip", conns: 8, streams: 10},
}

// secureBench is a run under TLS.
type secureBench struct {
	livery  string // the built binary
	results string // folder
	rounds  int
	slice   time.Duration
	only    []string // none: every scenario
}

// run measures livery beside nginx, in turn, and writes edge_tls.md.
func (b *secureBench) run(ctx context.Context) error {
	if runtime.NumCPU() < 2 || b.livery == "" {
		return fmt.Errorf("two cores and -livery, a built binary, are needed")
	}
	dir, err := os.MkdirTemp("", "livery-tls-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // nginx's worker is somebody else
		return err
	}
	if err := pinAll(loadCore); err != nil {
		return err
	}
	runtime.GOMAXPROCS(1)
	subjects, stop, err := startSecure(ctx, b.livery, dir)
	defer stop()
	if err != nil {
		return err
	}
	rows, err := b.measureAll(ctx, subjects)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(b.results, "edge_tls.md"), []byte(b.page(subjects, rows)), 0o644)
}

// secureRow is what the rounds of a scenario came to, a cell for each server.
type secureRow struct {
	secureScenario
	cells []cell
}

func (b *secureBench) measureAll(ctx context.Context, subjects []*secureSubject) (rows []secureRow, err error) {
	for _, sc := range secureScenarios {
		if !wanted(sc.name, b.only) {
			continue
		}
		fmt.Fprintln(os.Stderr, sc.name)
		r := secureRow{sc, make([]cell, len(subjects))}
		for round := range b.rounds + 1 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for i, s := range subjects {
				m, err := s.load(sc, b.slice)
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", sc.name, s.name, err)
				}
				if round > 0 { // the first warms up
					r.cells[i].add(m)
				}
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// page tells what was run and what came of it.
func (b *secureBench) page(subjects []*secureSubject, rows []secureRow) string {
	var text strings.Builder
	fmt.Fprintf(&text, "# The edge under TLS, measured beside nginx\n\n%s, `go run ./bench/edge -tls -rounds %d -slice %v -livery bin/livery`, %s, %s/%s, %d cores, load %s at the end.\n\n",
		time.Now().UTC().Format(time.DateOnly), b.rounds, b.slice, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), loadAverage())
	text.WriteString("Every server has one core, the load the other; they take turns. TLS 1.3, a certificate of ECDSA P-256, tickets. The load is Go's own client, over crypto/tls and, for HTTP/2,\n" +
		"net/http: it costs more than either server, so requests a second are the load's, and only the processor time of the servers compares them. \"livery\" is an edge in a process of\n" +
		"its own with its origin on the load's core. HTTP/1.1 is answered by the edge's loop, HTTP/2 by net/http over the edge's handler.\n\n")
	lines := [][]string{{"processor a request, µs: quiet rounds / median"}}
	for _, s := range subjects {
		lines[0] = append(lines[0], s.name)
	}
	lines[0] = append(lines[0], "livery / nginx", "requests a second of the load")
	for _, r := range rows {
		line := []string{r.name}
		rates := make([]string, len(r.cells))
		for i, c := range r.cells {
			line = append(line, fmt.Sprintf("%.1f / %.1f", quiet(c.cost), median(c.cost)))
			rates[i] = fmt.Sprintf("%.0f", median(c.rate))
		}
		ratio := "-"
		if other := quiet(r.cells[1].cost); other > 0 {
			ratio = strconv.FormatFloat(quiet(r.cells[0].cost)/other, 'f', 2, 64)
		}
		lines = append(lines, append(line, ratio, strings.Join(rates, ", ")))
	}
	text.WriteString(markdown.Table(lines, func(column int) bool { return column > 0 }))
	return text.String()
}

func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// pinAll binds every thread of this process, and with them those that they will start, to a core.
func pinAll(core int) error {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return err
	}
	for _, task := range tasks {
		id, err := strconv.Atoi(task.Name())
		if err == nil {
			err = pin(id, core)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
