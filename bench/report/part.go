package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/livery/bench/figures"
)

// part is one benchmark.
type part struct {
	name, title string
	about       string   // what it measures, for who reads the report
	binary      bool     // it runs the built binary
	needs       []string // programs that must be on the PATH, or paths with a slash that must exist
	arguments   []string
	quick       []string // more of them in a quick run
	text        bool     // it gives Markdown and knows no figures
	folder      string   // below bench/, where it is not the name
	page        string   // the file in the folder of -results that it writes its text to; empty: it prints it
}

var parts = []part{
	{
		name: "render", title: "The renderer, native", about: "Parsing a Theme, compiling its plans, compiling a Variant's overlays, rendering from both: one goroutine, all in turn.",
		arguments: []string{"-results="}, quick: []string{"-rounds", "3", "-slice", "5ms"},
	},
	{
		name: "peers", title: "Rendering beside Style Dictionary and Terrazzo", about: "The same documents, in turn. Livery makes all five files, the others tokens.css alone. Without the start of a process where nothing else is said: Livery has none.",
		needs: []string{"node", "bench/peers/node_modules", "../shared/corpus"}, arguments: []string{"-results="}, quick: []string{"-rounds", "1"},
	},
	{name: "runtime", title: "The renderer in WebAssembly", about: "wazero's compiler beside the same code built natively, in turn, by processor time."},
	{name: "size", title: "The renderer module", about: "Its weight beside a Go reactor that does nothing.", arguments: []string{"-results="}},
	{
		name: "edge", title: "Serving files: the edge beside other servers", binary: true,
		about: "One core for the server, the other for the load; every server in turn, scenario by scenario and round by round. *Processor a request* is the server's, counted by the kernel. " +
			"*From due* is latency at a constant rate, counted from the moment when a request was due: a server that stands still makes everything late that was due meanwhile. " +
			"\"livery\" is a whole `livery dev`, origin included; \"loop\" is the edge's fast path alone, \"fasthttp\" and \"net/http\" are the libraries with the same files in memory.",
		quick: []string{"-rounds", "3", "-slice", "50ms", "-rates", "2000,10000", "-rate-rounds", "1", "-lasting", "1s"},
	},
	{
		name: "tls", title: "Serving files under TLS", binary: true, text: true, folder: "edge", page: "edge_tls.md",
		needs: []string{"nginx"}, arguments: []string{"-tls"}, quick: []string{"-rounds", "3", "-slice", "50ms"},
	},
	{
		name: "use", title: "The edge as it is used", binary: true,
		about: "Zipf's law over all files of all versions of all pairs, with memory for a tenth of them, a publish every second; the edge begins with what is asked for most; what is not held is rendered in WebAssembly. Then growth, each point with a fresh edge. The edge has one core; origin and load share the other.",
		quick: []string{"-themes", "20", "-versions", "5", "-lasting", "8s", "-growing", "2s", "-grown", "10,100,1000", "-rate", "300"},
	},
	{
		name: "propagation", title: "From a publish to new bytes", binary: true,
		about: "From the answer to a publish until an edge serves the new bytes. All edges live in one process and share its cores with the origin: with many of them, most of the time is their waiting for each other, which edges on machines of their own do not.",
		quick: []string{"-publishes", "10", "-outages", "1", "-cut", "2s"},
	},
	{
		name: "road", title: "What a person waits for", binary: true, about: "A real document, from the push to the served file, over the command line and HTTP.",
		needs: []string{"../shared/corpus"}, quick: []string{"-publishes", "6", "-hits", "2000"},
	},
	{name: "management", title: "The origin: edits, publishes, lists, writers", about: "Over HTTP on the loopback, callers and origin on the same cores. \"slow\" is a disk whose syncs take 1 ms more.", quick: []string{"-quick"}},
	{
		name: "recovery", title: "The origin on a bad day", binary: true, about: "Killed while it writes, with ever larger stores, at last with 10 GiB of blobs; backups beside edits.",
		quick: []string{"-themes", "50,300", "-bytes", "33554432", "-kills", "2", "-backups", "2", "-alone", "1s"},
	},
	{
		name: "storage", title: "The store", about: "Commits over syncs of different length, by writers; what a store costs to open, to list, to publish into, by its size.",
		arguments: []string{"-each", "2s", "-points", "5", "-themes", "20000", "-pairs", "200000", "-bytes", "1073741824"},
		quick:     []string{"-each", "300ms", "-points", "2", "-themes", "500", "-pairs", "5000", "-bytes", "33554432"},
	},
	{name: "guard", title: "What is held constant", arguments: []string{"-instructions"}, about: "Allocations, bytes and instructions of one run of each hot path, which a test compares with the committed baseline."},
}

