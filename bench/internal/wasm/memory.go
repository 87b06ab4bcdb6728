package wasm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/wasm"
)

// memory weighs instances that hold a plan of 2,000 tokens, by what the process grows for each.
func (b *bench) memory(ctx context.Context) error {
	d, err := compile(2000, 50, "lv")
	if err != nil {
		return err
	}
	r, err := b.loaded(ctx, b.size.instances)
	if err != nil {
		return err
	}
	defer r.Close(ctx)
	if err := fill(ctx, r, b.digest, d, 1); err != nil { // with a spare one there are two
		return err
	}
	before, residentBefore, err := weigh(r)
	if err != nil {
		return err
	}
	if err := fill(ctx, r, b.digest, d, b.size.instances); err != nil {
		return err
	}
	after, residentAfter, err := weigh(r)
	if err != nil {
		return err
	}
	more := int64(after.Instances - before.Instances)
	if more <= 0 {
		return errors.New("no instance was added")
	}
	const name = "an instance with a plan of 2,000 tokens, "
	b.figures.AddOne(figures.Figure{Name: name + "linear memory", Unit: "bytes"}, float64((after.MemoryBytes-before.MemoryBytes)/more))
	b.figures.AddOne(figures.Figure{Name: name + "resident", Unit: "bytes"}, float64((residentAfter-residentBefore)/more))
	return nil
}

// fill renders on n instances at one time, until there are so many and each holds the plan. A call is
// not interrupted, so that as many run at one time as there are threads to run them.
func fill(ctx context.Context, r *wasm.Runtime, digest string, d document, n int) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
	for range 1000 {
		var all sync.WaitGroup
		failed := make(chan error, n)
		for range n {
			all.Go(func() {
				for range 20 {
					if _, err := r.Render(ctx, digest, wasm.Request{Plan: d.plan, Overlay: d.overlay}); err != nil {
						failed <- err
						return
					}
				}
			})
		}
		all.Wait()
		select {
		case err := <-failed:
			return err
		default:
		}
		if s := r.Stats(); s.Instances >= n && s.Plans >= n {
			return nil
		}
	}
	return fmt.Errorf("%d instances did not come to hold the plan", n)
}

// weigh returns the resident memory of this process, without what its own collector could return.
func weigh(r *wasm.Runtime) (wasm.Stats, int64, error) {
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return wasm.Stats{}, 0, fmt.Errorf("resident memory is read from Linux's /proc: %w", err)
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return wasm.Stats{}, 0, errors.New("/proc/self/statm is not as expected")
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	return r.Stats(), pages * int64(os.Getpagesize()), err
}
