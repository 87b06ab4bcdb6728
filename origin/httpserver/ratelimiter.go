package httpserver

import (
	"sync"
	"time"
)

// RateLimiter lets each caller make so many requests a second, and as many at once. The nil rateLimiter has no
// limit.
type RateLimiter struct {
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

// The bounds of what is known of callers.
const (
	maxBuckets   = 10_000
	sweptBuckets = 64 // are looked at if there are too many
)

// NewRateLimiter returns a RateLimiter for so many requests a second of each caller; nil if that is not above 0.
func NewRateLimiter(perSecond float64) *RateLimiter {
	if perSecond <= 0 {
		return nil
	}
	return &RateLimiter{perSecond: perSecond, burst: max(1, perSecond), buckets: map[string]bucket{}}
}

// Allows takes one request from what the caller has left, and reports whether there was one.
func (r *RateLimiter) Allows(caller string, now time.Time) bool {
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

func (r *RateLimiter) filled(b bucket, now time.Time) bucket {
	passed := max(0, now.Sub(b.at).Seconds())
	return bucket{min(r.burst, b.tokens+passed*r.perSecond), now}
}

// makeRoom looks at a few buckets, in no order, if there are too many: full ones say nothing and are dropped, and if
// none is, the caller of one of them begins anew.
func (r *RateLimiter) makeRoom(now time.Time) {
	if len(r.buckets) < maxBuckets {
		return
	}
	looked, anyone := 0, ""
	for caller, b := range r.buckets {
		anyone = caller
		if r.filled(b, now).tokens >= r.burst {
			delete(r.buckets, caller)
		}
		if looked++; looked == sweptBuckets {
			break
		}
	}
	delete(r.buckets, anyone)
}
