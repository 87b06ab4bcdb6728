package httpserver

import (
	"fmt"
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

// Quota is what a caller may do after one request. The zero Quota with Allowed has no limit.
type Quota struct {
	Allowed bool // the request was within the limit
	burst   int  // requests that the caller may make at once, and in a second; 0 means no limit
	left    int  // of them, now
}

// Describe returns the answer with the limit and with what is left of it, if there is one
// (draft-ietf-httpapi-ratelimit-headers).
func (q Quota) Describe(a Answer) Answer {
	if q.burst == 0 {
		return a
	}
	a = a.With("RateLimit-Policy", fmt.Sprintf(`"caller";q=%d;w=1`, q.burst))
	return a.With("RateLimit", fmt.Sprintf(`"caller";r=%d;t=1`, q.left))
}

// Take takes one request from what the caller has left, and returns whether there was one and what is left now.
func (r *RateLimiter) Take(caller string, now time.Time) Quota {
	if r == nil {
		return Quota{Allowed: true}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	limiter := r.callers[caller]
	if limiter == nil {
		r.makeRoom(now)
		limiter = rate.NewLimiter(r.perSecond, r.burst())
		r.callers[caller] = limiter
	}
	allowed := limiter.AllowN(now, 1)
	return Quota{Allowed: allowed, burst: r.burst(), left: max(0, int(limiter.TokensAt(now)))}
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
