package pebble

import (
	"context"
	"math"
	"sync"

	"golang.org/x/sync/semaphore"

	"example.com/livery/storage"
)

// scopes makes writers of one scope serial, and a Global one alone. A Global writer that waits is overtaken by none that
// comes after it. Its methods may be called concurrently; the zero scopes is not usable, call newScopes.
type scopes struct {
	all *semaphore.Weighted // a scope holds one unit, Global holds all

	mu    sync.Mutex // guards locks
	locks map[string]*scopeLock
}

// scopeLock is the lock of a scope that someone holds or waits for.
type scopeLock struct {
	free  chan struct{} // holds one token while the lock is free
	users int           // goroutines that hold it or wait for it; guarded by scopes.mu
}

const allScopes = math.MaxInt64

func newScopes() *scopes {
	return &scopes{all: semaphore.NewWeighted(allScopes), locks: map[string]*scopeLock{}}
}

// acquire waits for the scope's turn and returns what gives it up, or ctx's error. The wait for
// all comes before the wait for the scope: the holder of a scope then waits for nothing.
func (s *scopes) acquire(ctx context.Context, scope string) (release func(), err error) {
	if scope == storage.Global {
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

func (s *scopes) join(scope string) *scopeLock {
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

func (s *scopes) part(scope string, lock *scopeLock) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if lock.users--; lock.users == 0 {
		delete(s.locks, scope)
	}
}
