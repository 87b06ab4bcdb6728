package httpserver

import (
	"slices"
	"strconv"
	"testing"
	"time"
)

// The number of callers that are known is bounded, whatever each of them has left.
func TestCallersAreBounded(t *testing.T) {
	r, now := NewRateLimiter(1), time.Now()
	for i := range 2 * maxCallers {
		if !r.Take(strconv.Itoa(i), now).Allowed {
			t.Fatalf("caller %d is refused its first request", i)
		}
	}
	if len(r.callers) > maxCallers {
		t.Errorf("%d callers are known, want at most %d", len(r.callers), maxCallers)
	}
}

// A caller may send as many at once as in a second, then as many as come in again; a limit below one is one at a time. A
// clock that goes back takes nothing away.
func TestCallersHaveABurstAndARate(t *testing.T) {
	for perSecond, burst := range map[float64]int{0.5: 1, 1: 1, 3: 3} {
		r, now := NewRateLimiter(perSecond), time.Now()
		allowed := func(at time.Time) (n int) {
			for r.Take("a", at).Allowed {
				n++
			}
			return n
		}
		apart := time.Duration(float64(time.Second) / perSecond)
		got := []int{allowed(now), allowed(now.Add(apart - time.Millisecond)), allowed(now.Add(apart)), allowed(now.Add(-time.Hour)), allowed(now.Add(time.Hour))}
		if want := []int{burst, 0, 1, 0, burst}; !slices.Equal(got, want) {
			t.Errorf("%v a second: %v requests are allowed, want %v", perSecond, got, want)
		}
	}
}
