package edge

import (
	"sync"
	"sync/atomic"
	"time"
)

// How often an upstream that gave no answer is asked again, by all questions together: the longer it has
// been away, the more rarely, so that it is found after an eighth of its absence at the latest.
const (
	minGap  = 20 * time.Millisecond
	maxGap  = 250 * time.Millisecond
	gapPart = 8
)

// loss is since when an upstream gives no answer. One question at a time looks whether it does again; the
// others are not asked. The zero value is of one that answers. It may be used concurrently.
type loss struct {
	began  atomic.Int64 // Unix nanoseconds: of the first question that found nobody; 0: it answers
	newest atomic.Int64 // of the newest one
	tried  atomic.Int64 // when one was let through last

	mu    sync.Mutex // makes one step of what add and end do
	ended int64      // Unix nanoseconds: when it answered again
}

// add counts a question that was asked at a time and found nobody. One from before upstream was back says
// nothing of now.
func (l *loss) add(asked, now int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if asked < l.ended {
		return
	}
	l.newest.Store(now)
	l.began.CompareAndSwap(0, now)
}

// end counts an answer, and reports whether it is the first one again.
func (l *loss) end(now int64) bool {
	if l.began.Load() == 0 {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = now
	return l.began.Swap(0) != 0
}

// since returns when the loss began, in Unix nanoseconds; 0: there is none.
func (l *loss) since() int64 { return l.began.Load() }

// next returns from when on a question is let through, in Unix nanoseconds; 0: any is.
func (l *loss) next() int64 {
	began := l.began.Load()
	if began == 0 {
		return 0
	}
	last := max(l.newest.Load(), l.tried.Load())
	return last + min(max((last-began)/gapPart, int64(minGap)), int64(maxGap))
}

// admits lets a question through: every one while there is no loss, else one in a while.
func (l *loss) admits(now int64) bool {
	tried := l.tried.Load()
	next := l.next()
	return next == 0 || now >= next && l.tried.CompareAndSwap(tried, now)
}
