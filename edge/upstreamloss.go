package edge

import (
	"cmp"
	"sync"
	"sync/atomic"
	"time"
)

// How often an upstream that gave no right answer is asked again, by all questions together: the longer it
// has been away, the more rarely, so that it is found after half of its absence at the latest.
const (
	minGap  = 20 * time.Millisecond
	maxGap  = 400 * time.Millisecond
	gapPart = 2
)

// loss is since when an upstream gives no answer. One question at a time looks whether it does again; the
// others are not asked. The zero value is of one that answers. It may be used concurrently.
type loss struct {
	began  atomic.Int64 // Unix nanoseconds: of the first question that found nobody; 0: it answers
	newest atomic.Int64 // of the newest one
	tried  atomic.Int64 // when one was let through last

	most time.Duration // that a question is held back; 0: maxGap. It is not changed

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
	gap := min(max((last-began)/gapPart, int64(minGap)), int64(cmp.Or(l.most, maxGap)))
	return last + gap - gap*jitterOf(last)/(4*jitterParts)
}

// jitterParts is how many different gaps there are for one absence, of which the shortest is three quarters of
// the longest: edges that lost an upstream together do not all come back at once.
const jitterParts = 256

// jitterOf returns a number below jitterParts that nobody can foresee, and that is the same for the same time.
func jitterOf(nanoseconds int64) int64 {
	return int64(uint64(nanoseconds) * 0x9e3779b97f4a7c15 >> 56)
}

// admits lets a question through: every one while there is no loss, else one in a while.
func (l *loss) admits(now int64) bool {
	tried := l.tried.Load()
	next := l.next()
	return next == 0 || now >= next && l.tried.CompareAndSwap(tried, now)
}

// endpoint is a kind of question that an upstream may answer wrong while it answers others right.
type endpoint uint8

const (
	themeEndpoint endpoint = iota
	pairEndpoint
	blobEndpoint
	modulesEndpoint
	refreshEndpoint
	endpointCount
)

// endpointLoss is since when an endpoint gives no right answer. One record that an upstream cannot answer is no
// loss: that record alone is not asked for then. The zero value is of an endpoint that answers.
type endpointLoss struct {
	loss

	mu   sync.Mutex // guards all below
	path string     // the newest question that was not answered right; empty: the newest question was
	at   int64      // Unix nanoseconds of that
}

// settle counts an answer to a question that was asked at a time, right if err is nil.
func (l *endpointLoss) settle(path string, err error, asked, now int64) {
	l.mu.Lock()
	before, at := l.path, l.at
	if l.path = path; err == nil {
		l.path = ""
	}
	l.at = now
	l.mu.Unlock()
	switch {
	case err == nil:
		l.end(now)
	case l.since() != 0, before != "" && (before != path || asked-at < int64(retryAfter/2)):
		l.add(asked, now)
	}
}
