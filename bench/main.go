//go:build linux

// Command bench measures Livery, one part at a time or all of them as a report.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"example.com/livery/bench/internal/edge"
	"example.com/livery/bench/internal/frame"
	"example.com/livery/bench/internal/live"
	"example.com/livery/bench/internal/publish"
	"example.com/livery/bench/internal/render"
	"example.com/livery/bench/internal/storage"
	"example.com/livery/bench/internal/wasm"
)

// parts are those that give figures. What passes or fails is a test.
var parts = []frame.Part{
	render.Part, wasm.Part, edge.Part, storage.Part, live.Part, publish.Part,
}

func main() {
	arguments := append(os.Args[1:], "")
	frame.Main("bench "+arguments[0], func(ctx context.Context) error { return run(ctx, arguments[0], os.Args[min(2, len(os.Args)):]) })
}

func run(ctx context.Context, name string, arguments []string) error {
	switch name {
	case "report":
		return report(ctx, arguments)
	case edge.Child:
		return edge.RunChild(arguments)
	}
	known := "report"
	for _, p := range parts {
		if p.Name == name {
			return p.Run(ctx, arguments, os.Stdout)
		}
		known += ", " + p.Name
	}
	return fmt.Errorf("%q is not a part: bin/bench PART [flags], with one of %s; -h lists the flags of a part", name, known)
}

// report measures parts, each in a process of its own into a page of its own. It leaves out a part that lacks a program, and goes
// on with the others when one fails.
func report(ctx context.Context, arguments []string) error {
	var only frame.Words
	flags := flag.NewFlagSet("report", flag.ContinueOnError)
	dir := flags.String("dir", "bench/report", "folder of the pages")
	livery := flags.String("livery", "bin/livery", "the built binary")
	quick := flags.Bool("quick", false, "a short run: enough to see that everything works")
	flags.Var(&only, "parts", "measure these parts alone, separated by commas")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	self, err := os.Executable()
	if err := errors.Join(err, os.MkdirAll(*dir, 0o755)); err != nil {
		return err
	}
	var failed []error
	for _, p := range parts {
		if len(only) > 0 && !slices.Contains(only, p.Name) {
			continue
		}
		if missing := p.Missing(*livery); missing != "" {
			fmt.Fprintf(os.Stderr, "report: %s is left out: %s is not there\n", p.Name, missing)
			continue
		}
		fmt.Fprintln(os.Stderr, "report:", p.Name)
		args := append([]string{p.Name, "-livery", *livery, "-page", filepath.Join(*dir, p.Name+".md")}, p.Report...)
		if *quick {
			args = append(args, "-quick")
		}
		cmd := exec.CommandContext(ctx, self, args...)
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", p.Name, err))
		}
	}
	return errors.Join(failed...)
}
