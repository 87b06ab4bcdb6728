package guard

import (
	"testing"
	"time"
)

func TestBucketLetsSoManyThrough(t *testing.T) {
	b := NewBucket(10*time.Millisecond, 5)
	now := time.Unix(1000, 0)
	taken := func(n int) (got int) {
		for range n {
			if b.Take(now) {
				got++
			}
		}
		return got
	}
	if got := taken(20); got != 5 {
		t.Errorf("%d at once, want 5", got)
	}
	if !b.Full(now) {
		t.Error("an empty bucket has room")
	}
	now = now.Add(20 * time.Millisecond)
	if got := taken(20); got != 2 {
		t.Errorf("%d after two intervals, want 2", got)
	}
	b.Refund()
	if b.Full(now) {
		t.Error("what is given back does not count")
	}
	if got := taken(20); got != 1 {
		t.Errorf("%d after one was given back, want 1", got)
	}
	now = now.Add(time.Hour)
	if got := taken(20); got != 5 {
		t.Errorf("%d after an hour, want 5: what was not used does not add up", got)
	}
}
