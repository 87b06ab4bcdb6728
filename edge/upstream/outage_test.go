package upstream

import (
	"testing"
	"time"
)

// However many ask while an upstream is away, it hears of few, and of one soon after it is back.
func TestOutageLetsFewQuestionsThrough(t *testing.T) {
	for _, tt := range []struct {
		away time.Duration
		most int
		late time.Duration
	}{
		{10 * time.Millisecond, 1, minGap},
		{100 * time.Millisecond, 8, time.Second / 20},
		{time.Second, 16, maxGap},
		{3 * time.Second, 24, maxGap},
		{time.Minute, 210, maxGap},
	} {
		var l outage
		began := time.Unix(1000, 0)
		let := 0
		now := began
		for ; now.Sub(began) < tt.away; now = now.Add(time.Millisecond) {
			for range 3 {
				if l.admits(now.UnixNano()) {
					let++
					l.fail(now.UnixNano(), now.UnixNano())
				}
				if l.began.Load() == 0 {
					t.Fatal("a question that got no answer does not begin an outage")
				}
			}
		}
		if let < 1 || let > tt.most {
			t.Errorf("away for %v: %d questions are let through, want 1 to %d", tt.away, let, tt.most)
		}
		back := now
		for !l.admits(now.UnixNano()) {
			now = now.Add(time.Millisecond)
		}
		if late := now.Sub(back); late > tt.late {
			t.Errorf("away for %v: the first question after it waits for %v, want %v at most", tt.away, late, tt.late)
		}
		if !l.recover(now.UnixNano()) || l.recover(now.UnixNano()) {
			t.Error("the first answer, and no other one, ends an outage")
		}
		for range 2 {
			if !l.admits(now.UnixNano()) {
				t.Error("after the end a question is held back")
			}
		}
	}
}

// Who waits for an upstream, its feed included, does not wait on once any question was answered.
func TestFirstAnswerWakesWaiters(t *testing.T) {
	s, err := New(Config{URLs: []string{"http://127.0.0.1:1"}}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	u := s.clients[0]
	u.failed(time.Now())
	u.holdBack(time.Now().Add(time.Hour))
	back := s.Recovered()
	u.succeeded(ResponseMeta{}, time.Now())
	select {
	case <-back:
	default:
		t.Error("who waits is not woken")
	}
	if s.Next(t.Context(), time.Now) != u || s.Down() {
		t.Error("the upstream counts as lost")
	}
}

// A question that was asked before upstream was back, and fails after that, holds no question back.
func TestOldFailureBeginsNoOutage(t *testing.T) {
	var l outage
	l.fail(1, 2)
	l.recover(10)
	if l.fail(5, 20); l.since() != 0 {
		t.Error("upstream counts as lost because of a question from before it was back")
	}
	if l.fail(15, 20); l.since() != 20 {
		t.Errorf("since = %d, want 20", l.since())
	}
}

// An upstream that answers while it follows no feed itself is asked for what is not held, and for what is held no more than one
// that gives no answer. That it answers is no recovery.
func TestUpstreamThatIsCutOff(t *testing.T) {
	now := time.Unix(1000, 0)
	p, err := New(Config{URLs: []string{"http://127.0.0.1:1"}}, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	u := p.clients[0]
	pass := func(d time.Duration) { now = now.Add(d) }
	check := func(when string, held, absent, down bool) {
		t.Helper()
		if got := p.Backoff(ThemeEndpoint, true) == nil; got != held {
			t.Errorf("%s what is held is asked for: %t, want %t", when, got, held)
		}
		if got := p.Backoff(ThemeEndpoint, false) == nil; got != absent {
			t.Errorf("%s what is not held is asked for: %t, want %t", when, got, absent)
		}
		if got := p.EndpointDown(ThemeEndpoint); got != down {
			t.Errorf("%s what is held is served as it is: %t, want %t", when, got, down)
		}
	}
	check("at first", true, true, false)
	u.failed(now)
	check("after no answer", false, false, true)
	pass(time.Second)
	u.succeeded(ResponseMeta{NotFollowed: true}, now)
	check("after an answer of an upstream that is cut off", false, true, true)
	pass(time.Second)
	check("a second later", true, true, true)
	if !u.admits(ThemeEndpoint) {
		t.Fatal("no question is let through")
	}
	check("after a question for anything", false, true, true)
	u.succeeded(ResponseMeta{NotFollowed: true}, now)
	check("after another such answer", false, true, true)
	u.succeeded(ResponseMeta{}, now)
	check("after an answer of one that follows a feed", true, true, false)
}
