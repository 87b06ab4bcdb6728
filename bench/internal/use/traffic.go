//go:build linux

package use

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"example.com/livery/bench/internal/figures"
	"example.com/livery/bench/internal/load"
	"example.com/livery/bench/internal/world"
)

// connections of the load. A miss waits for the origin, and holds its connection meanwhile.
const connections = 64

// traffic is what came of some traffic.
type traffic struct {
	hits, misses figures.Times // from when each was due
	shed         int           // answered 503
	failed       int           // answered anything else
	unanswered   int
	busy         time.Duration // processor time of the edge
	resident     float64       // bytes, at the end
}

var hitLine = []byte("\r\nCache-Status: livery; hit\r\n")

// send asks an edge at a constant rate and tells hits from misses by what the edge says of itself.
func send(ctx context.Context, e *world.Edge, perSecond int, lasting time.Duration, next func(n int) (path, codings string)) (t traffic, err error) {
	if err := ctx.Err(); err != nil {
		return t, err
	}
	done := make(chan error, 1)
	go func() { done <- t.send(e, perSecond, lasting, next) }()
	if err := <-done; err != nil {
		return t, err
	}
	t.resident, err = e.Resident()
	return t, err
}

func (t *traffic) send(e *world.Edge, perSecond int, lasting time.Duration, next func(n int) (path, codings string)) error {
	runtime.LockOSThread() // not unlocked: the thread is bound to a core, and ends with the goroutine
	var core unix.CPUSet
	core.Set(restCore)
	if err := unix.SchedSetaffinity(0, &core); err != nil {
		return err
	}
	before, err := e.Busy()
	if err != nil {
		return err
	}
	var request []byte
	result, err := load.Rate{
		Address: e.Host(), Connections: connections, PerSecond: float64(perSecond), For: lasting, Patience: 20 * time.Second,
		Next: func(n int) []byte {
			path, codings := next(n)
			request = fmt.Appendf(request[:0], "GET %s HTTP/1.1\r\nHost: files.example\r\nAccept-Encoding: %s\r\n\r\n", path, codings)
			return request
		},
		Each: t.count,
	}.Run()
	if err != nil {
		return err
	}
	after, err := e.Busy()
	t.busy, t.unanswered = after-before, result.Unanswered
	return err
}

func (t *traffic) count(took time.Duration, head []byte) {
	switch status := load.Status(head); {
	case status == 503:
		t.shed++
	case status != 200:
		t.failed++
	case bytes.Contains(head, hitLine):
		t.hits = append(t.hits, took)
	default:
		t.misses = append(t.misses, took)
	}
}

// faults returns an error if an answer was wrong or did not come.
func (t *traffic) faults() error {
	if t.failed > 0 || t.unanswered > 0 {
		return fmt.Errorf("%d answers were neither 200 nor 503, and %d requests got none", t.failed, t.unanswered)
	}
	return nil
}

// report adds the figures of the traffic; over and at say its place in a growth.
func (t *traffic) report(set *figures.Set, prefix, over string, at float64) {
	add := func(name, unit string, value float64) {
		set.AddOne(figures.Figure{Name: prefix + name, Unit: unit, Over: over, At: at}, value)
	}
	for _, kind := range []struct {
		name  string
		waits figures.Times
	}{{"hits", t.hits}, {"misses", t.misses}} {
		if len(kind.waits) > 0 {
			add(kind.name, "answers", float64(len(kind.waits)))
			set.AddTimes(figures.Figure{Name: prefix + kind.name, Unit: " from due, ms", Over: over, At: at}, kind.waits, 0.5, 0.99, 0.999)
		}
	}
	add("edge", "µs of processor a request", float64(t.busy.Microseconds())/float64(max(1, len(t.hits)+len(t.misses))))
	add("edge resident", "MiB", t.resident/(1<<20))
}
