package origin

import (
	"context"
	"runtime"
	"time"

	"golang.org/x/sync/semaphore"
)

// From here on a document takes milliseconds to decide about.
const (
	heavyTokens = 1000
	heavyBody   = 64 << 10 // bytes
)

// isHeavy reports whether deciding q takes long, by what its path named when it was authorised.
func isHeavy(q *request, t target) bool {
	return t.theme.TokenCount >= heavyTokens || t.variant.TokenCount >= heavyTokens || len(q.body) >= heavyBody
}

// heavyWork is a semaphore that lets heavy work run side by side only as far as one core stays free.
type heavyWork struct{ places *semaphore.Weighted }

func newHeavyWork() heavyWork {
	return heavyWork{semaphore.NewWeighted(int64(max(1, runtime.GOMAXPROCS(0)-1)))}
}

// acquire waits for a place, and returns what releases it, or the error of ctx if that ends before.
func (h heavyWork) acquire(ctx context.Context) (release func(), err error) {
	if err := h.places.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	return func() { h.places.Release(1) }, nil
}

// backgroundEvery is how often work in the background tries to begin.
const backgroundEvery = 2 * time.Millisecond

// acquireBackground is acquire for work that no request waits for: all heavy work that waits goes first.
func (h heavyWork) acquireBackground(ctx context.Context) (release func(), err error) {
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
