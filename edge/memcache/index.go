package memcache

import "sync/atomic"

// node is a value under its key. Key and value do not change: another value has another node.
type node[K comparable, V any] struct {
	next     atomic.Pointer[node[K, V]] // in its bucket
	hash     uint64
	requests atomic.Uint32 // since the policy looked at it last; at most maxRequests
	weight   uint32

	queue         *queue[K, V] // that it is in
	before, after *node[K, V]  // in that queue

	key   K
	value V
}

// index finds nodes by their keys. Reads take no lock; the lock of the table guards writes. While it grows, a read may miss
// a node that is there, and says so.
type index[K comparable, V any] struct {
	buckets atomic.Pointer[[]atomic.Pointer[node[K, V]]] // a power of two
	moves   atomic.Uint64                                // odd while it grows
	count   int
}

const leastBuckets = 64

// find returns the node of key, or nil; certain is false if there may be one all the same.
func (x *index[K, V]) find(key K, hash uint64) (n *node[K, V], certain bool) {
	moves := x.moves.Load()
	buckets := *x.buckets.Load()
	for n = buckets[hash&uint64(len(buckets)-1)].Load(); n != nil; n = n.next.Load() {
		if n.hash == hash && n.key == key {
			return n, true
		}
	}
	return nil, moves&1 == 0 && x.moves.Load() == moves
}

// link returns what leads to a node: its bucket, or the one before it.
func (x *index[K, V]) link(n *node[K, V]) *atomic.Pointer[node[K, V]] {
	buckets := *x.buckets.Load()
	link := &buckets[n.hash&uint64(len(buckets)-1)]
	for other := link.Load(); other != n; other = link.Load() {
		link = &other.next
	}
	return link
}

func (x *index[K, V]) add(n *node[K, V]) {
	if x.count++; x.count > len(*x.buckets.Load()) {
		x.grow()
	}
	x.push(*x.buckets.Load(), n)
}

func (x *index[K, V]) push(buckets []atomic.Pointer[node[K, V]], n *node[K, V]) {
	bucket := &buckets[n.hash&uint64(len(buckets)-1)]
	n.next.Store(bucket.Load())
	bucket.Store(n)
}

// exchange puts n in the place of old. A read that is at old goes on behind it.
func (x *index[K, V]) exchange(old, n *node[K, V]) {
	n.next.Store(old.next.Load())
	x.link(old).Store(n)
}

func (x *index[K, V]) remove(n *node[K, V]) {
	x.link(n).Store(n.next.Load())
	x.count--
}

// grow doubles the buckets.
func (x *index[K, V]) grow() {
	old := x.buckets.Load()
	if old == nil {
		buckets := make([]atomic.Pointer[node[K, V]], leastBuckets)
		x.buckets.Store(&buckets)
		return
	}
	x.moves.Add(1)
	buckets := make([]atomic.Pointer[node[K, V]], 2*len(*old))
	for i := range *old {
		for n := (*old)[i].Load(); n != nil; {
			next := n.next.Load()
			x.push(buckets, n)
			n = next
		}
	}
	x.buckets.Store(&buckets)
	x.moves.Add(1)
}
