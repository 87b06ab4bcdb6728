package wasm

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
)

// codeDir is the directory of compiled modules, within a budget of bytes. It may be shared between
// processes: losing a file of it costs a compilation, at the next start of a process that used it.
//
//	{digest of the module}/{engine and its version}/{key of the engine}
//
// Both directories of a module carry the time when the module was used last. It may be used concurrently.
type codeDir struct {
	dir      string
	engine   string // the name of the directories that the engine of this process keeps its files in
	maxBytes int64

	mu   sync.Mutex // guards used; held while files are looked through
	used int64      // bytes, when they were looked through last
}

const (
	// markCodeEvery is how exactly directories carry when their module was used.
	markCodeEvery = 10 * time.Minute

	// codeRests is how long a module is unused before its code may be deleted: another process that has
	// it loaded marks it as used.
	codeRests = 2 * markCodeEvery

	// engineRests is how long the code of another engine is unused before it may be deleted: while
	// programs of two builds share the directory, neither deletes what the other made.
	engineRests = 24 * time.Hour
)

// openCodeDir opens the directory, and deletes what other engines left in it long ago.
func openCodeDir(dir string, maxBytes int64) (*codeDir, error) {
	engine, err := engineName(dir)
	if err != nil {
		return nil, err
	}
	d := &codeDir{dir: dir, engine: engine, maxBytes: maxBytes}
	now := time.Now()
	return d, errors.Join(d.dropEngines("wazero-*", now), d.dropEngines("*/wazero-*", now), d.prune(nil, now))
}

// dropEngines deletes the directories of engines that the pattern names, if they were unused for
// long. This process's own are below a module.
func (d *codeDir) dropEngines(pattern string, now time.Time) error {
	left, err := filepath.Glob(filepath.Join(d.dir, pattern))
	for _, path := range left {
		info, gone := os.Stat(path)
		own := filepath.Dir(path) != d.dir && filepath.Base(path) == d.engine
		if gone == nil && !own && now.Sub(info.ModTime()) >= engineRests {
			err = errors.Join(err, os.RemoveAll(path))
		}
	}
	return err
}

// engineName returns what the engine calls its own directory, which it says only by making it.
func engineName(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	probe, err := os.MkdirTemp(dir, "probe-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(probe)
	if _, err := wazero.NewCompilationCacheWithDir(probe); err != nil {
		return "", err
	}
	made, err := os.ReadDir(probe)
	if err != nil {
		return "", err
	}
	if len(made) != 1 {
		return "", errors.New("the engine keeps its files elsewhere")
	}
	return made[0].Name(), nil
}

func (d *codeDir) path(digest string) string { return filepath.Join(d.dir, digest) }

// open returns the cache of one module, and marks it as used.
func (d *codeDir) open(digest string) (wazero.CompilationCache, error) {
	cache, err := wazero.NewCompilationCacheWithDir(d.path(digest))
	if err == nil {
		err = d.mark(digest, time.Now())
	}
	return cache, err
}

func (d *codeDir) mark(digest string, now time.Time) error {
	return errors.Join(os.Chtimes(d.path(digest), now, now), os.Chtimes(filepath.Join(d.path(digest), d.engine), now, now))
}

// clear deletes the files that this process's engine has of one module. The directories stay: another
// process may be about to write into them.
func (d *codeDir) clear(digest string) error {
	files, err := filepath.Glob(filepath.Join(d.path(digest), d.engine, "*"))
	for _, file := range files {
		if gone := os.Remove(file); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// forget deletes the directories of a module without code.
func (d *codeDir) forget(digest string) {
	_ = os.Remove(filepath.Join(d.path(digest), d.engine))
	_ = os.Remove(d.path(digest)) // where another engine has code it stays
}

// code is what the directory holds of one module.
type code struct {
	path   string
	size   int64
	usedAt time.Time
}

// prune marks the modules in use, and deletes the code of others while there is too much, the one that
// was not used for longest first.
func (d *codeDir) prune(inUse []string, now time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, digest := range inUse {
		_ = d.mark(digest, now) // it may be gone: its owner deletes as it likes
	}
	held, err := d.list()
	if err != nil {
		return err
	}
	d.used = 0
	for _, c := range held {
		d.used += c.size
	}
	slices.SortFunc(held, func(a, b code) int { return cmp.Or(a.usedAt.Compare(b.usedAt), cmp.Compare(a.path, b.path)) })
	for _, c := range held {
		if d.used <= d.maxBytes || now.Sub(c.usedAt) < codeRests {
			return nil
		}
		if err := os.RemoveAll(c.path); err != nil {
			return err
		}
		d.used -= c.size
	}
	return nil
}

// list lists what there is. A module that is deleted meanwhile is left out.
func (d *codeDir) list() (list []code, err error) {
	modules, err := os.ReadDir(d.dir)
	if err != nil {
		return nil, err
	}
	for _, module := range modules {
		info, err := module.Info()
		if err != nil || !module.IsDir() {
			continue
		}
		c := code{path: d.path(module.Name()), usedAt: info.ModTime()}
		_ = filepath.WalkDir(c.path, func(_ string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return nil
			}
			if info, err := entry.Info(); err == nil {
				c.size += info.Size()
			}
			return nil
		})
		list = append(list, c)
	}
	return list, nil
}

// bytes returns how much the directory held when it was looked through last.
func (d *codeDir) bytes() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.used
}
