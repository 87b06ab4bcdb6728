// Package memcache is tables in memory within a budget of bytes. What is requested once makes place before what is
// requested again, so that a flood of unknown keys pushes nothing out.
package memcache

import (
	"hash/maphash"
	"iter"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Table is a table within a budget. It may be used concurrently: reads take no lock.
//
// Its policy is S3-FIFO, weighed in bytes. A new value is on probation, in a queue that has a part of the budget. It
// leaves that queue for the main one if it was requested again meanwhile, and else is evicted; of what was evicted so, a
// table of fingerprints is kept, and a value that comes back goes to the main queue at once. The main queue is a clock:
// its oldest value is evicted unless it was requested since it was looked at last. What was superseded goes first.
type Table[K comparable, V any] struct {
	budget  uint64
	weigh   func(K, V) uint32
	removed func(K, V) // nil: the table tells of none
	seed    maphash.Seed
	nodes   index[K, V]
	bytes   atomic.Uint64
	evicted atomic.Uint64

	mu         sync.Mutex // guards writes, and all below
	superseded queue[K, V]
	probation  queue[K, V]
	main       queue[K, V]
	ghosts     ghosts
}

// New returns an empty table of at most so many bytes, by weigh. If removed is not nil it is called with every value that the
// table no longer has, without a lock; a value that another one replaces under its key is not such a value.
func New[K comparable, V any](budget uint64, weigh func(K, V) uint32, removed func(K, V)) *Table[K, V] {
	t := &Table[K, V]{budget: budget, weigh: weigh, removed: removed, seed: maphash.MakeSeed()}
	t.superseded.init()
	t.probation.init()
	t.main.init()
	t.nodes.grow()
	return t
}

// Get returns the value under key, and counts that as a request for it.
func (t *Table[K, V]) Get(key K) (value V, ok bool) {
	n := t.find(key, maphash.Comparable(t.seed, key))
	if n == nil {
		return value, false
	}
	if r := n.requests.Load(); r < maxRequests {
		n.requests.Store(r + 1) // one of two at the same moment may be lost
	}
	return n.value, true
}

// Peek returns the value under key, without counting a request.
func (t *Table[K, V]) Peek(key K) (value V, ok bool) {
	n := t.find(key, maphash.Comparable(t.seed, key))
	if n == nil {
		return value, false
	}
	return n.value, true
}

// find returns the node of key, or nil.
func (t *Table[K, V]) find(key K, hash uint64) *node[K, V] {
	n, certain := t.nodes.find(key, hash)
	if !certain {
		t.mu.Lock()
		n, _ = t.nodes.find(key, hash)
		t.mu.Unlock()
	}
	return n
}

// Set puts a value under key.
func (t *Table[K, V]) Set(key K, value V) {
	t.Update(key, func(V, bool) (V, bool) { return value, true })
}

// Update puts what next returns under key, unless it says not to. next is called with the value that is there, under the lock
// of the table, which it must not use. It is told whether there is one.
func (t *Table[K, V]) Update(key K, next func(held V, ok bool) (value V, put bool)) {
	t.update(key, nil, next)
}

// UpdateHeir is Update for a key that is to supersede another: a value that is new under it has the standing of the one
// under before.
func (t *Table[K, V]) UpdateHeir(key, before K, next func(held V, ok bool) (value V, put bool)) {
	t.update(key, &before, next)
}

func (t *Table[K, V]) update(key K, before *K, next func(held V, ok bool) (value V, put bool)) {
	hash := maphash.Comparable(t.seed, key)
	t.mu.Lock()
	held, _ := t.nodes.find(key, hash)
	var old V
	if held != nil {
		old = held.value
	}
	value, put := next(old, held != nil)
	var gone []*node[K, V]
	if put {
		gone = t.put(held, &node[K, V]{key: key, hash: hash, value: value, weight: t.weigh(key, value)}, before)
	}
	t.mu.Unlock()
	t.notify(gone)
}

// put puts n in the place of held, if that is not nil, and returns what is gone for it.
func (t *Table[K, V]) put(held, n *node[K, V], before *K) (gone []*node[K, V]) {
	switch {
	case uint64(n.weight) > t.budget:
		if held != nil {
			t.remove(held)
		}
		t.evicted.Add(1)
		return []*node[K, V]{n}
	case held != nil:
		t.exchange(held, n)
	default:
		t.insert(n, before)
	}
	return t.evict()
}

// GetOrMake returns the value under key, which make makes if it is missing.
func (t *Table[K, V]) GetOrMake(key K, make func() V) (value V) {
	if value, ok := t.Get(key); ok {
		return value
	}
	t.Update(key, func(held V, ok bool) (V, bool) {
		if value = held; !ok {
			value = make()
		}
		return value, !ok
	})
	return value
}

// Delete removes the value under key, if there is one.
func (t *Table[K, V]) Delete(key K) {
	t.mu.Lock()
	n, _ := t.nodes.find(key, maphash.Comparable(t.seed, key))
	if n != nil {
		t.remove(n)
	}
	t.mu.Unlock()
	if n != nil {
		t.notify([]*node[K, V]{n})
	}
}

// Supersede has the value under key evicted before all others, unless it is requested again. If heir has no value
// yet, one that comes soon is taken for one that is requested again, if this one was.
func (t *Table[K, V]) Supersede(key, heir K) {
	hash := maphash.Comparable(t.seed, heir)
	t.mu.Lock()
	defer t.mu.Unlock()
	n, _ := t.nodes.find(key, maphash.Comparable(t.seed, key))
	if n == nil || n.queue == &t.superseded {
		return
	}
	if there, _ := t.nodes.find(heir, hash); there == nil && (n.queue == &t.main || n.requests.Load() > 0) {
		t.haunt(hash, 0)
	}
	n.requests.Store(0)
	t.move(n, &t.superseded)
}

// All yields what the table has, in no order. It counts no requests. What is put or removed meanwhile may be missing.
func (t *Table[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for _, n := range t.snapshot() {
			if !yield(n.key, n.value) {
				return
			}
		}
	}
}

func (t *Table[K, V]) snapshot() []*node[K, V] {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]*node[K, V], 0, t.nodes.count)
	for _, q := range []*queue[K, V]{&t.superseded, &t.probation, &t.main} {
		for n := q.root.after; n != &q.root; n = n.after {
			all = append(all, n)
		}
	}
	return all
}

// Bytes returns the weight of what the table has.
func (t *Table[K, V]) Bytes() uint64 { return t.bytes.Load() }

// Evicted returns how many values were evicted.
func (t *Table[K, V]) Evicted() uint64 { return t.evicted.Load() }

// notify calls removed for values that are gone.
func (t *Table[K, V]) notify(gone []*node[K, V]) {
	if t.removed == nil {
		return
	}
	for _, n := range gone {
		t.removed(n.key, n.value)
	}
}

// Allocated returns what the allocator gives for so many bytes: it has sizes of its own.
func Allocated(length int) uint32 {
	const page = 8 << 10
	if length > 4*page {
		return uint32((length + page - 1) / page * page)
	}
	return uint32(length + length/16)
}

// LookupKey makes a string of bytes that are not changed, and that is not stored, while it is used: for a look-up.
func LookupKey(key []byte) string { return unsafe.String(unsafe.SliceData(key), len(key)) }
