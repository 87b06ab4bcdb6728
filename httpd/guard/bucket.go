package guard

import (
	"sync/atomic"
	"time"
)

// Bucket lets something happen once in every interval on the average, and burst times at once. The
// zero value has the bounds standardEvery and standardBurst. It may be used concurrently.
type Bucket struct {
	next  atomic.Int64 // Unix nanoseconds: when the bucket would be empty again
	every time.Duration
	burst int64
}

// NewBucket returns a Bucket with these bounds.
func NewBucket(every time.Duration, burst int64) Bucket { return Bucket{every: every, burst: burst} }

// The bounds of the zero value: of the questions about the parts of one Theme.
const (
	standardEvery = 50 * time.Millisecond
	standardBurst = 100
)

func (b *Bucket) bounds() (every, room int64) {
	if b.burst == 0 {
		return int64(standardEvery), int64(standardEvery) * standardBurst
	}
	return int64(b.every), int64(b.every) * b.burst
}

// Full reports whether Take would refuse.
func (b *Bucket) Full(now time.Time) bool {
	every, room := b.bounds()
	return b.next.Load()-now.UnixNano() > room-every
}

// Take counts one, or refuses.
func (b *Bucket) Take(now time.Time) bool {
	every, room := b.bounds()
	for {
		next := b.next.Load()
		from := max(next, now.UnixNano())
		if from-now.UnixNano() > room-every {
			return false
		}
		if b.next.CompareAndSwap(next, from+every) {
			return true
		}
	}
}

// Refund gives back one that Take counted.
func (b *Bucket) Refund() {
	every, _ := b.bounds()
	b.next.Add(-every)
}
