package feed

import (
	"errors"
	"sync"
	"time"
)

// responseCache keeps what many edges ask for at the same moment, so that it is made once. What does not fit into
// maxBytes with the rest is made and not cached. It may be used concurrently.
type responseCache[V any] struct {
	maxBytes int
	ttl      time.Duration
	size     func(V) int

	mu      sync.Mutex // guards all below
	bytes   int
	entries map[string]*entry[V]
}

// entry is a cached value, or one that is being made.
type entry[V any] struct {
	begun time.Time     // what was so before is in it
	done  chan struct{} // closed when the rest is set
	value V
	err   error
	timer *time.Timer // removes it; nil until it is counted
}

var errUnmade = errors.New("feed: what others wait for was not made")

func newResponseCache[V any](maxBytes int, ttl time.Duration, size func(V) int) *responseCache[V] {
	return &responseCache[V]{maxBytes: maxBytes, ttl: ttl, size: size, entries: map[string]*entry[V]{}}
}

// get returns what is under key, if making it began not before a moment, else what fn makes; and when that began. An
// error is that of all who wait for it, and is not cached.
func (c *responseCache[V]) get(key string, notBefore time.Time, fn func() (V, error)) (V, time.Time, error) {
	c.mu.Lock()
	old := c.entries[key]
	if old != nil && !old.begun.Before(notBefore) {
		c.mu.Unlock()
		<-old.done
		return old.value, old.begun, old.err
	}
	e := &entry[V]{begun: time.Now(), done: make(chan struct{}), err: errUnmade}
	c.remove(key, old)
	c.entries[key] = e
	c.mu.Unlock()
	defer c.finish(key, e) // also if fn panics
	e.value, e.err = fn()
	return e.value, e.begun, e.err
}

// remove removes an entry, if it is still there. c.mu must be held.
func (c *responseCache[V]) remove(key string, e *entry[V]) {
	if e == nil || c.entries[key] != e {
		return
	}
	delete(c.entries, key)
	if e.timer != nil {
		e.timer.Stop() // a timer that runs keeps the value in memory
		c.bytes -= len(key) + c.size(e.value)
	}
}

// finish caches what was made for the time to live, if there is room.
func (c *responseCache[V]) finish(key string, e *entry[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer close(e.done)
	if c.entries[key] != e {
		return
	}
	if size := len(key) + c.size(e.value); e.err != nil || c.bytes+size > c.maxBytes {
		delete(c.entries, key)
	} else {
		c.bytes += size
		e.timer = time.AfterFunc(c.ttl, func() { c.expire(key, e) })
	}
}

func (c *responseCache[V]) expire(key string, e *entry[V]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(key, e)
}
