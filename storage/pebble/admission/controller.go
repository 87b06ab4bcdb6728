// Package admission lets writes into the storage engine. It refuses those that the disk has no room for, with all that
// follows from them, and lets those wait for which the engine would stop: a writer that waits here can still be refused.
package admission

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"example.com/livery/storage"
)

// The limits here are a little below those at which the engine would stop writers.
const (
	TablesWaiting = 4    // memtables' worth of bytes that may wait for a flush
	mostSublevels = 20   // of level 0; reading slows with each, and compactions take them away
	EngineTables  = 64   // the limit set in the engine instead of TablesWaiting, never reached
	EngineLevels  = 1000 // the same for mostSublevels
	nodeBytes     = 200  // that a key takes in a memtable beside itself, at most
)

// load is what waits in the engine.
type load struct {
	tables    int64  // memtables, the one being filled included
	bytes     uint64 // of them
	sublevels int32  // of level 0
}

// Controller lets a write into the engine if the disk has room for all that follows from it and the
// engine will not hold it. Others wait, and are refused as soon as the reason is a full disk. Its
// methods may be called concurrently.
type Controller struct {
	space *DiskSpace
	table uint64 // bytes of a memtable

	begun, ended atomic.Int64 // writes let in, and those of them that came to their end

	mu         sync.Mutex // guards below
	ask        func() load
	known      load          // when it was last asked for
	stale      bool          // known is from before a flush or a compaction
	since      uint64        // bytes let in after that
	flushErr   error         // why the last flush found no room; nil if it did
	compactErr error         // why the last compaction found none
	closed     error         // why no write is let in any more
	moved      chan struct{} // closed and replaced when something may go on
}

// New returns the Controller of an engine on space whose memtables have table bytes.
func New(space *DiskSpace, table uint64) *Controller {
	return &Controller{space: space, table: table, moved: make(chan struct{})}
}

// WatchEngine lets the Controller ask an open engine for its load.
func (c *Controller) WatchEngine(db *pebble.DB) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stale = true
	c.ask = func() load {
		m := db.Metrics()
		return load{tables: m.MemTable.Count, bytes: m.MemTable.Size, sublevels: m.Levels[0].Sublevels}
	}
}

// Admit lets a write of size bytes under keys keys in, and returns storage.ErrNoSpace if the disk
// has no room for it. It waits for flushes and compactions that are behind, but not without room on
// the disk. leave must be called when the write is durable or was given up. frees is for a write that
// makes room in the end: it may use half of what is reserved.
func (c *Controller) Admit(ctx context.Context, size, keys int, frees bool) (leave func(), err error) {
	cost := size + nodeBytes*keys
	if err := c.await(ctx, uint64(cost)); err != nil {
		return nil, err
	}
	if err := c.space.take(cost, frees); err != nil {
		return nil, err
	}
	c.begun.Add(1)
	return func() {
		c.space.release(cost)
		c.ended.Add(1)
	}, nil
}

// await returns nil when the engine will not hold a write of cost bytes.
func (c *Controller) await(ctx context.Context, cost uint64) error {
	for refreshed := false; ; {
		moved, current, err := c.try(cost)
		switch {
		case moved == nil:
			return err
		case !current || !refreshed:
			c.refresh()
			refreshed = true
			continue
		}
		select {
		case <-moved:
			refreshed = false
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// try counts a write in, or refuses it, or returns what to wait for, and whether that is what the
// engine says now.
func (c *Controller) try(cost uint64) (moved <-chan struct{}, current bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.refusal(); err != nil {
		return nil, true, err
	}
	current = c.ask == nil || !c.stale && c.since < c.table/4
	if current && !c.behind(cost) {
		c.since += cost
		return nil, true, nil
	}
	return c.moved, current, nil
}

// refusal returns why no write is let in; mu is locked.
func (c *Controller) refusal() error {
	switch {
	case c.closed != nil:
		return c.closed
	case c.flushErr != nil:
		return fmt.Errorf("pebble: what was written finds no room (%w): %w: free some space, writing then resumes by itself", c.flushErr, storage.ErrNoSpace)
	case c.compactErr != nil && c.known.sublevels >= 10*mostSublevels:
		return fmt.Errorf("pebble: merging tables finds no room (%w): %w: free some space, writing then resumes by itself", c.compactErr, storage.ErrNoSpace)
	}
	return nil
}

// Writable returns nil if there is room for a write, and else why not: storage.ErrNoSpace, storage.ErrUnavailable if the
// disk does not say, or the cause of Close.
func (c *Controller) Writable() error {
	c.mu.Lock()
	err := c.refusal()
	c.mu.Unlock()
	if err != nil {
		return err
	}
	return c.space.take(0, false)
}

// Writes returns how many writes were let in and how many of those came to their end.
func (c *Controller) Writes() (begun, ended int64) {
	ended = c.ended.Load() // before begun, so that all that ended were let in
	return c.begun.Load(), ended
}

// behind reports whether the engine is behind; mu is locked. A flush is surely under way if more than
// two memtables wait, so that there is something to wait for. Compactions without room are not waited for:
// what comes meanwhile is bounded by the floor.
func (c *Controller) behind(cost uint64) bool {
	flushing := c.known.tables > 1 && c.known.bytes > 2*c.table
	return flushing && c.known.bytes+c.since+cost > TablesWaiting*c.table || c.known.sublevels >= mostSublevels && c.compactErr == nil
}

// refresh asks the engine. What is let in meanwhile may be counted twice and is never missed.
func (c *Controller) refresh() {
	c.mu.Lock()
	ask, before := c.ask, c.since
	c.stale = false // an event from here on makes it stale again
	c.mu.Unlock()
	if ask == nil {
		return
	}
	now := ask()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known, c.since = now, c.since-min(before, c.since)
}

// unflushed returns the bytes that flushes have yet to write, at most.
func (c *Controller) unflushed() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known.bytes + c.since
}

// refreshStale asks the engine if something has happened since. It must not be called from within
// the engine's locks.
func (c *Controller) refreshStale() {
	c.mu.Lock()
	stale := c.stale
	c.mu.Unlock()
	if stale {
		c.refresh()
	}
}

// flushed notes how a flush ended, and compacted how a compaction did.
func (c *Controller) flushed(err error) { c.event("flush", &c.flushErr, err) }

func (c *Controller) compacted(err error) { c.event("compaction", &c.compactErr, err) }

func (c *Controller) event(work string, last *error, err error) {
	if !NoRoom(err) {
		err = nil // another failure says nothing about the disk
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil && *last == nil:
		c.space.log.Error("storage: the disk has no room for what was accepted; free some space", "work", work, "directory", c.space.dir)
	case err == nil && *last != nil:
		c.space.log.Info("storage: there is room on the disk again", "work", work, "directory", c.space.dir)
	}
	*last, c.stale = err, true
	c.wake()
}

// starving reports whether the last flush found no room.
func (c *Controller) starving() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.flushErr != nil
}

// Close refuses every later write, and those that wait, because of cause.
func (c *Controller) Close(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed == nil {
		c.closed = cause
		c.wake()
	}
}

func (c *Controller) wake() {
	close(c.moved)
	c.moved = make(chan struct{})
}
