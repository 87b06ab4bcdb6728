// Command road measures the road from a push to a served file on one machine: it starts the built
// livery binary, publishes a real document again and again, and prints a table of what a person
// waits for. Times are of one shared machine; read them beside each other, not alone.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"example.com/livery/bench/command"
	"example.com/livery/bench/figures"
	"example.com/livery/bench/progress"
	"example.com/livery/bench/world"
)

func main() {
	var b bench
	flag.StringVar(&b.binary, "livery", "bin/livery", "the binary to measure")
	flag.StringVar(&b.document, "document", "../shared/corpus/github-primer.tokens.json", "the DTCG document to publish")
	flag.StringVar(&b.token, "token", "/base/color/black/$value", "pointer of the value that each publish changes")
	flag.IntVar(&b.publishes, "publishes", 20, "how many times to publish")
	flag.IntVar(&b.hits, "hits", 20000, "how many requests for a file that the edge holds")
	flag.StringVar(&b.json, "json", "", "write the figures to this file too")
	flag.Parse()
	command.Run("road", b.run)
}

// bench is one run.
type bench struct {
	binary, document, token string
	publishes, hits         int
	json                    string // empty: the figures are not written
	bar                     *progress.Bar
}

func (b *bench) run(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "livery-road-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	d, err := world.StartDev(ctx, b.binary, filepath.Join(dir, "data"), world.AnyCore)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Stop()) }()
	b.bar = progress.Start("requests", b.publishes/2*len(files)+b.hits)
	road, err := b.measure(ctx, d)
	b.bar.End()
	if err != nil {
		return err
	}
	fmt.Printf("%s, %d cores, %s/%s\n\n", runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	fmt.Printf("| %-44s | %10s | %10s | %10s |\n|-|-:|-:|-:|\n", "what a person waits for", "median", "p99", "worst")
	set := figures.New("road")
	for _, r := range append([]samples{{name: "first start to first served byte", took: []time.Duration{d.Ready()}}}, road...) {
		r.print()
		r.tell(set)
	}
	return set.Write(b.json)
}
