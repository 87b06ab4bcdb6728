package edge

import (
	"testing"
	"time"

	"example.com/livery/feedproto"
	"github.com/valyala/fasthttp"
)

// However many ask while an upstream is away, it hears of few, and of one soon after it is back.
func TestLossLetsFewQuestionsThrough(t *testing.T) {
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
		var l loss
		began := time.Unix(1000, 0)
		let := 0
		now := began
		for ; now.Sub(began) < tt.away; now = now.Add(time.Millisecond) {
			for range 3 {
				if l.admits(now.UnixNano()) {
					let++
					l.add(now.UnixNano(), now.UnixNano())
				}
				if l.began.Load() == 0 {
					t.Fatal("a question that found nobody is no loss")
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
		if !l.end(now.UnixNano()) || l.end(now.UnixNano()) {
			t.Error("the first answer, and no other one, is the end of a loss")
		}
		for range 2 {
			if !l.admits(now.UnixNano()) {
				t.Error("after the end a question is held back")
			}
		}
	}
}

// Who waits for an upstream, its feed included, does not wait on once any question was answered.
func TestFirstAnswerWakesWhoWaits(t *testing.T) {
	s, err := newSources(Config{Upstreams: []string{"http://127.0.0.1:1"}}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	u := s.list[0]
	u.lost(time.Now())
	u.rest(time.Now().Add(time.Hour))
	back := s.returning()
	u.reached()
	select {
	case <-back:
	default:
		t.Error("who waits is not woken")
	}
	if s.toFollow(t.Context(), time.Now) != u || s.failing() {
		t.Error("the upstream counts as lost")
	}
}

// A question that was asked before upstream was back, and fails after that, holds nobody back.
func TestOldFailureIsNoLoss(t *testing.T) {
	var l loss
	l.add(1, 2)
	l.end(10)
	if l.add(5, 20); l.since() != 0 {
		t.Error("upstream counts as lost because of a question from before it was back")
	}
	if l.add(15, 20); l.since() != 20 {
		t.Errorf("since = %d, want 20", l.since())
	}
}

// While requests wait for an upstream to come back, what is held is served, and only so many wait.
func TestHeldIsServedWhileOthersWait(t *testing.T) {
	t.Parallel()
	e := warmed(t, openServing)
	ask := func(path string) int {
		var ctx fasthttp.RequestCtx
		ctx.Init(&fasthttp.Request{}, nil, nil)
		ctx.Request.SetRequestURI(path)
		ctx.Request.Header.SetHost("a")
		e.handle(&ctx)
		return ctx.Response.StatusCode()
	}
	const unheld = "/" + testEnv + "/thm_99999999999999999999999999/-/latest/tokens.css"
	q := question{now: e.now(), patience: time.Second, deadline: time.Now().Add(time.Minute)}
	answered := make(chan int)
	go func() { answered <- ask(unheld) }()
	for deadline := time.Now().Add(10 * time.Second); e.waiting.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nobody waits for an upstream that went away a moment ago")
		}
	}
	if status := ask("/" + testEnv + "/" + testTheme + "/-/latest/tokens.css"); status != 200 {
		t.Errorf("what is held = %d", status)
	}
	e.waiting.Add(maxWaiting)
	if e.await(e.sources.returning(), &q, errUnreachable) {
		t.Errorf("more than %d wait", maxWaiting)
	}
	e.waiting.Add(-maxWaiting)
	if status := <-answered; status != 503 {
		t.Errorf("what is not held = %d, want 503 in the end", status)
	}
	if n := e.waiting.Load(); n != 0 {
		t.Errorf("%d wait in the end", n)
	}
	late := question{now: e.now().Add(-time.Second), patience: time.Second, deadline: time.Now().Add(time.Minute)}
	if e.await(e.sources.returning(), &late, errUnreachable) {
		t.Error("a request waits for longer than it has patience")
	}
}

// What the feed says at once is as old as the question; only who waited knows that nothing came meanwhile.
func TestPollConfirmsNoMoreThanItWaitedFor(t *testing.T) {
	e := warmed(t, openServing)
	polledAt := e.now().Add(-time.Minute)
	for wait, want := range map[int]time.Time{0: polledAt, pollSeconds: polledAt.Add(pollSeconds * time.Second)} {
		e.apply(feedproto.Changes{Cursor: "1.a"}, manner{}, polledAt, wait)
		if got := e.confirmedAt.Load(); got != want.UnixNano() {
			t.Errorf("after a wait of %d seconds what is held is confirmed as of %v after the question, want %v", wait, time.Unix(0, got).Sub(polledAt), want.Sub(polledAt))
		}
	}
}
