package httpserver

import (
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// RateLimiter lets each caller make so many requests a second, and as many at once. The nil RateLimiter has no
// limit.
type RateLimiter struct {
	perSecond rate.Limit

	mu      sync.Mutex // guards callers
	callers map[string]*rate.Limiter
}

// The bounds of what is known of callers.
const (
	maxCallers   = 10_000
	sweptCallers = 64 // are looked at if there are too many
)

// NewRateLimiter returns a RateLimiter for so many requests a second of each caller; nil if that is not above 0.
func NewRateLimiter(perSecond float64) *RateLimiter {
	if perSecond <= 0 {
		return nil
	}
	return &RateLimiter{perSecond: rate.Limit(perSecond), callers: map[string]*rate.Limiter{}}
}

// burst is how many requests a caller may make at once.
func (r *RateLimiter) burst() int { return max(1, int(r.perSecond)) }

// Allows takes one request from what the caller has left, and reports whether there was one.
func (r *RateLimiter) Allows(caller string, now time.Time) bool {
	if r == nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	limiter := r.callers[caller]
	if limiter == nil {
		r.makeRoom(now)
		limiter = rate.NewLimiter(r.perSecond, r.burst())
		r.callers[caller] = limiter
	}
	return limiter.AllowN(now, 1)
}

// makeRoom looks at a few callers, in no order, if there are too many: those that may send a whole burst are as good as
// new and are dropped, and if none is, one of them begins anew.
func (r *RateLimiter) makeRoom(now time.Time) {
	if len(r.callers) < maxCallers {
		return
	}
	looked, last := 0, ""
	for caller, limiter := range r.callers {
		last = caller
		if limiter.TokensAt(now) >= float64(r.burst()) {
			delete(r.callers, caller)
		}
		if looked++; looked == sweptCallers {
			break
		}
	}
	delete(r.callers, last)
}
