package edge

import (
	"errors"
	"time"

	"example.com/livery/edge/upstream"
)

// The bounds of what strangers can have the edge do. A question counts as unknown until upstream
// says that there is such a thing, so that traffic for what exists, however much, passes freely.
const (
	unknownEvery = 10 * time.Millisecond // of all questions for what does not exist, one in this time
	unknownBurst = 500                   // and so many at once
	maxMisses    = 1024                  // requests that wait for upstream or a render at one time
	maxWaiting   = maxMisses / 2
)

// takeUnknown counts a question for a pair of t that may not exist.
func (e *Edge) takeUnknown(t *theme, now time.Time) bool {
	if !t.unknowns.Take(now) {
		return false
	}
	if !e.unknowns.Take(now) {
		t.unknowns.Refund()
		return false
	}
	return true
}

// admit lets a request do what takes long, unless too many are at it. Who was let in must leave.
func (e *Edge) admit(q *question) bool {
	if q.admitted {
		return true
	}
	select {
	case e.misses <- struct{}{}:
		q.admitted = true
		return true
	default:
		e.metrics.shed.Inc()
		return false
	}
}

// leave ends what admit began.
func (e *Edge) leave(q *question) {
	if q.admitted {
		q.admitted = false
		<-e.misses
	}
}

// edgePatience is how long an edge that asks waits for this one's upstreams: it may have another upstream itself.
const edgePatience = time.Second

// persist returns what ask does, which is called again if upstream was out of reach and may be back, within
// the time that q has patience.
func persist[T any](e *Edge, q *question, ask func() (T, error)) (T, error) {
	if q.deadline.IsZero() && q.patience > 0 {
		q.deadline = time.Now().Add(q.patience)
	}
	for {
		back := e.sources.Recovered()
		answer, err := ask()
		if !errors.Is(err, upstream.ErrUnreachable) || !e.await(back, q, err) {
			return answer, err
		}
	}
}

// await waits until a question that failed with reason is worth asking again, and reports whether it is. back was
// closed if an upstream came back since. A request waits as long as it has patience, less what an upstream has been
// away already, as a long absence is not a restart; but until one more question was let through.
func (e *Edge) await(back <-chan struct{}, q *question, reason error) bool {
	now := e.now()
	since, next, away := e.sources.Outage()
	if resting := (*upstream.BackoffError)(nil); !away && errors.As(reason, &resting) {
		since, next, away = time.Unix(0, resting.Since), time.Unix(0, resting.Next), true
	}
	until := q.now.Add(max(min(since.Sub(q.now), 0)+q.patience, upstream.ProbeWithin))
	left := min(until.Sub(now), time.Until(q.deadline))
	if q.patience == 0 || left <= 0 || e.server.Draining() {
		return false
	}
	if !away {
		select {
		case <-back:
			return true
		default:
			return false
		}
	}
	defer e.waiting.Add(-1)
	if e.waiting.Add(1) > maxWaiting {
		return false
	}
	upstream.Sleep(e.ctx, max(min(next.Sub(now), left), time.Millisecond), back)
	return e.ctx.Err() == nil
}
