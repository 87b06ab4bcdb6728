package edge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// sources are the upstreams of an edge in the order of preference. The feed of one of them is
// followed; questions go there first, and to the others if it gives no answer. What another
// one answered is not covered by the feed that is followed: it may know more, or less. It may be used
// concurrently.
type sources struct {
	list     []*upstream
	followed atomic.Pointer[upstream] // nil while no feed can be followed
	share    time.Duration            // how long one is waited for before the next one is asked beside it
	backAt   atomic.Int64             // Unix nanoseconds: when a feed could be followed anew, or an upstream answered while none could

	mu   sync.Mutex    // guards back
	back chan struct{} // closed when an upstream answers again
}

func newSources(c Config, now func() time.Time) (*sources, error) {
	if len(c.Upstreams) == 0 {
		return nil, errors.New("edge: an upstream is needed")
	}
	s := &sources{back: make(chan struct{}), share: c.upstreamWait() / time.Duration(2*len(c.Upstreams))}
	for _, base := range c.Upstreams {
		u, err := newUpstream(base, c, now)
		if err != nil {
			return nil, err
		}
		u.found = func() { s.found(u) }
		if len(c.Upstreams) > 1 { // nobody waits for this one: others answer
			for at := range u.losses {
				u.losses[at].most = maxBackoff
			}
		}
		s.list = append(s.list, u)
	}
	return s, nil
}

// close ends the connections that nobody uses.
func (s *sources) close() {
	for _, u := range s.list {
		u.client.CloseIdleConnections()
	}
}

// failing reports whether the newest question to every upstream, polls included, found nobody.
func (s *sources) failing() bool { return s.all((*upstream).failing) }

// fails reports whether no upstream answers at an endpoint.
func (s *sources) fails(at endpoint) bool {
	return s.all(func(u *upstream) bool { return u.fails(at) })
}

func (s *sources) all(holds func(u *upstream) bool) bool {
	for _, u := range s.list {
		if !holds(u) {
			return false
		}
	}
	return true
}

// resting returns a restingError if asking an endpoint now is in vain, because every upstream gave no right
// answer there a moment ago, or is being asked for one; else nil.
func (s *sources) resting(at endpoint) error {
	if r := s.rest(at); r.next > s.list[0].now().UnixNano() {
		return r
	}
	return nil
}

// rest returns since when no upstream gives a right answer at an endpoint, and when one is asked again.
func (s *sources) rest(at endpoint) *restingError {
	r := &restingError{next: math.MaxInt64}
	for _, u := range s.list {
		r.next = min(r.next, u.next(at))
		r.since = max(r.since, u.loss.since(), u.losses[at].since())
	}
	return r
}

// away reports whether no upstream gives an answer, since when, and from when on a question is let through.
func (s *sources) away() (since, next time.Time, away bool) {
	var from, to int64
	for _, u := range s.list {
		began, again := u.loss.since(), u.loss.next()
		if began == 0 {
			return since, next, false
		}
		if from = max(from, began); to == 0 || again < to {
			to = again
		}
	}
	return time.Unix(0, from), time.Unix(0, to), true
}

// returning returns what is closed when an upstream that gave no answer gives one again.
func (s *sources) returning() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.back
}

// returned has everybody who waits for an upstream ask again.
func (s *sources) returned() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.back)
	s.back = make(chan struct{})
}

// found is called when u answers again. Its feed is tried soon: only following it confirms what is held.
func (s *sources) found(u *upstream) {
	now := u.now().UnixNano()
	if s.followed.Load() == nil {
		s.backAt.Store(now)
	}
	if hurried := u.hurriedAt.Load(); now-hurried >= int64(hurryEvery) && u.hurriedAt.CompareAndSwap(hurried, now) {
		u.restUntil.Store(now)
	}
	s.returned()
}

// The rests of an upstream whose feed cannot be read. The first is short: most are a restart.
const (
	minBackoff = 100 * time.Millisecond
	maxBackoff = 5 * time.Second
	hurryEvery = time.Second // how often an answer to a question may cut a rest short
)

// choose returns the upstream to follow now: the first that is well, or, if none is, the one that
// has rested for longest, and how long it still rests.
func (s *sources) choose(now time.Time) (u *upstream, rest time.Duration) {
	for _, candidate := range s.list {
		if candidate.well.Load() {
			return candidate, 0
		}
		if u == nil || candidate.restUntil.Load() < u.restUntil.Load() {
			u = candidate
		}
	}
	return u, time.Duration(u.restUntil.Load() - now.UnixNano())
}

// toFollow waits until an upstream is to be followed, and returns it.
func (s *sources) toFollow(ctx context.Context, now func() time.Time) *upstream {
	for {
		back := s.returning()
		u, rest := s.choose(now())
		if doze(ctx, min(rest, maxBackoff), back) {
			return u
		}
	}
}

// doze waits, or less if ctx ends; it reports false if it was woken.
func doze(ctx context.Context, d time.Duration, wake <-chan struct{}) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-wake:
		return false
	case <-timer.C:
	case <-ctx.Done():
	}
	return true
}

// settle keeps how following u went at now. Rests become short again only where it did what it is for: once in a
// while it waits for changes, or has some.
func (s *sources) settle(u *upstream, err error, progress bool, now time.Time) {
	if err == nil {
		u.well.Store(true)
		if progress {
			u.backoff.Store(0)
		}
		if s.followed.Swap(u) != u {
			s.backAt.Store(now.UnixNano())
			s.returned()
		}
		return
	}
	s.followed.CompareAndSwap(u, nil)
	u.rest(now)
}

// rest holds following u back for a while, twice as long each time. Edges that lost one upstream do
// not all come back at once.
func (u *upstream) rest(now time.Time) {
	u.restUntil.Store(now.Add(u.backOff()).UnixNano())
	u.well.Store(false)
}

// backOff returns for how long to hold back, twice as long each time, give or take a half.
func (u *upstream) backOff() time.Duration {
	backoff := min(max(2*u.backoff.Load(), int64(minBackoff)), int64(maxBackoff))
	u.backoff.Store(backoff)
	return time.Duration(backoff/2 + rand.Int64N(backoff))
}

// probe looks whether u, which has rested, can be followed again, while another one is.
func (u *upstream) probe(ctx context.Context) {
	defer u.probing.Store(false)
	if _, _, err := u.changes(ctx, "", 0, 1); err != nil {
		u.rest(u.now())
		return
	}
	u.well.Store(true)
}

// rested returns the upstreams preferred to u that can be looked at again; the caller must probe
// them.
func (s *sources) rested(u *upstream, now time.Time) (list []*upstream) {
	for _, candidate := range s.list {
		if candidate == u {
			break
		}
		if !candidate.well.Load() && candidate.restUntil.Load() <= now.UnixNano() && candidate.probing.CompareAndSwap(false, true) {
			list = append(list, candidate)
		}
	}
	return list
}

// name returns how logs and metrics call an upstream: by its place, which is no secret.
func (s *sources) name(u *upstream) string {
	for i := range s.list {
		if s.list[i] == u {
			return fmt.Sprint(i + 1)
		}
	}
	return ""
}
