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
// processes: losing a file of it costs a compilation, at the next start of whoever used it.
//
//	{digest of the module}/{engine and its version}/{key of the engine}
//
// A module's directory carries the time when the module was used last. It may be used concurrently.
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

	// codeRests is how long nobody has used a module whose code may be deleted: somebody else may have
	// it loaded, and marks it as used.
	codeRests = 2 * markCodeEvery
)

// openCodeDir opens the directory, and deletes what engines other than this process's left in it.
func openCodeDir(dir string, maxBytes int64) (*codeDir, error) {
	engine, err := engineName(dir)
	if err != nil {
		return nil, err
	}
	d := &codeDir{dir: dir, engine: engine, maxBytes: maxBytes}
	for _, pattern := range []string{"wazero-*", "*/wazero-*"} {
		left, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range left {
			if filepath.Dir(path) == dir || filepath.Base(path) != engine {
				err = errors.Join(err, os.RemoveAll(path))
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return d, d.prune(nil, time.Now())
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
	return os.Chtimes(d.path(digest), now, now)
}

// clear deletes the code of one module.
func (d *codeDir) clear(digest string) error { return os.RemoveAll(d.path(digest)) }

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
	held, err := d.held()
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

// held lists what there is. A module that somebody deletes meanwhile is left out.
func (d *codeDir) held() (list []code, err error) {
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
