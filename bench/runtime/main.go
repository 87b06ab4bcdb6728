// Command runtime measures the WASM runtime on one machine: what starting costs, what an instance
// holds in memory, what one render costs beside the same render in native code, and how renders grow
// with instances. Everything that is compared is measured in turn in one run; times are of that
// machine, so read the ratios.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"time"

	"example.com/livery/bench/command"
	"example.com/livery/bench/figures"
	"example.com/livery/bench/markdown"
	"example.com/livery/bench/progress"
	"example.com/livery/wasm"
)

// longest is when a run is given up.
const longest = 5 * time.Minute

func main() {
	b := bench{size: full, told: figures.New("runtime")}
	flag.StringVar(&b.dir, "dir", "", "where compiled modules are kept and removed again; empty means the system's temporary directory")
	jsonPath := flag.String("json", "", "write the figures to this file too")
	flag.Parse()
	command.Run("runtime", func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, longest)
		defer cancel()
		report, err := b.run(ctx)
		if err != nil {
			return err
		}
		fmt.Print(report)
		return b.told.Write(*jsonPath)
	})
}

// heldBytes is how much lies on the heap while files are rendered. Without it, the collector would run
// every few dozen renders of a large file, as it does in no edge that has a cache.
const heldBytes = 128 << 20

// bench is one run.
type bench struct {
	size   size
	dir    string // "" means the system's temporary directory
	module []byte
	digest string
	bar    *progress.Bar
	told   *figures.Set
}

// size is how much is measured.
type size struct {
	starts    int           // rounds of starting
	instances int           // that are made to weigh them
	rounds    int           // of each render
	slice     time.Duration // of one round of one way to render
	loads     int           // rounds of renders on all cores
	load      time.Duration // of one such round
	tokens    []int
	overrides []int
}

var full = size{
	starts: 5, instances: 12, rounds: 30, slice: 4 * time.Millisecond, loads: 5, load: 400 * time.Millisecond,
	tokens: []int{500, 2000, 10000}, overrides: []int{1, 10, 50, 200, 1000},
}

func (b *bench) run(ctx context.Context) (string, error) {
	module, err := wasm.Guest()
	if err != nil {
		return "", err
	}
	b.module, b.digest = module, wasm.Digest(module)
	dir, err := os.MkdirTemp(b.dir, "runtime-bench-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	b.dir = dir
	info, err := wasm.Inspect(ctx, module)
	if err != nil {
		return "", err
	}
	b.bar = progress.Start("rounds", b.steps())
	defer b.bar.End()
	report := fmt.Sprintf("%s, %d cores, %s/%s; renderer %s built by %s, %s bytes\n", runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, info.CoreVersion, info.Toolchain, markdown.Grouped(info.Size))
	for _, p := range b.parts() {
		t, err := p.run(ctx)
		if err != nil {
			return "", fmt.Errorf("%s: %w", p.title, err)
		}
		report += "\n## " + p.title + "\n\n" + t.String() + "\n" + p.notes + "\n"
	}
	return report, nil
}

// part is one table of the report.
type part struct {
	title string
	run   func(context.Context) (table, error)
	notes string // what the table does not show
}

func (b *bench) parts() []part {
	return []part{
		{"Starting", b.starting, `"Start" is a new runtime, its digest checked, the module ready and one instance made.`},
		{"Memory of an instance", b.memory, `What the process grows by for each instance more, after Go's own garbage is returned.`},
		{"One render beside native code", b.renders, `tokens.css; "file" is its size in bytes, "edits" what the overrides change in it. "native" opens the overlay and makes new bytes of the
file, as an edge would, and so does "WASM", through the pool. "Kept buffer" is native code that overwrites one buffer again and again: no new memory, no
collection. Times are processor time with the collector's included, ratios are taken
round by round. While rendering, ` + markdown.Grouped(heldBytes) + ` bytes lie on Go's heap, as the cache of an edge does.`},
		{"Renders on all cores", b.loads, `2,000 tokens with 50 overrides, new bytes for each file; as many callers as instances. Renders a second are what the machine had time for beside
other work; by processor time they are what it would have, had it nothing else to do.`},
		{"The module by package", b.sizes, `Of a build of the same sources that keeps the names of functions.`},
	}
}

// steps is how often a run moves the bar on.
func (b *bench) steps() int {
	return b.size.starts + b.size.instances + b.size.rounds*len(b.cases()) + b.size.loads + 1
}
