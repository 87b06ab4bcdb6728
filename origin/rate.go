package origin

import (
	"sync"
	"time"
)

// rate lets each caller make so many requests a second, and as many at once. The nil rate has no
// limit.
type rate struct {
	perSecond float64
	burst     float64

	mu      sync.Mutex // guards buckets
	buckets map[string]bucket
}

// bucket is what a caller has left at a time.
type bucket struct {
	tokens float64
	at     time.Time
}

// maxBuckets is the number of callers from which full buckets, which say nothing, are dropped.
const maxBuckets = 10_000

func newRate(perSecond float64) *rate {
	if perSecond <= 0 {
		return nil
	}
	return &rate{perSecond: perSecond, burst: max(1, perSecond), buckets: map[string]bucket{}}
}

// allows takes one request from what the caller has left, and reports whether there was one.
func (r *rate) allows(caller string, now time.Time) bool {
	if r == nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	b, known := r.buckets[caller]
	if !known {
		r.makeRoom(now)
		b = bucket{r.burst, now}
	}
	b = r.filled(b, now)
	allowed := b.tokens >= 1
	if allowed {
		b.tokens--
	}
	r.buckets[caller] = b
	return allowed
}

func (r *rate) filled(b bucket, now time.Time) bucket {
	passed := max(0, now.Sub(b.at).Seconds())
	return bucket{min(r.burst, b.tokens+passed*r.perSecond), now}
}

func (r *rate) makeRoom(now time.Time) {
	if len(r.buckets) < maxBuckets {
		return
	}
	for caller, b := range r.buckets {
		if r.filled(b, now).tokens >= r.burst {
			delete(r.buckets, caller)
		}
	}
}
