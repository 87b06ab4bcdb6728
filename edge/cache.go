package edge

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"unsafe"

	"example.com/livery/edge/coding"

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
	offers  *otter.Cache[offerKey, *pairState]
	changes atomic.Uint64 // the newest number of theme.change given out
	evicted [heldCount]atomic.Uint64
}

// heldKind is a kind of what is held.
type heldKind uint8

const (
	heldTheme heldKind = iota
	heldPair
	heldInput
	heldFile
	heldOffer
	heldCount
)

var heldNames = [heldCount]string{"theme", "pair", "input", "file", "offer"}

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

// newCache splits the budget: Themes and what files are made from have three parts of 32 each, pairs six, files the
// rest, and of that a little what clients may have of them. Where files are some 2 KiB as they are sent, records make
// place about as often as files do: a file is of use only with the record of its pair.
func newCache(budget int64) (*cache, error) {
	c, part := &cache{}, uint64(budget/64)
	var errs [heldCount]error
	c.themes, errs[heldTheme] = weighed(6*part, c.counting(heldTheme), func(_ string, t *theme) uint32 { return t.cost() }, nil)
	c.pairs, errs[heldPair] = weighed(12*part, c.counting(heldPair), func(string, *pair) uint32 { return pairCost }, (*pair).dropped)
	c.inputs, errs[heldInput] = weighed(6*part, c.counting(heldInput), func(_ record.Hash, b []byte) uint32 { return allocated(len(b)) + inputCost }, nil)
	c.offers, errs[heldOffer] = weighed(part, c.counting(heldOffer), func(offerKey, *pairState) uint32 { return offerCost }, nil)
	c.files, errs[heldFile] = weighed(uint64(budget)-25*part, c.counting(heldFile), func(_ fileKey, f *file) uint32 { return f.cost() }, nil)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("edge: cache: %w", err)
	}
	return c, nil
}

// counting returns what counts an eviction.
func (c *cache) counting(kind heldKind) func() { return func() { c.evicted[kind].Add(1) } }

// weighed makes a table that holds so much. Where dropped is not nil it is told of everything that the
// table holds no more.
func weighed[K comparable, V any](budget uint64, evicted func(), weigh func(K, V) uint32, dropped func(V)) (*otter.Cache[K, V], error) {
	o := &otter.Options[K, V]{MaximumWeight: budget, Weigher: weigh, OnAtomicDeletion: func(d otter.DeletionEvent[K, V]) {
		if d.WasEvicted() {
			evicted()
		}
	}}
	if dropped != nil {
		o.OnDeletion = func(d otter.DeletionEvent[K, V]) { dropped(d.Value) }
	}
	return otter.New(o)
}

// close ends what the caches run in the background.
func (c *cache) close() {
	c.themes.StopAllGoroutines()
	c.pairs.StopAllGoroutines()
	c.inputs.StopAllGoroutines()
	c.files.StopAllGoroutines()
	c.offers.StopAllGoroutines()
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

// allocated returns what the allocator gives for so many bytes: it has sizes of its own.
func allocated(length int) uint32 {
	const page = 8 << 10
	if length > 4*page {
		return uint32((length + page - 1) / page * page)
	}
	return uint32(length + length/16)
}

// lent makes a string of bytes that nobody changes or keeps while it is used: a look-up.
func lent(key []byte) string { return unsafe.String(unsafe.SliceData(key), len(key)) }

// bytes returns what is held, roughly.
func (c *cache) bytes() uint64 {
	return c.themes.WeightedSize() + c.pairs.WeightedSize() + c.inputs.WeightedSize() + c.files.WeightedSize() + c.offers.WeightedSize()
}
