//go:build linux

// Command bench measures Livery, one part at a time or all of them as a report.
package main

import (
	"context"
	"fmt"
	"os"

	"example.com/livery/bench/internal/edge"
	"example.com/livery/bench/internal/frame"
	"example.com/livery/bench/internal/live"
	"example.com/livery/bench/internal/management"
	"example.com/livery/bench/internal/peers"
	"example.com/livery/bench/internal/propagation"
	"example.com/livery/bench/internal/recovery"
	"example.com/livery/bench/internal/render"
	"example.com/livery/bench/internal/report"
	"example.com/livery/bench/internal/road"
	"example.com/livery/bench/internal/storage"
	"example.com/livery/bench/internal/use"
	"example.com/livery/bench/internal/wasm"
)

// parts are those of the report, in its order. What passes or fails is a test and is named by its command.
var (
	parts = []frame.Part{
		render.Part, peers.Part, wasm.Part, edge.Part, use.Part, propagation.Part, management.Part, recovery.Part, storage.Part, road.Part, live.Part,
		{
			Name: "guard", Title: "What is constant", Report: []string{"./guard", "-args", "-instructions"},
			About: "Allocations, bytes and instructions of one run of each hot path, which a test compares with the committed baseline.",
		},
	}
)

func main() {
	arguments := append(os.Args[1:], "")
	frame.Main("bench "+arguments[0], func(ctx context.Context) error { return run(ctx, arguments[0], os.Args[min(2, len(os.Args)):]) })
}

func run(ctx context.Context, name string, arguments []string) error {
	switch name {
	case "report":
		return report.Run(ctx, parts, arguments)
	case edge.Child:
		return edge.RunChild(arguments)
	}
	known := "report"
	for _, p := range parts {
		if p.New == nil {
			continue
		}
		if p.Name == name {
			return p.Run(ctx, arguments, os.Stdout)
		}
		known += ", " + p.Name
	}
	return fmt.Errorf("%q is not a part: bin/bench PART [flags], with one of %s; -h lists the flags of a part", name, known)
}
