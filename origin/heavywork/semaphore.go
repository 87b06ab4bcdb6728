// Package heavywork bounds how much work that takes long runs at one time.
package heavywork

import (
	"context"
	"runtime"
	"time"

	"golang.org/x/sync/semaphore"
)

// Semaphore lets heavy work run side by side only as far as one core stays free.
type Semaphore struct{ places *semaphore.Weighted }

// New returns a Semaphore with a place for each core but one, and one at least.
func New() Semaphore {
	return Semaphore{semaphore.NewWeighted(int64(max(1, runtime.GOMAXPROCS(0)-1)))}
}

// Acquire waits for a place, and returns what releases it, or the error of ctx if that ends before.
func (h Semaphore) Acquire(ctx context.Context) (release func(), err error) {
	if err := h.places.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	return func() { h.places.Release(1) }, nil
}

// backgroundEvery is how often work in the background tries to begin.
const backgroundEvery = 2 * time.Millisecond

// AcquireBackground is Acquire for work that no request waits for: all heavy work that waits goes first.
func (h Semaphore) AcquireBackground(ctx context.Context) (release func(), err error) {
	ticker := time.NewTicker(backgroundEvery)
	defer ticker.Stop()
	for !h.places.TryAcquire(1) { // it fails if any other waits
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return func() { h.places.Release(1) }, nil
}
