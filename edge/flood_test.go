package edge

import (
	"testing"
	"time"

	"github.com/valyala/fasthttp"
)

func TestBucketLetsSoManyThrough(t *testing.T) {
	b := bucket{every: 10 * time.Millisecond, burst: 5}
	now := time.Unix(1000, 0)
	taken := func(n int) (got int) {
		for range n {
			if b.take(now) {
				got++
			}
		}
		return got
	}
	if got := taken(20); got != 5 {
		t.Errorf("%d at once, want 5", got)
	}
	if !b.full(now) {
		t.Error("an empty bucket has room")
	}
	now = now.Add(20 * time.Millisecond)
	if got := taken(20); got != 2 {
		t.Errorf("%d after two intervals, want 2", got)
	}
	b.refund()
	if b.full(now) {
		t.Error("what is given back does not count")
	}
	if got := taken(20); got != 1 {
		t.Errorf("%d after one was given back, want 1", got)
	}
	now = now.Add(time.Hour)
	if got := taken(20); got != 5 {
		t.Errorf("%d after an hour, want 5: what was not used does not add up", got)
	}
}

// Where too many requests wait already, a miss is told to come again; hits go on (overload, A62).
func TestOverloadShedsMissesOnly(t *testing.T) {
	e := warmed(t, openServing)
	for range maxMisses {
		e.misses <- struct{}{}
	}
	ask := func(path string) *fasthttp.Response {
		var ctx fasthttp.RequestCtx
		ctx.Init(&fasthttp.Request{}, nil, nil)
		ctx.Request.SetRequestURI(path)
		ctx.Request.Header.SetHost("a")
		e.handle(&ctx)
		return &ctx.Response
	}
	const address = "/" + testEnv + "/" + testTheme + "/-/latest/tokens.css"
	if got := ask(address); got.StatusCode() != 200 {
		t.Errorf("a hit under overload = %d", got.StatusCode())
	}
	got := ask("/" + testEnv + "/thm_99999999999999999999999999/-/latest/tokens.css")
	if got.StatusCode() != 503 || string(got.Header.Peek("Retry-After")) != "1" || string(got.Header.Peek("Cache-Control")) != "no-store" {
		t.Errorf("a miss under overload = %d %s", got.StatusCode(), got.Header.String())
	}
	for range maxMisses {
		<-e.misses
	}
	if got := ask("/" + testEnv + "/thm_99999999999999999999999998/-/latest/tokens.css"); got.StatusCode() != 503 || len(e.misses) != 0 {
		t.Errorf("after it = %d, %d places are kept", got.StatusCode(), len(e.misses))
	}
}
