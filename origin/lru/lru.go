// Package lru is caches that hold what was used last, by bytes.
package lru

import (
	"container/list"
	"sync"
)

// Cache is the values that were added or used last, as far as they fit into maxBytes. It may be used concurrently.
type Cache[K comparable, V any] struct {
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

// EntryBytes is what an entry takes beside the value: its key, its place in the table and in the order.
const EntryBytes = 384

// New returns an empty cache of so many bytes.
func New[K comparable, V any](maxBytes int64) *Cache[K, V] {
	return &Cache[K, V]{maxBytes: maxBytes, order: list.New(), byKey: map[K]*list.Element{}}
}

// Get returns the value under a key, or the zero value.
func (c *Cache[K, V]) Get(key K) (value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byKey[key]
	if e == nil {
		return value
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached[K, V]).value
}

// Add caches a value that takes so many bytes in place of the one under its key, and evicts those that were used longest ago.
// One that is larger than the cache is not cached.
func (c *Cache[K, V]) Add(key K, value V, bytes int64) {
	bytes += EntryBytes
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byKey[key]; e != nil {
		c.remove(e)
	}
	if bytes > c.maxBytes {
		return
	}
	c.byKey[key] = c.order.PushFront(&cached[K, V]{key, value, bytes})
	for c.bytes += bytes; c.bytes > c.maxBytes; {
		c.remove(c.order.Back())
	}
}

func (c *Cache[K, V]) remove(e *list.Element) {
	old := c.order.Remove(e).(*cached[K, V])
	delete(c.byKey, old.key)
	c.bytes -= old.bytes
}

// Weight returns the bytes that are counted.
func (c *Cache[K, V]) Weight() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}
