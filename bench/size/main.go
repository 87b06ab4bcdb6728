// Command size writes down what the renderer module weighs: the module and its parts beside an empty
// reactor of Go, its code by package, and the code of each DTCG type. It builds both modules.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"example.com/livery/bench/command"
)

// patience is how long a build may take.
const patience = 10 * time.Minute

func main() {
	var b bench
	flag.StringVar(&b.guest, "guest", "./wasm/guest", "the package of the renderer module")
	flag.StringVar(&b.empty, "empty", "./bench/size/testdata/empty", "the package of a reactor that does nothing")
	flag.StringVar(&b.css, "css", "renderer/css", "the folder with one file for each DTCG type")
	flag.StringVar(&b.results, "results", "bench/results/size.md", "where the tables are written; empty: nowhere")
	flag.StringVar(&b.json, "json", "", "write the figures to this file too")
	flag.Parse()
	command.Run("size", b.run)
}

// bench is one run.
type bench struct{ guest, empty, css, results, json string }

func (b *bench) run(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	folder, err := os.MkdirTemp("", "livery-size-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	guest, err := weigh(ctx, b.guest, filepath.Join(folder, "guest"))
	if err != nil {
		return err
	}
	empty, err := weigh(ctx, b.empty, filepath.Join(folder, "empty"))
	if err != nil {
		return err
	}
	types, err := typesOf(guest.named, b.css)
	if err != nil {
		return err
	}
	text := report(guest, empty, types)
	fmt.Print(text)
	if err := figuresOf(guest, empty).Write(b.json); err != nil || b.results == "" {
		return err
	}
	return os.WriteFile(b.results, []byte(text), 0o644)
}

// weights are one module as it is shipped and as it is with its names.
type weights struct {
	shipped, named *module
	gzip           int // bytes of the shipped one, at the highest level
}

// weigh builds a package as the renderer module is built, and once more with its names.
func weigh(ctx context.Context, pkg, path string) (*weights, error) {
	var w weights
	var err error
	if w.shipped, err = build(ctx, pkg, path+".wasm", "-s -w -buildid="); err != nil {
		return nil, err
	}
	if w.named, err = build(ctx, pkg, path+".named.wasm", "-buildid="); err != nil {
		return nil, err
	}
	w.gzip, err = gzipped(path + ".wasm")
	return &w, err
}

func build(ctx context.Context, pkg, path, flags string) (*module, error) {
	cmd := exec.CommandContext(ctx, "go", "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags="+flags, "-o", path, pkg)
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go build %s: %w", pkg, err)
	}
	return readModule(path)
}

// gzipped returns the length of a file in gzip.
func gzipped(path string) (int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return 0, err
	}
	if _, err := w.Write(text); err != nil {
		return 0, err
	}
	err = w.Close()
	return packed.Len(), err
}
