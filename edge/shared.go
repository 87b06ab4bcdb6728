package edge

import (
	"fmt"
	"time"

	"example.com/livery/edge/upstream"
)

// errLate means that a question was not answered in the time that the request waits. It may be yet, for the next.
var errLate = fmt.Errorf("%w: it gave no answer in the time that a request waits", upstream.ErrUnreachable)

// shared asks once for everybody who wants to know the same, and returns errLate at the deadline of q.
func (e *Edge) shared(q *question, flight string, ask func() (any, error)) (any, error) {
	if q.deadline.IsZero() {
		answer, err, _ := e.flights.Do(flight, ask)
		return answer, err
	}
	type answered struct {
		answer any
		err    error
	}
	done := make(chan answered, 1)
	deadline := time.NewTimer(time.Until(q.deadline))
	defer deadline.Stop()
	begun := e.spawn(func() {
		defer func() {
			if reason := recover(); reason != nil {
				e.log.Error("a question to upstream ended in a panic", "reason", reason)
				done <- answered{nil, upstream.ErrUnreachable}
			}
		}()
		answer, err, _ := e.flights.Do(flight, ask)
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

// rests reports whether a record is not asked for, because asking for it failed a moment ago. Where no
// upstream gives an answer to anything that is no reason: they are asked rarely enough.
func (e *Edge) rests(a *asking, now time.Time) bool {
	return a.rests(now, e.sources.RecoveredAt()) && (e.sources.Followed() != nil || !e.sources.Down())
}

// inVain reports whether what is held has to be served without waiting for an answer, because the newest
// questions were not answered right. Every now and then it has the question asked again in the background.
func (e *Edge) inVain(a *asking, at upstream.Endpoint, flight string, ask func() (any, error)) bool {
	if e.rests(a, e.now()) {
		return true
	}
	if !e.sources.EndpointDown(at) {
		return false
	}
	if e.sources.Backoff(at) == nil && a.background.CompareAndSwap(false, true) {
		e.spawn(func() {
			defer a.background.Store(false)
			_, _ = e.shared(&question{}, flight, ask) // whoever asks next sees what came of it
		})
	}
	return true
}
