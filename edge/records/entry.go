package records

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"example.com/livery/edge/upstream"
)

// entry is what is held under one key. It outlives its states.
type entry[S any] struct {
	Key   string
	state atomic.Pointer[S] // nil until first answered
	fetch fetchState
}

// State returns the newest answer, or nil.
func (e *entry[S]) State() *S { return e.state.Load() }

// answer is what every state has.
type answer struct {
	Freshness
	Missing string // which part of the address does not exist: feedproto.MissingTheme …; empty: all exist
}

func (a *answer) base() *answer { return a }

// based is a state: it embeds an answer.
type based[S any] interface {
	*S
	base() *answer
}

// kind is how the entries of a kind are asked for and stored.
type kind[S any] interface {
	endpoint() upstream.Endpoint
	flight() string // of the questions for it
	owner() *Theme  // whose changes invalidate it
	fresh(state *S, l *Lookup) bool
	onDisk() bool
	takeNegative(now time.Time) bool // counts a question for what may not exist
	refundNegative()
	fetch(ctx context.Context, change uint64, now time.Time) (*S, error) // asks upstream
	load() *S                                                            // from disk; nil: it is not there
	hold(state *S)                                                       // in memory
	put(state *S)                                                        // in memory and on disk
}

// fetchState is how asking upstream for one record went.
type fetchState struct {
	failedAt   atomic.Int64 // Unix nanoseconds of the newest failure; 0: the newest question was answered
	background atomic.Bool  // a question that no request waits for is under way
}

// settle notes how the newest question went, if it was asked at all.
func (f *fetchState) settle(err error, now time.Time) {
	switch {
	case err == nil:
		f.failedAt.Store(0)
	case !errors.Is(err, upstream.ErrBackoff):
		f.failedAt.Store(now.UnixNano())
	}
}

// inBackoff reports whether a record is not asked for, because that failed a moment ago and upstream did not come back since. If
// no upstream answers anything that is not a reason: they are asked rarely enough.
func (s *Store) inBackoff(f *fetchState, now time.Time) bool {
	failedAt := f.failedAt.Load()
	return failedAt > s.Upstream.RecoveredAt() && now.UnixNano()-failedAt < int64(upstream.RetryAfter) &&
		(s.Upstream.Following() || !s.Upstream.Down())
}

// serveStaleNow reports whether what is held has to be served without waiting for an answer, because the newest
// questions were not answered right. Every now and then it has the question asked again in the background.
func (s *Store) serveStaleNow(f *fetchState, at upstream.Endpoint, flight string, ask func() (any, error)) bool {
	if s.inBackoff(f, s.Now()) {
		return true
	}
	if !s.Upstream.EndpointDown(at) {
		return false
	}
	if s.Upstream.Backoff(at, true) == nil && f.background.CompareAndSwap(false, true) {
		s.Go(func() {
			defer f.background.Store(false)
			_, _ = s.Share(&Lookup{}, flight, ask) // the next lookup sees what came of it
		})
	}
	return true
}

// maxAsks bounds how often one request asks anew because changes came in while it asked.
const maxAsks = 3

// lookUp returns the state of an entry that l wants: upstream's answer, or without one the last good answer.
// held is what the caller found, or nil.
func lookUp[S any, P based[S]](s *Store, e *entry[S], k kind[S], held *S, l *Lookup) (*S, Outcome, error) {
	ctx := s.traced(l) // outlives the request, as the question may
	ask := func() (any, error) { return refresh[S, P](ctx, s, e, k) }
	outcome, seen := Miss, held
	if held != nil {
		outcome = Revalidated
	}
	own := *l                        // the question may outlive the request, whose l is used again
	askOnce := func() (any, error) { // the question before may have ended since seen was seen
		if now := e.State(); now != seen && k.fresh(now, &own) {
			return now, nil
		}
		return ask()
	}
	for range maxAsks {
		if held != nil && s.serveStaleNow(&e.fetch, k.endpoint(), k.flight(), ask) {
			return held, Stale, nil
		}
		answer, err := RetryWhileDown(s, l, func() (any, error) { return s.Share(l, k.flight(), askOnce) })
		if errors.Is(err, errLate) {
			e.fetch.settle(err, s.Now()) // the next lookup does not wait as long
			held, err = lastGood(e, k, err)
			return held, Stale, err
		}
		if err != nil {
			return nil, Stale, err
		}
		held = answer.(*S)
		switch {
		case k.fresh(held, l):
			return held, outcome, nil
		case s.cannotImprove(k.owner(), P(held).base().Freshness, l):
			e.fetch.settle(upstream.ErrUnreachable, s.Now())
			return held, Stale, nil
		}
	}
	return held, outcome, nil
}

// refresh asks upstream once. If it cannot be reached the last good state is returned, or the error if there is none.
func refresh[S any, P based[S]](ctx context.Context, s *Store, e *entry[S], k kind[S]) (*S, error) {
	change, now := k.owner().change.Load(), s.Now()
	held, onDisk := e.State(), k.onDisk()
	if backoff := s.Upstream.Backoff(k.endpoint(), held != nil || onDisk); backoff != nil || s.inBackoff(&e.fetch, now) {
		return lastGood(e, k, cmp.Or(backoff, upstream.ErrUnreachable))
	}
	negative := (held == nil || P(held).base().Missing != "") && !onDisk
	if negative && !k.takeNegative(now) {
		return lastGood(e, k, ErrBusy)
	}
	state, err := k.fetch(ctx, change, now)
	if negative && (err != nil || P(state).base().Missing == "") {
		k.refundNegative()
	}
	s.Observer.Asked(k.endpoint().String(), err)
	e.fetch.settle(err, s.Now())
	if err != nil {
		return lastGood(e, k, err)
	}
	k.put(state)
	return state, nil
}

// lastGood returns the newest state known, in memory or on disk; reason if there is none.
func lastGood[S any](e *entry[S], k kind[S], reason error) (*S, error) {
	if state := e.State(); state != nil {
		return state, nil
	}
	state := k.load()
	if state == nil {
		return nil, reason
	}
	k.hold(state)
	return state, nil
}

// attempted returns err, or ErrUnreachable for one that says that nothing was asked: of what needs several questions
// another one was answered, and it is not asked again at once.
func attempted(err error) error {
	if errors.Is(err, upstream.ErrBackoff) {
		return upstream.ErrUnreachable
	}
	return err
}
