package edge

import (
	"fmt"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/maypok86/otter/v2"
)

// cache is what the edge holds in memory, within a budget of bytes. What is asked for rarely makes
// place for what is asked for often, so that a flood of unknown addresses pushes nothing out. It may
// be used concurrently.
type cache struct {
	themes  *otter.Cache[string, *theme]
	pairs   *otter.Cache[string, *pair]
	bodies  *otter.Cache[bodyKey, *body]
	changes atomic.Uint64 // the newest number of theme.change given out
}

// What an entry costs besides its text, in bytes, roughly: structures, keys, the table's own.
const (
	themeCost = 1 << 10
	pairCost  = 768
	bodyCost  = 256
)

// newCache splits the budget: seven eighths hold files, the rest records.
func newCache(budget int64) (*cache, error) {
	records := uint64(budget / 16)
	themes, err := otter.New(&otter.Options[string, *theme]{
		MaximumWeight: records,
		Weigher:       func(string, *theme) uint32 { return themeCost },
	})
	if err != nil {
		return nil, fmt.Errorf("edge: cache: %w", err)
	}
	pairs, err := otter.New(&otter.Options[string, *pair]{
		MaximumWeight: records,
		Weigher:       func(string, *pair) uint32 { return pairCost },
	})
	if err != nil {
		return nil, fmt.Errorf("edge: cache: %w", err)
	}
	bodies, err := otter.New(&otter.Options[bodyKey, *body]{
		MaximumWeight: uint64(budget) - 2*records,
		Weigher:       func(_ bodyKey, b *body) uint32 { return uint32(len(b.bytes)) + bodyCost },
	})
	if err != nil {
		return nil, fmt.Errorf("edge: cache: %w", err)
	}
	return &cache{themes: themes, pairs: pairs, bodies: bodies}, nil
}

// close ends what the caches run in the background.
func (c *cache) close() {
	c.themes.StopAllGoroutines()
	c.pairs.StopAllGoroutines()
	c.bodies.StopAllGoroutines()
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

// doubt marks a Theme and its pairs: they are asked for again before they are served as current.
func (c *cache) doubt(t *theme) { t.change.Store(c.changes.Add(1)) }

// lent makes a string of bytes that nobody changes or keeps while it is used: a look-up.
func lent(key []byte) string { return unsafe.String(unsafe.SliceData(key), len(key)) }

// bytes returns what is held, roughly.
func (c *cache) bytes() uint64 {
	return c.themes.WeightedSize() + c.pairs.WeightedSize() + c.bodies.WeightedSize()
}
