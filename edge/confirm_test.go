package edge

import (
	"testing"
	"time"

	"example.com/livery/edge/upstream"

	"example.com/livery/feedproto"
)

// What the feed says at once is as old as the question; only who waited knows that nothing came meanwhile.
func TestPollConfirmsNoMoreThanItWaitedFor(t *testing.T) {
	e := warmed(t, openServing)
	polledAt := e.now().Add(-time.Minute)
	for wait, want := range map[int]time.Time{0: polledAt, upstream.PollSeconds: polledAt.Add(upstream.PollSeconds * time.Second)} {
		e.follower.apply(feedproto.Changes{Cursor: "1.a"}, upstream.ResponseMeta{}, polledAt, wait)
		if got := e.records.ConfirmedAt(); got != want.UnixNano() {
			t.Errorf("after a wait of %d seconds what is held is confirmed as of %v after the question, want %v", wait, time.Unix(0, got).Sub(polledAt), want.Sub(polledAt))
		}
	}
}
