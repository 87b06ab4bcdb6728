package edge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.com/livery/storage/record"
)

// sources are the upstreams of an edge in the order of preference. The feed of one of them is
// followed; questions go there first, and to the others where it gives no answer. What another
// one answered is not covered by the feed that is followed: it may know more, or less. It may be used
// concurrently.
type sources struct {
	list     []*upstream
	followed atomic.Pointer[upstream] // nil while no feed can be followed
	backAt   atomic.Int64             // Unix nanoseconds: when a feed could be followed anew, or an upstream answered while none could

	mu   sync.Mutex    // guards back
	back chan struct{} // closed when an upstream answers again
}

func newSources(c Config, now func() time.Time) (*sources, error) {
	if len(c.Upstreams) == 0 {
		return nil, errors.New("edge: an upstream is needed")
	}
	s := &sources{back: make(chan struct{})}
	for _, base := range c.Upstreams {
		u, err := newUpstream(base, c, now)
		if err != nil {
			return nil, err
		}
		u.found = func() { s.found(u) }
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
func (s *sources) failing() bool {
	for _, u := range s.list {
		if !u.failing() {
			return false
		}
	}
	return true
}

// down reports whether that was only a moment ago, so that asking now is in vain.
func (s *sources) down() bool {
	for _, u := range s.list {
		if !u.down() {
			return false
		}
	}
	return true
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

// errResting means that nobody was asked: every upstream gave no answer a moment ago.
var errResting = fmt.Errorf("%w: it gave no answer a moment ago", errUnreachable)

// each asks the upstreams in turn until one answers, and returns the error of the first. Those that gave no
// answer are asked where no other one does.
func (s *sources) each(ask func(u *upstream, aside bool) error) error {
	followed := s.followed.Load()
	var first error
	for _, u := range s.order(followed) {
		if !u.admits() {
			continue
		}
		err := ask(u, u != followed && len(s.list) > 1)
		if err == nil {
			return nil
		}
		first = cmp.Or(first, err)
	}
	return cmp.Or(first, errResting)
}

// order returns the upstreams as questions go to them: the one that is followed first, and last those that gave
// no answer, in the order of preference.
func (s *sources) order(followed *upstream) []*upstream {
	if len(s.list) == 1 {
		return s.list
	}
	order := slices.Clone(s.list)
	slices.SortStableFunc(order, func(a, b *upstream) int { return cmp.Compare(place(a, followed), place(b, followed)) })
	return order
}

func place(u, followed *upstream) int {
	switch {
	case u.failing():
		return 2
	case u != followed:
		return 1
	}
	return 0
}

func (s *sources) theme(ctx context.Context, key string) (fed record.ThemeFed, missing bool, m manner, err error) {
	err = s.each(func(u *upstream, aside bool) (err error) {
		fed, missing, m, err = u.theme(ctx, key)
		m.aside = m.aside || aside
		return err
	})
	return fed, missing, m, err
}

func (s *sources) pair(ctx context.Context, key string) (fed record.PairFed, missing string, m manner, err error) {
	err = s.each(func(u *upstream, aside bool) (err error) {
		fed, missing, m, err = u.pair(ctx, key)
		m.aside = m.aside || aside
		return err
	})
	return fed, missing, m, err
}

func (s *sources) blob(ctx context.Context, name record.Hash) (blob []byte, err error) {
	err = s.each(func(u *upstream, _ bool) (err error) {
		blob, err = u.blob(ctx, name)
		return err
	})
	return blob, err
}

func (s *sources) modules(ctx context.Context) (fed modulesFed, err error) {
	err = s.each(func(u *upstream, _ bool) (err error) {
		fed, err = u.modules(ctx)
		return err
	})
	return fed, err
}

// The rests of an upstream whose feed cannot be read. The first is short: most are a restart.
const (
	minBackoff = 100 * time.Millisecond
	maxBackoff = 5 * time.Second
	hurryEvery = time.Second // how often an answer to a question may cut a rest short
)

// choose returns the upstream to follow now: the first that is well, or, where none is, the one that
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

// doze waits, or less where ctx ends; it reports false where it was woken.
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

// settle keeps how following u went at now.
func (s *sources) settle(u *upstream, err error, now time.Time) {
	if err == nil {
		u.well.Store(true)
		u.backoff.Store(0)
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
	backoff := min(max(2*u.backoff.Load(), int64(minBackoff)), int64(maxBackoff))
	u.backoff.Store(backoff)
	u.restUntil.Store(now.UnixNano() + backoff/2 + rand.Int64N(backoff))
	u.well.Store(false)
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
