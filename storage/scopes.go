package storage

import (
	"context"
	"math"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Scopes makes writers of one scope serial, and a Global one alone, within one process. A waiting
// Global writer is overtaken by none that comes after it. Its methods may be called concurrently; the
// zero Scopes is not usable, call NewScopes.
type Scopes struct {
	all *semaphore.Weighted // a scope holds one unit, Global holds all

	mu     sync.Mutex // guards locks
	locks  map[string]*scopeLock
	unused func(scope string) // may be nil
}

// scopeLock is the lock of a scope that someone holds or waits for.
type scopeLock struct {
	free  chan struct{} // holds one token while the lock is free
	users int           // goroutines that hold it or wait for it; guarded by Scopes.mu
}

const allScopes = math.MaxInt64

// NewScopes returns Scopes that no writer holds. unused, unless it is nil, is called with a scope each time that
// no writer holds it and none waits for it any more, whether the last one released it or its context ended. No
// writer gets the scope before unused returns; unused must not block. It is not called for Global.
func NewScopes(unused func(scope string)) *Scopes {
	return &Scopes{all: semaphore.NewWeighted(allScopes), locks: map[string]*scopeLock{}, unused: unused}
}

// Acquire waits for the scope's turn and returns what gives it up, or ctx's error. The wait for
// all comes before the wait for the scope: the holder of a scope then waits for nothing.
func (s *Scopes) Acquire(ctx context.Context, scope string) (release func(), err error) {
	if scope == Global {
		if err := s.all.Acquire(ctx, allScopes); err != nil {
			return nil, err
		}
		return func() { s.all.Release(allScopes) }, nil
	}
	if err := s.all.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	lock := s.join(scope)
	select {
	case <-lock.free:
		return func() {
			lock.free <- struct{}{}
			s.part(scope, lock)
			s.all.Release(1)
		}, nil
	case <-ctx.Done():
		s.part(scope, lock)
		s.all.Release(1)
		return nil, ctx.Err()
	}
}

func (s *Scopes) join(scope string) *scopeLock {
	s.mu.Lock()
	defer s.mu.Unlock()
	lock := s.locks[scope]
	if lock == nil {
		lock = &scopeLock{free: make(chan struct{}, 1)}
		lock.free <- struct{}{}
		s.locks[scope] = lock
	}
	lock.users++
	return lock
}

func (s *Scopes) part(scope string, lock *scopeLock) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if lock.users--; lock.users == 0 {
		delete(s.locks, scope)
		if s.unused != nil {
			s.unused(scope)
		}
	}
}
