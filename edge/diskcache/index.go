package diskcache

import (
	"errors"
	"io/fs"
	"os"
	slashpath "path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// index knows the files of the disk cache, so that nothing has to be looked up on disk to know that
// it is not there, and keeps them within a budget: the addresses that are requested least are evicted first, and what
// several are made from stays while any of them does. It may be used concurrently.
type index struct {
	dir       string
	maxBytes  int64
	requested func(yield func(key string, times *atomic.Uint32)) // the pairs that were requested, and how often since that was set to 0
	bodies    *Bodies                                            // nil: none are kept

	pruning sync.Mutex // held while files are evicted

	mu      sync.Mutex // guards all below
	entries map[string]*entry
	used    int64     // bytes, as the file system counts them
	retryAt time.Time // nothing is written before: the file system is full of what is not the edge's
}

// entry is one file.
type entry struct {
	size   int64
	rank   time.Time // the lowest is evicted first; of a file that is not a pair: when it was written
	marked time.Time // the time that the file carries, which is what a restart knows
	needs  needs     // of a pair
	needed bool      // a pair that was written or read by this process needs it
}

// needs are the blobs that a pair is made from, by the beginnings of their names; 0: none.
type needs struct {
	known  bool      // else the file must be read
	blobs  [3]uint64 // plan, overlay and module
	bodies uint64    // that are made from them, by the beginning of their ID
}

// The rank of a pair is the time of its newest request, and a credit on top that grows with every request by a part of
// what is missing to the most. So a flood of addresses that are asked for once pushes nothing out that was asked for
// several times within the hour.
const (
	maxCredit   = time.Hour
	bodyCredit  = maxCredit / 2 // of a pair whose bodies are on disk, over the plan that can make others
	creditShare = 8
)

const (
	blockBytes     = 4 << 10          // what a file takes at least
	markEvery      = 10 * time.Minute // how exactly files carry their rank
	graceForBlobs  = time.Minute      // how long a blob stays that no pair needs: the pair is about to be written
	retryAfterFull = time.Minute      // how long nothing is written if the file system is full
	prunedTenth    = 9                // tenths of the budget that are left after a clearing
	freedShare     = 16               // of the files, one part in so many is evicted if the file system is full
)

func openIndex(dir string, maxBytes int64, requested func(yield func(key string, times *atomic.Uint32)), bodies *Bodies) (*index, error) {
	x := &index{dir: dir, maxBytes: maxBytes, requested: requested, bodies: bodies, entries: map[string]*entry{}}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path == filepath.Join(dir, bodiesFolder) {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		if isTemporary(path) {
			return os.Remove(path)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		x.add(filepath.ToSlash(name), info.Size(), info.ModTime())
		return err
	})
	if err != nil {
		return nil, err
	}
	return x, x.prune(time.Now(), maxBytes)
}

// fixed reports whether a file is the index's own: one of a kind, small, and never evicted.
func fixed(name string) bool { return !strings.Contains(name, "/") }

// add notes a file, and returns it. x.mu is held, or x is not shared yet.
func (x *index) add(name string, size int64, rank time.Time) *entry {
	held := x.entries[name]
	if held == nil {
		held = &entry{rank: rank}
		x.entries[name] = held
	}
	size = (size + blockBytes - 1) / blockBytes * blockBytes
	x.used += size - held.size
	held.size = size
	if !isPair(name) {
		held.rank = rank
	}
	held.marked = rank
	return held
}

func (x *index) forget(name string) {
	if held := x.entries[name]; held != nil {
		x.used -= held.size
		delete(x.entries, name)
	}
}

func (x *index) has(name string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.entries[name] != nil
}

func (x *index) total() int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.used
}

// holds reports whether there is any file below a folder.
func (x *index) holds(folder string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	for name := range x.entries {
		if strings.HasPrefix(name, folder) {
			return true
		}
	}
	return false
}

// under lists the files below a folder.
func (x *index) under(folder string) (names []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for name := range x.entries {
		if strings.HasPrefix(name, folder) {
			names = append(names, name)
		}
	}
	return names
}

func (x *index) path(name string) string { return filepath.Join(x.dir, filepath.FromSlash(name)) }

// read returns a file; nil if there is none.
func (x *index) read(name string) []byte {
	if !x.has(name) {
		return nil
	}
	content, err := os.ReadFile(x.path(name))
	if err != nil {
		return nil
	}
	return content
}

// write writes a file. It is deleted again if all others rank higher and leave no room for it.
func (x *index) write(name string, content []byte) error {
	now := time.Now() // the file system's clock, not the edge's: it only orders files
	rank, ok := x.admit(name, now)
	if !ok {
		return nil
	}
	err := writeAtomically(x.path(name), content, rank)
	if errors.Is(err, syscall.ENOSPC) {
		err = x.writeFull(name, content, rank, now)
	}
	if err != nil {
		return err
	}
	x.mu.Lock()
	held := x.add(name, int64(len(content)), rank)
	if isPair(name) {
		held.needs = needs{}
	}
	x.mu.Unlock()
	return x.shrink(name, now)
}

// writeFull evicts others and writes a file to a file system that was full. If that does not help either,
// what fills it is not the edge's, and nothing new is written for a while.
func (x *index) writeFull(name string, content []byte, rank, now time.Time) error {
	held := x.total()
	if err := x.prune(now, held-held/freedShare-int64(len(content))-2*blockBytes); err != nil {
		return err
	}
	err := writeAtomically(x.path(name), content, rank)
	if errors.Is(err, syscall.ENOSPC) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.retryAt = now.Add(retryAfterFull)
	}
	return err
}

// admit returns the rank of a file that is about to be written; ok is false if it is not to be.
func (x *index) admit(name string, now time.Time) (rank time.Time, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	held := x.entries[name]
	switch {
	case held != nil && isPair(name):
		return held.rank, true
	case held == nil && !fixed(name) && now.Before(x.retryAt):
		return now, false
	case isPair(name):
		return now.Add(maxCredit / creditShare), true // it is written because it was asked for
	}
	return now, true
}

// shrink evicts files after one was written, if the budget is exceeded, or deletes that one.
func (x *index) shrink(name string, now time.Time) error {
	if x.total() <= x.maxBytes {
		return nil
	}
	if err := x.prune(now, x.maxBytes/10*prunedTenth); err != nil {
		return err
	}
	if x.total() <= x.maxBytes || fixed(name) {
		return nil
	}
	return x.remove(name)
}

// remove deletes a file, which need not be there.
func (x *index) remove(name string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.entries[name] == nil {
		return nil
	}
	return x.delete(name)
}

// delete deletes a file and the folders that it leaves empty. x.mu is held.
func (x *index) delete(name string) error {
	x.forget(name)
	if err := os.Remove(x.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for folder := slashpath.Dir(name); strings.Contains(folder, "/"); folder = slashpath.Dir(folder) {
		if os.Remove(x.path(folder)) != nil {
			break // not empty
		}
	}
	return nil
}