func partNames() (names []string) {
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

// choose returns the parts of a list, in their own order; all for an empty one.
func choose(list string) ([]part, error) {
	if list == "" {
		return parts, nil
	}
	words := strings.Split(list, ",")
	for _, word := range words {
		if !slices.Contains(partNames(), word) {
			return nil, fmt.Errorf("there is no part %q: there is %s", word, strings.Join(partNames(), ", "))
		}
	}
	return slices.DeleteFunc(slices.Clone(parts), func(p part) bool { return !slices.Contains(words, p.name) }), nil
}

// run runs the part as a child and returns what it gave.
func (p part) run(ctx context.Context, r *run) (*result, error) {
	got := &result{When: time.Now().UTC().Format(time.DateTime), Quick: r.quick, Load: loadAverage()}
	if missing := p.missing(r); missing != "" {
		got.LeftOut = missing + " is not there"
		return got, nil
	}
	scratch, err := os.MkdirTemp("", "livery-report-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	arguments := p.command(r)
	began := time.Now()
	printed, err := runGo(ctx, append(slices.Clone(arguments), p.output(scratch)...))
	if err != nil {
		return nil, err
	}
	got.Seconds = time.Since(began).Seconds()
	if !p.text {
		got.Set, err = figures.Read(filepath.Join(scratch, "figures.json"))
		return got, err
	}
	got.Set = &figures.Set{Command: "go " + strings.Join(arguments, " ")}
	got.Text = printed
	if p.page != "" {
		page, err := os.ReadFile(filepath.Join(scratch, p.page))
		if err != nil {
			return nil, err
		}
		got.Text = string(page)
	}
	return got, nil
}

// output is the arguments that say where what was measured goes.
func (p part) output(dir string) []string {
	switch {
	case !p.text:
		return []string{"-json", filepath.Join(dir, "figures.json")}
	case p.page != "":
		return []string{"-results", dir}
	}
	return nil
}

// source is the folder of the part's command.
func (p part) source() string {
	if p.folder != "" {
		return p.folder
	}
	return p.name
}

// command is what is run, without where the figures go.
func (p part) command(r *run) []string {
	arguments := append([]string{"run", "./bench/" + p.source()}, p.arguments...)
	if p.binary {
		arguments = append(arguments, "-livery", r.livery)
	}
	if r.quick {
		arguments = append(arguments, p.quick...)
	}
	return arguments
}

// runGo runs a command of the project and returns what it prints. What it says of its errors is in the
// error.
func runGo(ctx context.Context, arguments []string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", arguments...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	printed, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		lines := strings.Split(strings.TrimSpace(string(failed.Stderr)), "\n")
		err = fmt.Errorf("%w: %s", err, strings.Join(lines[max(0, len(lines)-5):], "\n"))
	}
	return string(printed), err
}

// missing names what the part needs and is not there, or returns "".
func (p part) missing(r *run) string {
	needs := slices.Clone(p.needs)
	if p.binary {
		needs = append(needs, filepath.Join(".", r.livery))
		if filepath.IsAbs(r.livery) {
			needs[len(needs)-1] = r.livery
		}
	}
	for _, need := range needs {
		if !strings.Contains(need, "/") {
			if _, err := exec.LookPath(need); err != nil {
				return need
			}
		} else if _, err := os.Stat(need); err != nil {
			return need
		}
	}
	return ""
}
