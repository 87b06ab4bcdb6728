package records

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/livery/edge/upstream"
)

// Outcome is how an answer came about, the later ones covering the earlier.
type Outcome uint8

// The outcomes.
const (
	Hit         Outcome = iota // from memory
	Revalidated                // upstream was asked whether what is held is current
	Recoded                    // the file was held, in another coding
	Miss                       // something had to be fetched or made
	Stale                      // upstream cannot be reached, and what is held may not be current
	OutcomeCount
)

// Lookup is one request's wish to know what is current.
type Lookup struct {
	Now      time.Time
	HeldOnly bool          // nothing is waited for: what is not held, or not current, is ErrBusy
	Inputs   bool          // what a pair is made from is wanted with it
	Exact    bool          // nothing stale while it is refreshed: nothing that is invalidated will do
	MaxWait  time.Duration // how long upstreams are waited for; 0: as long as a question may take, and not for one that is away
	Header   Header        // of the request; nil: there is none

	deadline time.Time // the end of MaxWait, by time.Now; zero: no upstream was asked yet
	acquired bool      // it may do what takes long
}

// Header returns the lines of a field.
type Header interface{ PeekAll(name string) [][]byte }

// Background returns a lookup of the edge's own, which is never refused: there are few at a time.
func Background(now time.Time) Lookup { return Lookup{Now: now, acquired: true} }

// traced returns the context for what is asked upstream because of l: it carries the trace of l's request on.
func (s *Store) traced(l *Lookup) context.Context {
	if l.Header == nil {
		return s.Context
	}
	return upstream.WithTrace(s.Context, l.Header.PeekAll(upstream.TraceHeader))
}

// The bounds of what strangers can have the edge do. A question counts as negative until upstream says that there is such a
// thing, so that requests for what exists, however many, pass freely.
const (
	negativeEvery = 10 * time.Millisecond // of all questions for what does not exist, one in this time
	negativeBurst = 500                   // and so many at once
)

// How many requests wait at one time.
const (
	maxMisses  = 1024 // for upstream or a render
	maxWaiting = maxMisses / 2
)

// Acquire lets a request do what takes long, and reports false if too many are at it. The caller must Release l.
func (s *Store) Acquire(l *Lookup) bool {
	if l.HeldOnly || l.acquired {
		return l.acquired
	}
	select {
	case s.missSlots <- struct{}{}:
		l.acquired = true
		return true
	default:
		s.Observer.Shed()
		return false
	}
}

// Release ends what Acquire began, if it did.
func (s *Store) Release(l *Lookup) {
	if l.acquired {
		l.acquired = false
		<-s.missSlots
	}
}

// errLate means that a question was not answered in the time that the request waits. It may be yet, for the next.
var errLate = fmt.Errorf("%w: it gave no answer in the time that a request waits", upstream.ErrUnreachable)

// Share calls ask once for all lookups that want to know the same, and returns errLate at the deadline of l.
func (s *Store) Share(l *Lookup, flight string, ask func() (any, error)) (any, error) {
	if l.deadline.IsZero() {
		answer, err, _ := s.flights.Do(flight, ask)
		return answer, err
	}
	type answered struct {
		answer any
		err    error
	}
	done := make(chan answered, 1)
	deadline := time.NewTimer(time.Until(l.deadline))
	defer deadline.Stop()
	begun := s.Go(func() {
		defer func() {
			if reason := recover(); reason != nil {
				s.Logger.Error("a question to upstream ended in a panic", "reason", reason)
				done <- answered{nil, upstream.ErrUnreachable}
			}
		}()
		answer, err, _ := s.flights.Do(flight, ask)
		done <- answered{answer, err}
	})
	if !begun {
		return nil, upstream.ErrUnreachable
	}
	select {
	case a := <-done:
		return a.answer, a.err
	case <-deadline.C:
		return nil, errLate
	}
}

// RetryWhileDown returns what ask does, which is called again if upstream could not be reached and may be back, within
// l.MaxWait.
func RetryWhileDown[T any](s *Store, l *Lookup, ask func() (T, error)) (T, error) {
	if l.deadline.IsZero() && l.MaxWait > 0 {
		l.deadline = time.Now().Add(l.MaxWait)
	}
	for {
		recovered := s.Upstream.Recovered()
		answer, err := ask()
		if !errors.Is(err, upstream.ErrUnreachable) || !s.waitForUpstream(recovered, l, err) {
			return answer, err
		}
	}
}

// waitForUpstream waits until a question that failed with reason is worth asking again, and reports whether it is. recovered was
// closed if an upstream came back since. A request waits for MaxWait at most, less what an upstream has been
// away already, as a long absence is not a restart; but until one more question was let through.
func (s *Store) waitForUpstream(recovered <-chan struct{}, l *Lookup, reason error) bool {
	now := s.Now()
	since, next, down := s.Upstream.Outage()
	if backoff := (*upstream.BackoffError)(nil); !down && errors.As(reason, &backoff) {
		since, next, down = time.Unix(0, backoff.Since), time.Unix(0, backoff.Next), true
	}
	until := l.Now.Add(max(min(since.Sub(l.Now), 0)+l.MaxWait, upstream.ProbeWithin))
	left := min(until.Sub(now), time.Until(l.deadline))
	if l.MaxWait == 0 || left <= 0 || s.Draining() {
		return false
	}
	if !down {
		select {
		case <-recovered:
			return true
		default:
			return false
		}
	}
	defer s.waiting.Add(-1)
	if s.waiting.Add(1) > maxWaiting {
		return false
	}
	upstream.Sleep(s.Context, max(min(next.Sub(now), left), time.Millisecond), recovered)
	return s.Context.Err() == nil
}
