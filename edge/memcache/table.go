// Package memcache is tables in memory within a budget of bytes. What is requested rarely is evicted for what is requested
// often, so that a flood of unknown keys pushes nothing out.
package memcache

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/maypok86/otter/v2"
)

// Table is a table within a budget. It may be used concurrently.
type Table[K comparable, V any] struct {
	*otter.Cache[K, V]
	evicted atomic.Uint64
}

// New returns an empty table of at most so many bytes, by weigh. If deleted is not nil it is told of every value that the
// table holds no more.
func New[K comparable, V any](budget uint64, weigh func(K, V) uint32, deleted func(V)) (*Table[K, V], error) {
	t := &Table[K, V]{}
	o := &otter.Options[K, V]{MaximumWeight: budget, Weigher: weigh, OnAtomicDeletion: func(d otter.DeletionEvent[K, V]) {
		if d.WasEvicted() {
			t.evicted.Add(1)
		}
	}}
	if deleted != nil {
		o.OnDeletion = func(d otter.DeletionEvent[K, V]) { deleted(d.Value) }
	}
	var err error
	if t.Cache, err = otter.New(o); err != nil {
		return nil, fmt.Errorf("edge: cache: %w", err)
	}
	return t, nil
}

// Evicted returns how many values were evicted.
func (t *Table[K, V]) Evicted() uint64 { return t.evicted.Load() }

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
