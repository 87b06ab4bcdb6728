package edge

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"unsafe"

	"example.com/livery/storage/record"
	"example.com/livery/wasm/abi"
	"github.com/maypok86/otter/v2"
)

// cache is what the edge holds in memory, within a budget of bytes. What is asked for rarely makes
// place for what is asked for often, so that a flood of unknown addresses pushes nothing out. It may
// be used concurrently.
type cache struct {
	themes  *otter.Cache[string, *theme]
	pairs   *otter.Cache[string, *pair]
	inputs  *otter.Cache[record.Hash, []byte] // plans and overlays
	files   *otter.Cache[fileKey, *file]
	changes atomic.Uint64 // the newest number of theme.change given out
}

// fileKey names a file by what it is made from.
type fileKey struct {
	content contentID
	file    abi.File
}

// What an entry costs besides its bytes, roughly: structures, keys, the table's own.
const (
	themeCost = 1 << 10
	pairCost  = 768
	inputCost = 256
	fileCost  = 512
)

// newCache splits the budget: three quarters hold files, an eighth what they are made from, the rest
// records.
func newCache(budget int64) (*cache, error) {
	part := uint64(budget / 16)
	themes, err1 := weighed(part, func(string, *theme) uint32 { return themeCost })
	pairs, err2 := otter.New(&otter.Options[string, *pair]{
		MaximumWeight: part,
		Weigher:       func(string, *pair) uint32 { return pairCost },
		OnDeletion:    func(d otter.DeletionEvent[string, *pair]) { d.Value.dropped() },
	})
	inputs, err3 := weighed(2*part, func(_ record.Hash, b []byte) uint32 { return uint32(len(b)) + inputCost })
	files, err4 := weighed(uint64(budget)-4*part, func(_ fileKey, f *file) uint32 { return f.bytes() + fileCost })
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return nil, fmt.Errorf("edge: cache: %w", err)
	}
	return &cache{themes: themes, pairs: pairs, inputs: inputs, files: files}, nil
}

func weighed[K comparable, V any](budget uint64, weigh func(K, V) uint32) (*otter.Cache[K, V], error) {
	return otter.New(&otter.Options[K, V]{MaximumWeight: budget, Weigher: weigh})
}

// close ends what the caches run in the background.
func (c *cache) close() {
	c.themes.StopAllGoroutines()
	c.pairs.StopAllGoroutines()
	c.inputs.StopAllGoroutines()
	c.files.StopAllGoroutines()
}

// theme returns what is held under key, or nil. key is only read.
func (c *cache) theme(key []byte) *theme {
	t, _ := c.themes.GetIfPresent(lent(key))
	return t
}

// pair returns what is held under key, or nil. key is only read.
func (c *cache) pair(key []byte) *pair {
	p, _ := c.pairs.GetIfPresent(lent(key))
	return p
}

// makeTheme returns what is held under key, which it may have to make: with a new number of change,
// so that pairs held since an earlier one are in doubt.
func (c *cache) makeTheme(key string) *theme {
	t, _ := c.themes.ComputeIfAbsent(key, func() (*theme, bool) {
		t := &theme{key: key}
		t.change.Store(c.changes.Add(1))
		return t, false
	})
	return t
}

func (c *cache) makePair(key string) *pair {
	p, _ := c.pairs.ComputeIfAbsent(key, func() (*pair, bool) {
		return &pair{key: key, pinned: !strings.HasSuffix(key, "/latest")}, false
	})
	return p
}

// dropped has the Theme of a pair that is not held any more forget it: what is remembered stays within
// the budget.
func (p *pair) dropped() {
	p.gone.Store(true)
	if t := p.theme.Load(); t != nil {
		t.forget(p)
	}
}

// putBody keeps one coding of a file beside those that are held of it.
func (c *cache) putBody(key fileKey, b *body) {
	c.files.Compute(key, func(held *file, _ bool) (*file, otter.ComputeOp) {
		return held.with(b), otter.WriteOp
	})
}

// replaceBody puts a smaller body in the place of one that is still held.
func (c *cache) replaceBody(key fileKey, old, b *body) {
	c.files.ComputeIfPresent(key, func(held *file) (*file, otter.ComputeOp) {
		if held.bodies[old.wanted] != old {
			return held, otter.CancelOp
		}
		return held.with(b), otter.WriteOp
	})
}

// lent makes a string of bytes that nobody changes or keeps while it is used: a look-up.
func lent(key []byte) string { return unsafe.String(unsafe.SliceData(key), len(key)) }

// bytes returns what is held, roughly.
func (c *cache) bytes() uint64 {
	return c.themes.WeightedSize() + c.pairs.WeightedSize() + c.inputs.WeightedSize() + c.files.WeightedSize()
}
