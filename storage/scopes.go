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

	mu   sync.Mutex // guards held
	held map[string]*scopeLock
}

// scopeLock is the lock of a scope that someone holds or waits for.
type scopeLock struct {
	free  chan struct{} // holds one token while nobody has the lock
	users int           // who holds it or waits for it; guarded by Scopes.mu
}

const allScopes = math.MaxInt64

// NewScopes returns Scopes that nobody holds.
func NewScopes() *Scopes {
	return &Scopes{all: semaphore.NewWeighted(allScopes), held: map[string]*scopeLock{}}
}

// Acquire waits for the scope's turn and returns what gives it up, or ctx's error. The wait for
// all comes before the wait for the scope: whoever holds a scope then waits for nothing.
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

// Waited reports whether a writer waits for a scope that the caller has.
func (s *Scopes) Waited(scope string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	lock := s.held[scope]
	return lock != nil && lock.users > 1
}

func (s *Scopes) join(scope string) *scopeLock {
	s.mu.Lock()
	defer s.mu.Unlock()
	lock := s.held[scope]
	if lock == nil {
		lock = &scopeLock{free: make(chan struct{}, 1)}
		lock.free <- struct{}{}
		s.held[scope] = lock
	}
	lock.users++
	return lock
}

func (s *Scopes) part(scope string, lock *scopeLock) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if lock.users--; lock.users == 0 {
		delete(s.held, scope)
	}
}
