package memcache

import "hash/maphash"

// The bounds of the policy. The benchmark of policies compares others.
const (
	maxRequests    = 7  // that are counted of a value between two looks at it
	probationParts = 20 // values on probation have one part in so many of the budget
)

// queue is a list of values, the oldest first.
type queue[K comparable, V any] struct {
	root  node[K, V] // before the first and after the last
	bytes uint64
}

func (q *queue[K, V]) init() { q.root.before, q.root.after = &q.root, &q.root }

// first returns the oldest value, or nil.
func (q *queue[K, V]) first() *node[K, V] {
	if q.root.after == &q.root {
		return nil
	}
	return q.root.after
}

// putBefore puts n before another node of q, or at the end: before its root.
func (q *queue[K, V]) putBefore(n, other *node[K, V]) {
	n.queue, n.before, n.after = q, other.before, other
	n.before.after, n.after.before = n, n
	q.bytes += uint64(n.weight)
}

func (q *queue[K, V]) take(n *node[K, V]) {
	n.before.after, n.after.before = n.after, n.before
	q.bytes -= uint64(n.weight)
}

// insert adds a value that is new under its key: in the place of the one under before, if there is one.
func (t *Table[K, V]) insert(n *node[K, V], before *K) {
	t.nodes.add(n)
	t.bytes.Add(uint64(n.weight))
	if before != nil {
		if old, _ := t.nodes.find(*before, maphash.Comparable(t.seed, *before)); old != nil && old.queue != &t.superseded {
			n.requests.Store(old.requests.Load())
			old.queue.putBefore(n, old)
			return
		}
	}
	q := &t.probation
	if t.ghosts.take(n.hash, t.budget) {
		q = &t.main
	}
	q.putBefore(n, &q.root)
}

// exchange puts n in the place of the value before under its key.
func (t *Table[K, V]) exchange(old, n *node[K, V]) {
	n.requests.Store(old.requests.Load())
	t.nodes.exchange(old, n)
	old.queue.putBefore(n, old)
	old.queue.take(old)
	t.bytes.Add(uint64(n.weight) - uint64(old.weight))
}

func (t *Table[K, V]) remove(n *node[K, V]) {
	n.queue.take(n)
	t.nodes.remove(n)
	t.bytes.Add(-uint64(n.weight))
}

// move puts n at the end of a queue.
func (t *Table[K, V]) move(n *node[K, V], q *queue[K, V]) {
	n.queue.take(n)
	q.putBefore(n, &q.root)
}

// evict removes values until the rest is within the budget, and returns them.
func (t *Table[K, V]) evict() (gone []*node[K, V]) {
	for t.bytes.Load() > t.budget {
		n := t.victim()
		if n == nil {
			continue // it was given another chance
		}
		t.remove(n)
		t.evicted.Add(1)
		gone = append(gone, n)
	}
	return gone
}

// victim looks at the value that is next to go, and returns it, or nil: it stays.
func (t *Table[K, V]) victim() *node[K, V] {
	if n := t.superseded.first(); n != nil {
		return t.passed(n, 0)
	}
	n := t.main.first()
	if t.probation.bytes > t.budget/probationParts || n == nil {
		n = t.probation.first()
		if n.requests.Load() == 0 {
			t.haunt(n.hash, n.weight)
		}
		return t.passed(n, 0)
	}
	return t.passed(n, n.requests.Load()-1)
}

// haunt remembers the hash of a value of so many bytes that is gone, and may come back.
func (t *Table[K, V]) haunt(hash uint64, weight uint32) {
	t.ghosts.room(len(*t.nodes.buckets.Load()))
	t.ghosts.add(hash, weight, t.budget)
}

// passed returns n if it was not requested. Else it goes to the end of the main queue, as if requested so many times.
func (t *Table[K, V]) passed(n *node[K, V], requests uint32) *node[K, V] {
	if n.requests.Load() == 0 {
		return n
	}
	n.requests.Store(requests)
	t.move(n, &t.main)
	return nil
}
