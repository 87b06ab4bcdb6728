package admission

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

// errNoRoom stops background work of the engine when the rest of the disk is for other writes.
var errNoRoom = errors.New("the free space is reserved")

// NoRoom reports whether err says that the disk is full, or full for this kind of work.
func NoRoom(err error) bool { return errors.Is(err, errNoRoom) || vfs.IsNoSpaceError(err) }

// FS is the engine's file system. A compaction takes as much as it rewrites, and the engine begins
// it without a look at the disk; so its files are refused what flushes and logs may need, and the
// engine undoes it. Work that failed begins again after a pause, if the engine alone would try
// without end and without rest.
type FS struct {
	vfs.FS
	space   *DiskSpace
	writes  *Controller
	flushes pause
	merges  pause
	closed  chan struct{}
}

// NewFS returns the file system of an engine on fs that space and writes are of.
func NewFS(fs vfs.FS, space *DiskSpace, writes *Controller) *FS {
	return &FS{
		FS: fs, space: space, writes: writes, closed: make(chan struct{}),
		flushes: pause{first: 20 * time.Millisecond, most: time.Second},
		merges:  pause{first: 250 * time.Millisecond, most: time.Minute},
	}
}

// Unwrap returns the file system beneath.
func (f *FS) Unwrap() vfs.FS { return f.FS }

// GetDiskUsage leaves out what compactions may not use: the engine plans them by it.
func (f *FS) GetDiskUsage(path string) (vfs.DiskUsage, error) {
	usage, err := f.FS.GetDiskUsage(path)
	if err == nil && f.space.floor >= 0 {
		usage.AvailBytes -= min(usage.AvailBytes, f.reservedFromMerges())
	}
	return usage, err
}

// Create makes a file and limits what it grows by if it is a table.
func (f *FS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	room := f.roomToMerge
	switch category {
	case forFlush:
		f.flushes.wait(f.closed, func(int64) bool { return false })
		room = f.roomToFlush
	case forCompaction:
		f.merges.wait(f.closed, func(wrote int64) bool { return f.space.has(uint64(f.space.floor + 2*wrote)) })
	default:
		return f.FS.Create(name, category)
	}
	file, err := f.FS.Create(name, category)
	if err != nil {
		return nil, err
	}
	return &limitedFile{File: file, name: name, room: room}, nil
}

// reservedFromMerges is half of the floor, and all that is not yet flushed.
func (f *FS) reservedFromMerges() uint64 { return uint64(f.space.floor)/2 + f.writes.unflushed() }

func (f *FS) roomToMerge(n int) error {
	if f.writes.starving() {
		return errNoRoom
	}
	f.merges.add(n)
	f.writes.refreshStale()
	if f.space.floor >= 0 && !f.space.has(f.reservedFromMerges()+uint64(n)) {
		return errNoRoom
	}
	return nil
}

// roomToFlush leaves the last bytes of the disk to logs and the manifest, which are small and without
// which the process must end.
func (f *FS) roomToFlush(n int) error {
	f.flushes.add(n)
	if f.space.floor < 0 {
		return nil
	}
	last := uint64(min(f.space.floor/8, 4<<20)) + uint64(n)
	if f.space.has(last) {
		return nil
	}
	f.space.GiveUpBallast()
	if f.space.has(last) {
		return nil
	}
	return errNoRoom
}

// Flushed notes how a flush of the engine ended.
func (f *FS) Flushed(err error) {
	f.flushes.ended(err)
	f.writes.flushed(err)
}

// Compacted notes how a compaction ended.
func (f *FS) Compacted(err error) {
	f.merges.ended(err)
	f.writes.compacted(err)
}

// Close ends all pauses: the engine waits for its work when it is closed.
func (f *FS) Close() { close(f.closed) }

// limitedFile is a table being written.
type limitedFile struct {
	vfs.File
	name string
	room func(n int) error
}

// Write writes p if there is room for it.
func (f *limitedFile) Write(p []byte) (int, error) {
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
	if !NoRoom(err) {
		p.failed = 0
	}
	p.wrote, p.wanted = 0, p.wrote
}
