package edge

import (
	"errors"
	"strings"
	"sync/atomic"

	"example.com/livery/edge/coding"
	"example.com/livery/edge/memcache"

	"example.com/livery/storage/record"
	"example.com/livery/wasm/abi"
	"github.com/maypok86/otter/v2"
)

// cache is what the edge holds in memory, within a budget of bytes. It may be used concurrently.
type cache struct {
	themes  *memcache.Table[string, *theme]
	pairs   *memcache.Table[string, *pair]
	inputs  *memcache.Table[record.Hash, []byte] // plans and overlays
	files   *memcache.Table[fileKey, *file]
	offers  *memcache.Table[offerKey, *pairState]
	changes atomic.Uint64 // the newest number of theme.change given out
}

// fileKey names a file by what it is made from.
type fileKey struct {
	content contentID
	file    abi.File
}

// offerKey names a file that clients may have, by its digest: only of the same line is it a dictionary.
type offerKey struct {
	line string // as pair.line returns it
	file abi.File
	sum  coding.Digest
}

// What an entry takes besides its bytes: structures, keys, the table's own. A test weighs them.
const (
	themeCost      = 896
	signingKeyCost = 1 << 10
	pairCost       = 1 << 9 // with its place among those of its Theme
	inputCost      = 320
	fileCost       = 240
	bodyCost       = 512     // with its validators and the beginning of its head
	offerCost      = 1 << 10 // with the state that is kept alive
)

// newCache splits the budget: Themes 3/32, plans and overlays 3/32, pairs 6/32, dictionary offers 1/64, files the rest. If
// files are some 2 KiB as they are sent, records are evicted about as often as files: a file is of use only with the record
// of its pair.
func newCache(budget int64) (c *cache, err error) {
	part := uint64(budget / 64)
	var errs [5]error
	c = &cache{}
	c.themes, errs[0] = memcache.New(6*part, func(_ string, t *theme) uint32 { return t.cost() }, nil)
	c.pairs, errs[1] = memcache.New(12*part, func(string, *pair) uint32 { return pairCost }, (*pair).dropped)
	c.inputs, errs[2] = memcache.New(6*part, func(_ record.Hash, b []byte) uint32 { return memcache.Allocated(len(b)) + inputCost }, nil)
	c.offers, errs[3] = memcache.New(part, func(offerKey, *pairState) uint32 { return offerCost }, nil)
	c.files, errs[4] = memcache.New(uint64(budget)-25*part, func(_ fileKey, f *file) uint32 { return f.cost() }, nil)
	return c, errors.Join(errs[:]...)
}

// close ends what the tables run in the background.
func (c *cache) close() {
	c.themes.StopAllGoroutines()
	c.pairs.StopAllGoroutines()
	c.inputs.StopAllGoroutines()
	c.files.StopAllGoroutines()
	c.offers.StopAllGoroutines()
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

// putDelta keeps what is known of a delta beside the bodies that are still held of its file.
func (c *cache) putDelta(key fileKey, d delta) {
	c.files.ComputeIfPresent(key, func(held *file) (*file, otter.ComputeOp) {
		return held.withDelta(d), otter.WriteOp
	})
}

// bytes returns what is held, roughly.
func (c *cache) bytes() uint64 {
	return c.themes.WeightedSize() + c.pairs.WeightedSize() + c.inputs.WeightedSize() + c.files.WeightedSize() + c.offers.WeightedSize()
}
