package upstream

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

	// ProbeWithin is how soon a question is let through, whatever the outage.
	ProbeWithin = maxGap + minGap
)

// outage is since when an upstream gives no answer. One question at a time probes whether it does again; the
// others are not asked. The zero value is of one that answers. It may be used concurrently.
type outage struct {
	began       atomic.Int64 // Unix nanoseconds: of the first question without an answer; 0: it answers
	lastFailure atomic.Int64 // of the newest one
	lastProbe   atomic.Int64 // when one was let through last

	most time.Duration // that a question is held back; 0: maxGap. It is not changed

	mu          sync.Mutex // makes one step of what fail and recover do
	recoveredAt int64      // Unix nanoseconds: when it answered again
}

// fail counts a question that was asked at a time and not answered. One from before upstream was back says
// nothing of now.
func (o *outage) fail(asked, now int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if asked < o.recoveredAt {
		return
	}
	o.lastFailure.Store(now)
	o.began.CompareAndSwap(0, now)
}

// recover counts an answer, and reports whether it is the first one again.
func (o *outage) recover(now int64) bool {
	if o.began.Load() == 0 {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.recoveredAt = now
	return o.began.Swap(0) != 0
}

// since returns when the outage began, in Unix nanoseconds; 0: there is none.
func (o *outage) since() int64 { return o.began.Load() }

// next returns from when on a question is let through, in Unix nanoseconds; 0: any is.
func (o *outage) next() int64 {
	began := o.began.Load()
	if began == 0 {
		return 0
	}
	last := max(o.lastFailure.Load(), o.lastProbe.Load())
	gap := min(max((last-began)/gapPart, int64(minGap)), int64(cmp.Or(o.most, maxGap)))
	return last + gap - gap*jitterOf(last)/(4*jitterParts)
}

// jitterParts is how many different gaps there are for one absence, of which the shortest is three quarters of
// the longest: edges that lost an upstream together do not all come back at once.
const jitterParts = 256

// jitterOf returns a number below jitterParts that cannot be foreseen, and that is the same for the same time.
func jitterOf(nanoseconds int64) int64 {
	return int64(uint64(nanoseconds) * 0x9e3779b97f4a7c15 >> 56)
}

// admits lets a question through: every one outside an outage, else one in a while.
func (o *outage) admits(now int64) bool {
	tried := o.lastProbe.Load()
	next := o.next()
	return next == 0 || now >= next && o.lastProbe.CompareAndSwap(tried, now)
}

// Endpoint is a kind of question that an upstream may answer wrong while it answers others right.
type Endpoint uint8

// The endpoints.
const (
	ThemeEndpoint Endpoint = iota
	PairEndpoint
	BlobEndpoint
	modulesEndpoint
	RefreshEndpoint
	ManifestEndpoint
	endpointCount
)

// String returns how logs and metrics call the endpoint.
func (e Endpoint) String() string {
	return [endpointCount]string{"theme", "pair", "blob", "modules", "refresh", "manifest"}[e]
}

// endpointHealth is since when an endpoint gives no right answer. One record that an upstream cannot answer is not an
// outage: that record alone is not asked for then. The zero value is of an endpoint that answers.
type endpointHealth struct {
	outage

	mu   sync.Mutex // guards all below
	path string     // the newest question that was not answered right; empty: the newest question was
	at   int64      // Unix nanoseconds of that
}

// observe counts an answer to a question that was asked at a time, right if err is nil.
func (o *endpointHealth) observe(path string, err error, asked, now int64) {
	o.mu.Lock()
	before, at := o.path, o.at
	if o.path = path; err == nil {
		o.path = ""
	}
	o.at = now
	o.mu.Unlock()
	switch {
	case err == nil:
		o.recover(now)
	case o.since() != 0, before != "" && (before != path || asked-at < int64(RetryAfter/2)):
		o.fail(asked, now)
	}
}
