package edge

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	slashpath "path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// index knows the files of the disk cache, so that nothing has to be looked up on disk to know that
// it is not there, and keeps them within a budget: what was not used for longest goes first, and what
// is hot never. It may be used concurrently.
type index struct {
	dir      string
	maxBytes int64
	hot      func(yield func(name string))

	mu        sync.Mutex // guards all below
	entries   map[string]*entry
	used      int64     // bytes, as the file system counts them
	fullUntil time.Time // nothing new is kept before: all there is room for is hot
}

// entry is one file.
type entry struct {
	size     int64
	usedAt   time.Time
	markedAt time.Time // the time that the file carries, which is what a restart knows
}

const (
	blockBytes  = 4 << 10          // what a file takes at least
	markEvery   = 10 * time.Minute // how exactly files carry when they were used
	fullFor     = time.Minute      // how long nothing is kept where all is hot
	prunedTenth = 9                // tenths of the budget that are left after a clearing
)

func openIndex(dir string, maxBytes int64, hot func(yield func(name string))) (*index, error) {
	x := &index{dir: dir, maxBytes: maxBytes, hot: hot, entries: map[string]*entry{}}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
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
		x.set(filepath.ToSlash(name), info.Size(), info.ModTime())
		return err
	})
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x, x.prune(time.Now())
}

// fixed reports whether a file is the index's own: one of a kind, small, and always kept.
func fixed(name string) bool { return !strings.Contains(name, "/") }

// set notes a file. x.mu is held, or nobody else knows x yet.
func (x *index) set(name string, size int64, usedAt time.Time) {
	x.unset(name)
	size = (size + blockBytes - 1) / blockBytes * blockBytes
	x.entries[name] = &entry{size, usedAt, usedAt}
	x.used += size
}

func (x *index) unset(name string) {
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

// read returns a file and marks it as used; nil where there is none.
func (x *index) read(name string) []byte {
	now := time.Now() // the file system's clock, not the edge's: it only orders files
	if !x.use(name, now) {
		return nil
	}
	content, err := os.ReadFile(x.path(name))
	if err != nil {
		return nil
	}
	return content
}

// use marks a file as used and reports whether there is one.
func (x *index) use(name string, now time.Time) bool {
	x.mu.Lock()
	held := x.entries[name]
	mark := held != nil && now.Sub(held.markedAt) > markEvery
	if held != nil {
		held.usedAt = now
		if mark {
			held.markedAt = now
		}
	}
	x.mu.Unlock()
	if mark {
		_ = os.Chtimes(x.path(name), now, now)
	}
	return held != nil
}

// write keeps a file, unless all there is room for is hot.
func (x *index) write(name string, content []byte) error {
	now := time.Now()
	x.mu.Lock()
	refused := now.Before(x.fullUntil) && x.entries[name] == nil && !fixed(name)
	x.mu.Unlock()
	if refused {
		return nil
	}
	if err := writeWhole(x.path(name), content); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.set(name, int64(len(content)), now)
	if err := x.prune(now); err != nil || x.used <= x.maxBytes {
		return err
	}
	x.fullUntil = now.Add(fullFor)
	if fixed(name) {
		return nil
	}
	return x.delete(name)
}

// prune deletes files where there are too many, down to nine tenths of the budget. x.mu is held.
func (x *index) prune(now time.Time) error {
	if x.used <= x.maxBytes {
		return nil
	}
	x.hot(func(name string) {
		if held := x.entries[name]; held != nil {
			held.usedAt = now
		}
	})
	names := make([]string, 0, len(x.entries))
	for name, held := range x.entries {
		if !fixed(name) && held.usedAt.Before(now) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(x.entries[a].usedAt.Compare(x.entries[b].usedAt), cmp.Compare(a, b))
	})
	for _, name := range names {
		if x.used <= x.maxBytes/10*prunedTenth {
			break
		}
		if err := x.delete(name); err != nil {
			return err
		}
	}
	return nil
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
	x.unset(name)
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
