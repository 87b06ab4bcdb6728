package derive

import (
	"container/list"
	"sync"

	"example.com/livery/renderer"
	"example.com/livery/storage/record"
)

// themeCache is the Themes that were compiled or used last, as far as they fit into maxBytes: after a
// Theme its Variants are published. It may be used concurrently.
type themeCache struct {
	maxBytes int64

	mu    sync.Mutex // guards all below
	bytes int64
	order *list.List // of *cachedTheme, the one used last in front
	byKey map[themeKey]*list.Element
}

// themeKey names what a Theme is compiled from.
type themeKey struct {
	document record.Hash
	prefix   string
}

type cachedTheme struct {
	key      themeKey
	compiled *renderer.CompiledTheme
	bytes    int64
}

// cachedThemeBytes is what an entry takes beside the compiled Theme: its key, its place in the table and in the order.
const cachedThemeBytes = 384

func newThemeCache(maxBytes int64) *themeCache {
	return &themeCache{maxBytes: maxBytes, order: list.New(), byKey: map[themeKey]*list.Element{}}
}

// get returns a compiled Theme, or nil.
func (c *themeCache) get(key themeKey) *renderer.CompiledTheme {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byKey[key]
	if e == nil {
		return nil
	}
	c.order.MoveToFront(e)
	return e.Value.(*cachedTheme).compiled
}

// add caches a Theme that takes so many bytes, and evicts those that were used longest ago. One that is larger than
// the cache is not cached.
func (c *themeCache) add(key themeKey, compiled *renderer.CompiledTheme, bytes int64) {
	bytes += cachedThemeBytes
	c.mu.Lock()
	defer c.mu.Unlock()
	if bytes > c.maxBytes || c.byKey[key] != nil {
		return
	}
	c.byKey[key] = c.order.PushFront(&cachedTheme{key, compiled, bytes})
	for c.bytes += bytes; c.bytes > c.maxBytes; {
		oldest := c.order.Remove(c.order.Back()).(*cachedTheme)
		delete(c.byKey, oldest.key)
		c.bytes -= oldest.bytes
	}
}

// weight returns the bytes that are counted.
func (c *themeCache) weight() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}
