package feed

import (
	"errors"
	"sync"
	"time"
)

// shelf keeps what many edges ask for at the same moment, so that it is made once. What is longer than
// maxBytes together with the rest is made and not kept. It may be used concurrently.
type shelf[V any] struct {
	maxBytes int
	keepFor  time.Duration
	size     func(V) int

	mu    sync.Mutex // guards all below
	bytes int
	held  map[string]*shelved[V]
}

// shelved is one thing, or that it is being made.
type shelved[V any] struct {
	begun time.Time     // what was so before is in it
	done  chan struct{} // closed when the rest is set
	value V
	err   error
	ends  *time.Timer // takes it off the shelf; nil until it is counted
}

var errUnmade = errors.New("feed: what others wait for was not made")

func newShelf[V any](maxBytes int, keepFor time.Duration, size func(V) int) *shelf[V] {
	return &shelf[V]{maxBytes: maxBytes, keepFor: keepFor, size: size, held: map[string]*shelved[V]{}}
}

// take returns what is under key, if making it began not before a moment, else what fn makes; and
// when that began. An error is that of all who wait for it, and is not kept.
func (s *shelf[V]) take(key string, notBefore time.Time, fn func() (V, error)) (V, time.Time, error) {
	s.mu.Lock()
	held := s.held[key]
	if held != nil && !held.begun.Before(notBefore) {
		s.mu.Unlock()
		<-held.done
		return held.value, held.begun, held.err
	}
	made := &shelved[V]{begun: time.Now(), done: make(chan struct{}), err: errUnmade}
	s.put(key, made)
	s.mu.Unlock()
	defer s.settle(key, made) // where fn panics too
	made.value, made.err = fn()
	return made.value, made.begun, made.err
}

// put replaces what is under key. s.mu is held.
func (s *shelf[V]) put(key string, made *shelved[V]) {
	s.drop(key, s.held[key])
	s.held[key] = made
}

// drop takes one thing off, if it is still there. s.mu is held.
func (s *shelf[V]) drop(key string, held *shelved[V]) {
	if held == nil || s.held[key] != held {
		return
	}
	delete(s.held, key)
	if held.ends != nil {
		held.ends.Stop() // else it keeps what was made in memory until then
		s.bytes -= len(key) + s.size(held.value)
	}
}

// settle keeps what was made for its time, if there is room.
func (s *shelf[V]) settle(key string, made *shelved[V]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer close(made.done)
	if s.held[key] != made {
		return
	}
	if size := len(key) + s.size(made.value); made.err != nil || s.bytes+size > s.maxBytes {
		delete(s.held, key)
	} else {
		s.bytes += size
		made.ends = time.AfterFunc(s.keepFor, func() { s.expire(key, made) })
	}
}

func (s *shelf[V]) expire(key string, made *shelved[V]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(key, made)
}
