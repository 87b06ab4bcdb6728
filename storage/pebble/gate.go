package pebble

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"example.com/livery/storage"
)

// What the engine would stop writers for is looked at here, a little before: a writer that waits here
// can be refused, and one that the engine holds cannot.
const (
	tablesWaiting = 4  // memtables' worth of bytes that may wait for a flush
	mostSublevels = 20 // of level 0; reading slows with each, and compactions take them away
	engineLimit   = 64 // what the engine is told instead of tablesWaiting, never reached
	engineLevels  = 1000
	nodeBytes     = 200 // that a key takes in a memtable beside itself, at most
)

// load is what waits in the engine.
type load struct {
	tables    int64  // memtables, the one being filled included
	bytes     uint64 // of them
	sublevels int32  // of level 0
}

// gate lets a write into the engine if the disk has room for all that follows from it and the
// engine will not hold it. Others wait, and are refused as soon as the reason is a full disk. Its
// methods may be called concurrently.
type gate struct {
	space *space
	table uint64 // bytes of a memtable

	inside, left atomic.Int64 // writes let in, and those of them that came to their end

	mu         sync.Mutex // guards below
	ask        func() load
	known      load   // when it was last asked for
	stale      bool   // known is of before a flush or a compaction
	since      uint64 // bytes let in after that
	flushErr   error  // why the last flush found no room; nil if it did
	compactErr error  // why the last compaction found none
	ended      error
	moved      chan struct{} // closed and replaced when something may go on
}

func newGate(space *space, table uint64) *gate {
	return &gate{space: space, table: table, moved: make(chan struct{})}
}

// watchEngine lets the gate ask an open engine for its load.
func (g *gate) watchEngine(db *pebble.DB) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stale = true
	g.ask = func() load {
		m := db.Metrics()
		return load{tables: m.MemTable.Count, bytes: m.MemTable.Size, sublevels: m.Levels[0].Sublevels}
	}
}

// admit lets a write of size bytes under keys keys in, and returns storage.ErrNoSpace if the disk
// has no room for it. It waits for flushes and compactions that are behind, but not without room on
// the disk. leave must be called when the write is durable or was given up. frees tells a write that
// makes room in the end: it may use half of what is kept back.
func (g *gate) admit(ctx context.Context, size, keys int, frees bool) (leave func(), err error) {
	cost := size + nodeBytes*keys
	if err := g.await(ctx, uint64(cost)); err != nil {
		return nil, err
	}
	if err := g.space.take(cost, frees); err != nil {
		return nil, err
	}
	g.inside.Add(1)
	return func() {
		g.space.giveBack(cost)
		g.left.Add(1)
	}, nil
}

// await returns nil when the engine will not hold a write of cost bytes.
func (g *gate) await(ctx context.Context, cost uint64) error {
	for asked := false; ; {
		moved, current, err := g.try(cost)
		switch {
		case moved == nil:
			return err
		case !current || !asked:
			g.refresh()
			asked = true
			continue
		}
		select {
		case <-moved:
			asked = false
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// try counts a write in, or refuses it, or returns what to wait for, and whether that is what the
// engine says now.
func (g *gate) try(cost uint64) (moved <-chan struct{}, current bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.refusal(); err != nil {
		return nil, true, err
	}
	current = g.ask == nil || !g.stale && g.since < g.table/4
	if current && !g.held(cost) {
		g.since += cost
		return nil, true, nil
	}
	return g.moved, current, nil
}

// refusal returns why no write is let in; mu is held.
func (g *gate) refusal() error {
	switch {
	case g.ended != nil:
		return g.ended
	case g.flushErr != nil:
		return fmt.Errorf("pebble: what was written finds no room (%w): %w: free some space, writing then resumes by itself", g.flushErr, storage.ErrNoSpace)
	case g.compactErr != nil && g.known.sublevels >= 10*mostSublevels:
		return fmt.Errorf("pebble: merging tables finds no room (%w): %w: free some space, writing then resumes by itself", g.compactErr, storage.ErrNoSpace)
	}
	return nil
}

// writable returns why no write is let in, or nil.
func (g *gate) writable() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.refusal()
}

// held reports whether the engine is behind; mu is held. A flush is surely under way if more than
// two memtables wait, so that there is something to wait for. Compactions without room are not waited for:
// what comes meanwhile is bounded by the floor.
func (g *gate) held(cost uint64) bool {
	flushing := g.known.tables > 1 && g.known.bytes > 2*g.table
	return flushing && g.known.bytes+g.since+cost > tablesWaiting*g.table || g.known.sublevels >= mostSublevels && g.compactErr == nil
}

// refresh asks the engine. What is let in meanwhile may be counted twice and is never missed.
func (g *gate) refresh() {
	g.mu.Lock()
	ask, before := g.ask, g.since
	g.stale = false // an event from here on makes it stale again
	g.mu.Unlock()
	if ask == nil {
		return
	}
	now := ask()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.known, g.since = now, g.since-min(before, g.since)
}

// unflushed returns the bytes that flushes have yet to write, at most.
func (g *gate) unflushed() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.known.bytes + g.since
}

// refreshStale asks the engine if something has happened since. It must not be called from within
// the engine's locks.
func (g *gate) refreshStale() {
	g.mu.Lock()
	stale := g.stale
	g.mu.Unlock()
	if stale {
		g.refresh()
	}
}

// flushed is told how each flush ended, and compacted how each compaction did.
func (g *gate) flushed(err error) { g.event("flush", &g.flushErr, err) }

func (g *gate) compacted(err error) { g.event("compaction", &g.compactErr, err) }

func (g *gate) event(work string, last *error, err error) {
	if !noRoom(err) {
		err = nil // another failure says nothing about the disk
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case err != nil && *last == nil:
		g.space.log.Error("storage: there is no room on the disk to write what was accepted; free some space", "work", work, "directory", g.space.dir)
	case err == nil && *last != nil:
		g.space.log.Info("storage: there is room on the disk again", "work", work, "directory", g.space.dir)
	}
	*last, g.stale = err, true
	g.wake()
}

// starving reports whether the last flush found no room.
func (g *gate) starving() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.flushErr != nil
}

// end refuses every later write, and those that wait, because of cause.
func (g *gate) end(cause error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended == nil {
		g.ended = cause
		g.wake()
	}
}

func (g *gate) wake() {
	close(g.moved)
	g.moved = make(chan struct{})
}
