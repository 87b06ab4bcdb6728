package derive

import (
	"container/list"
	"sync"
)

// lru is the values that were added or used last, as far as they fit into maxBytes. It may be used concurrently.
type lru[K comparable, V any] struct {
	maxBytes int64

	mu    sync.Mutex // guards all below
	bytes int64
	order *list.List // of *cached[K, V], the one used last in front
	byKey map[K]*list.Element
}

type cached[K comparable, V any] struct {
	key   K
	value V
	bytes int64
}

// cachedBytes is what an entry takes beside the value: its key, its place in the table and in the order.
const cachedBytes = 384

func newLRU[K comparable, V any](maxBytes int64) *lru[K, V] {
	return &lru[K, V]{maxBytes: maxBytes, order: list.New(), byKey: map[K]*list.Element{}}
}

// get returns the value under a key, or the zero value.
func (c *lru[K, V]) get(key K) (value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byKey[key]
	if e == nil {
		return value
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached[K, V]).value
}

// add caches a value that takes so many bytes, and evicts those that were used longest ago. One that is larger than
// the cache is not cached.
func (c *lru[K, V]) add(key K, value V, bytes int64) {
	bytes += cachedBytes
	c.mu.Lock()
	defer c.mu.Unlock()
	if bytes > c.maxBytes || c.byKey[key] != nil {
		return
	}
	c.byKey[key] = c.order.PushFront(&cached[K, V]{key, value, bytes})
	for c.bytes += bytes; c.bytes > c.maxBytes; {
		oldest := c.order.Remove(c.order.Back()).(*cached[K, V])
		delete(c.byKey, oldest.key)
		c.bytes -= oldest.bytes
	}
}

// weight returns the bytes that are counted.
func (c *lru[K, V]) weight() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}
