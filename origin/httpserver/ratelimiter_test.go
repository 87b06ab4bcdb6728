package httpserver

import (
	"strconv"
	"testing"
	"time"
)

// The number of callers that are known is bounded, whatever each of them has left.
func TestCallersAreBounded(t *testing.T) {
	r, now := NewRateLimiter(1), time.Now()
	for i := range 2 * maxBuckets {
		if !r.Allows(strconv.Itoa(i), now) {
			t.Fatalf("caller %d is refused its first request", i)
		}
	}
	if len(r.buckets) > maxBuckets {
		t.Errorf("%d callers are known, want at most %d", len(r.buckets), maxBuckets)
	}
}
