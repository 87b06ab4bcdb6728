package edge

import (
	"testing"
	"time"

	"example.com/livery/edge/upstream"

	"example.com/livery/feedproto"
	"github.com/valyala/fasthttp"
)

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
	if e.await(e.sources.Recovered(), &q, upstream.ErrUnreachable) {
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
	if e.await(e.sources.Recovered(), &late, upstream.ErrUnreachable) {
		t.Error("a request waits for longer than it has patience")
	}
}

// What the feed says at once is as old as the question; only who waited knows that nothing came meanwhile.
func TestPollConfirmsNoMoreThanItWaitedFor(t *testing.T) {
	e := warmed(t, openServing)
	polledAt := e.now().Add(-time.Minute)
	for wait, want := range map[int]time.Time{0: polledAt, upstream.PollSeconds: polledAt.Add(upstream.PollSeconds * time.Second)} {
		e.apply(feedproto.Changes{Cursor: "1.a"}, upstream.ResponseMeta{}, polledAt, wait)
		if got := e.confirmedAt.Load(); got != want.UnixNano() {
			t.Errorf("after a wait of %d seconds what is held is confirmed as of %v after the question, want %v", wait, time.Unix(0, got).Sub(polledAt), want.Sub(polledAt))
		}
	}
}
