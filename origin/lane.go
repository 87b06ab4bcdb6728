package origin

import (
	"context"
	"runtime"
	"time"
)

// From here on a document takes milliseconds to judge.
const (
	heavyTokens = 1000
	heavyBody   = 64 << 10 // bytes
)

// isHeavy reports whether to judge q takes long, by what was stored when q was looked up.
func (q *request) isHeavy() bool {
	return q.seen.theme.TokenCount >= heavyTokens || q.seen.variant.TokenCount >= heavyTokens || len(q.body) >= heavyBody
}

// lane lets heavy work pass side by side only as far as a core stays free for the rest.
type lane chan struct{}

func newLane() lane { return make(lane, max(1, runtime.GOMAXPROCS(0)-1)) }

// enter waits for a place where the work is heavy, and returns what gives it up, or ctx's error.
func (l lane) enter(ctx context.Context, heavy bool) (leave func(), err error) {
	if !heavy {
		return func() {}, nil
	}
	select {
	case l <- struct{}{}:
		return func() { <-l }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// spareEvery is how often work in the background looks for a place.
const spareEvery = 2 * time.Millisecond

// enterLast is enter for work that nobody waits for: it lets all heavy work that waits go first.
func (l lane) enterLast(ctx context.Context) (leave func(), err error) {
	ticker := time.NewTicker(spareEvery)
	defer ticker.Stop()
	for {
		select { // succeeds only where a place is free and nobody waits for it
		case l <- struct{}{}:
			return func() { <-l }, nil
		default:
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
