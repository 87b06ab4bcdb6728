package edge

import (
	"errors"
	"strings"
	"sync/atomic"

	"example.com/livery/edge/memcache"

	"github.com/maypok86/otter/v2"
)

// cache is what the edge holds in memory, within a budget of bytes. It may be used concurrently.
type cache struct {
	themes  *memcache.Table[string, *theme]
	pairs   *memcache.Table[string, *pair]
	changes atomic.Uint64 // the newest number of theme.change given out
}

// What an entry takes besides its bytes: structures, keys, the table's own. A test weighs them.
const (
	themeCost      = 896
	signingKeyCost = 1 << 10
	pairCost       = 1 << 9 // with its place among those of its Theme
)

// recordParts is how many parts of 64 of a budget newCache takes.
const recordParts = 18

// newCache returns a cache that takes 9/32 of a budget: 3 for Themes, 6 for pairs. If files are some 2 KiB as they are
// sent, records are evicted about as often as files: a file is of use only with the record of its pair.
func newCache(budget int64) (c *cache, err error) {
	part := uint64(budget) / 64
	var errs [2]error
	c = &cache{}
	c.themes, errs[0] = memcache.New(6*part, func(_ string, t *theme) uint32 { return t.cost() }, nil)
	c.pairs, errs[1] = memcache.New(12*part, func(string, *pair) uint32 { return pairCost }, (*pair).dropped)
	return c, errors.Join(errs[:]...)
}

// close ends what the tables run in the background.
func (c *cache) close() {
	c.themes.StopAllGoroutines()
	c.pairs.StopAllGoroutines()
}

// theme returns what is held under key, or nil. key is only read.
func (c *cache) theme(key []byte) *theme {
	t, _ := c.themes.GetIfPresent(memcache.LookupKey(key))
	return t
}

// pair returns what is held under key, or nil. key is only read.
func (c *cache) pair(key []byte) *pair {
	p, _ := c.pairs.GetIfPresent(memcache.LookupKey(key))
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

// weigh counts what a Theme takes now that it has another state.
func (c *cache) weigh(t *theme) {
	c.themes.ComputeIfPresent(t.key, func(held *theme) (*theme, otter.ComputeOp) {
		if held != t {
			return held, otter.CancelOp
		}
		return held, otter.WriteOp
	})
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

// bytes returns what is held, roughly.
func (c *cache) bytes() uint64 {
	return c.themes.WeightedSize() + c.pairs.WeightedSize()
}
