package pebble

import (
	"errors"
	"os"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// What the engine says a new file is for.
const (
	forFlush      = vfs.DiskWriteCategory("pebble-memtable-flush")
	forCompaction = vfs.DiskWriteCategory("pebble-compaction")
)

// errNoRoom is what the engine's background work is told where the rest of the disk is for others.
var errNoRoom = errors.New("what is free is kept back")

// noRoom reports whether err says that the disk is full, or full for this kind of work.
func noRoom(err error) bool { return errors.Is(err, errNoRoom) || vfs.IsNoSpaceError(err) }

// guard is the engine's file system. A compaction takes as much as it rewrites, and the engine begins
// it without a look at the disk; so its files are refused what flushes and logs may need, and the
// engine undoes it. Work that failed begins again after a pause, if the engine alone would try
// without end and without rest.
type guard struct {
	vfs.FS
	space   *space
	gate    *gate
	flushes pause
	merges  pause
	closed  chan struct{}
}

func newGuard(fs vfs.FS, space *space, gate *gate) *guard {
	return &guard{
		FS: fs, space: space, gate: gate, closed: make(chan struct{}),
		flushes: pause{first: 20 * time.Millisecond, most: time.Second},
		merges:  pause{first: 250 * time.Millisecond, most: time.Minute},
	}
}

// Unwrap returns the file system beneath.
func (g *guard) Unwrap() vfs.FS { return g.FS }

// GetDiskUsage leaves out what compactions may not use: the engine plans them by it.
func (g *guard) GetDiskUsage(path string) (vfs.DiskUsage, error) {
	usage, err := g.FS.GetDiskUsage(path)
	if err == nil && g.space.floor >= 0 {
		usage.AvailBytes -= min(usage.AvailBytes, g.keptFromMerges())
	}
	return usage, err
}

// Create makes a file and watches what it grows by where it is a table.
func (g *guard) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	room := g.roomToMerge
	switch category {
	case forFlush:
		g.flushes.wait(g.closed, func(int64) bool { return false })
		room = g.roomToFlush
	case forCompaction:
		g.merges.wait(g.closed, func(wrote int64) bool { return g.space.has(uint64(g.space.floor + 2*wrote)) })
	default:
		return g.FS.Create(name, category)
	}
	f, err := g.FS.Create(name, category)
	if err != nil {
		return nil, err
	}
	return &guarded{File: f, name: name, room: room}, nil
}

// keptFromMerges is half of the floor, and all that is not yet flushed.
func (g *guard) keptFromMerges() uint64 { return uint64(g.space.floor)/2 + g.gate.unflushed() }

func (g *guard) roomToMerge(n int) error {
	if g.gate.starving() {
		return errNoRoom
	}
	g.merges.add(n)
	g.gate.refreshStale()
	if g.space.floor >= 0 && !g.space.has(g.keptFromMerges()+uint64(n)) {
		return errNoRoom
	}
	return nil
}

// roomToFlush leaves the last bytes of the disk to logs and the manifest, which are small and without
// which the process must end.
func (g *guard) roomToFlush(n int) error {
	g.flushes.add(n)
	if g.space.floor < 0 {
		return nil
	}
	last := uint64(min(g.space.floor/8, 4<<20)) + uint64(n)
	if g.space.has(last) {
		return nil
	}
	g.space.giveUp()
	if g.space.has(last) {
		return nil
	}
	return errNoRoom
}

// flushed and compacted are told how each ended.
func (g *guard) flushed(err error) {
	g.flushes.ended(err)
	g.gate.flushed(err)
}

func (g *guard) compacted(err error) {
	g.merges.ended(err)
	g.gate.compacted(err)
}

// close ends all pauses: the engine waits for its work when it is closed.
func (g *guard) close() { close(g.closed) }

// guarded is a table being written.
type guarded struct {
	vfs.File
	name string
	room func(n int) error
}

// Write writes p if there is room for it.
func (f *guarded) Write(p []byte) (int, error) {
	if err := f.room(len(p)); err != nil {
		return 0, &os.PathError{Op: "write", Path: f.name, Err: err}
	}
	return f.File.Write(p)
}

// pause makes a kind of work wait when it failed, longer each time. Its methods may be called
// concurrently.
type pause struct {
	first, most time.Duration

	mu     sync.Mutex // guards below
	failed int        // times in a row
	wrote  int64      // by what is under way
	wanted int64      // what the last that failed had written
}

// wait returns when the pause is over, when enough says of what the last attempt had written that
// there is room for another, or when closed is. Only the first file of an attempt waits.
func (p *pause) wait(closed <-chan struct{}, enough func(wrote int64) bool) {
	p.mu.Lock()
	failed, wanted, begun := p.failed, p.wanted, p.wrote > 0
	p.mu.Unlock()
	if failed == 0 || begun {
		return
	}
	for left := min(p.first<<min(failed-1, 20), p.most); left > 0 && !enough(wanted); left -= p.first {
		select {
		case <-closed:
			return
		case <-time.After(min(left, p.first)):
		}
	}
}

func (p *pause) add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wrote += int64(n)
}

func (p *pause) ended(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed++
	if !noRoom(err) {
		p.failed = 0
	}
	p.wrote, p.wanted = 0, p.wrote
}
