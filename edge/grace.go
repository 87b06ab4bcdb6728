package edge

import (
	"time"

	"example.com/livery/edge/upstream"

	"github.com/valyala/fasthttp"
)

// maxGrace is how long answers of before a change are let through while those after it are made
// ready: less than the second within which a change must be seen.
const maxGrace = 700 * time.Millisecond

// grace lets answers of before a change through while what is hot is made ready anew, so that nobody
// waits for it. They are as old as they say: their age counts from when they were known to be
// current. It is not changed.
type grace struct {
	from      uint64 // the oldest number of change whose answers are let through
	confirmed int64  // Unix nanoseconds: those that the feed covers were current then
	until     int64  // Unix nanoseconds
}

// doubt puts what is held of the Theme in doubt, as number next, and reports whether the caller must
// have it refreshed. Where it is hot its answers are let through until that is done.
func (t *theme) doubt(next uint64, confirmed int64, now time.Time) (refresh bool) {
	hot := len(t.hot(now.Add(-hotFor))) > 0
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.doubtedAt.IsZero() {
		t.doubtedAt = now
	}
	if hot && t.grace.Load() == nil {
		t.grace.Store(&grace{t.change.Load(), confirmed, now.Add(maxGrace).UnixNano()})
	}
	t.change.Store(next)
	if !hot || t.ready != nil {
		return false
	}
	t.ready = make(chan struct{})
	return true
}

// readiness returns what is closed when the Theme is ready again; nil if it is.
func (t *theme) readiness() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ready
}

// beginRefresh returns the number of the newest change, which the refresh will cover.
func (t *theme) beginRefresh() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.doubtedAt = time.Time{}
	return t.change.Load()
}

// endRefresh ends the grace of answers older than the change that was covered, and reports whether
// there was another change meanwhile, so that the refresh must be done once more.
func (t *theme) endRefresh(covered uint64) (again bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.change.Load() == covered {
		t.grace.Store(nil)
		close(t.ready)
		t.ready = nil
		return false
	}
	if g := t.grace.Load(); g != nil {
		t.grace.Store(&grace{covered, g.confirmed, t.doubtedAt.Add(maxGrace).UnixNano()})
	}
	return true
}

// question is one wish to know what is current.
type question struct {
	now      time.Time
	exact    bool                    // no grace: nothing that is in doubt will do
	admitted bool                    // it may do what takes long
	patience time.Duration           // how long upstreams are waited for; 0: as long as a question may take, and not for one that is away
	deadline time.Time               // the end of that, by time.Now; zero: no upstream was asked yet
	header   *fasthttp.RequestHeader // of the request that asks; nil: nobody's
}

// known returns when an answer was last known to be current, and whether it may be taken for it.
// confirmedAt is read first: whatever it covers has reached change before.
func (e *Edge) known(t *theme, l learned, q *question) (at time.Time, current bool) {
	confirmed := e.confirmedAt.Load()
	current = l.change == t.change.Load()
	if !current && !q.exact && l.change != 0 {
		if g := t.grace.Load(); g != nil && l.change >= g.from && q.now.UnixNano() < g.until {
			confirmed, current = g.confirmed, true
		}
	}
	if current && l.covered && confirmed > l.at.UnixNano() {
		return time.Unix(0, confirmed), true
	}
	return l.at, current
}

// fresh reports whether an answer may be served without asking.
func (e *Edge) fresh(t *theme, l learned, q *question, lifetime time.Duration) bool {
	at, current := e.known(t, l, q)
	return current && q.now.Sub(at) <= lifetime
}

// learnedFrom returns the freshness of an answer to a question that was asked at a time, under a number of change.
func learnedFrom(m upstream.ResponseMeta, change uint64, asked time.Time) learned {
	return learned{change: change, at: asked.Add(-m.Age), age: m.Age, covered: !m.NotFollowed}
}
