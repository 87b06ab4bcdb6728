package edge

import (
	"testing"

	"example.com/livery/edge/records"
	"github.com/valyala/fasthttp"
)

// Where too many requests wait already, a miss is told to come again; hits go on (overload, A62).
func TestOverloadShedsMissesOnly(t *testing.T) {
	e := warmed(t, openServing)
	var under []*records.Lookup
	for l := new(records.Lookup); e.records.Acquire(l); l = new(records.Lookup) {
		under = append(under, l)
	}
	ask := func(path string) *fasthttp.Response {
		var ctx fasthttp.RequestCtx
		ctx.Init(&fasthttp.Request{}, nil, nil)
		ctx.Request.SetRequestURI(path)
		ctx.Request.Header.SetHost("a")
		front{e}.Serve(&ctx)
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
	for _, l := range under {
		e.records.Release(l)
	}
	if got := ask("/" + testEnv + "/thm_99999999999999999999999998/-/latest/tokens.css"); got.StatusCode() != 503 {
		t.Errorf("after it = %d", got.StatusCode())
	}
	for _, l := range under {
		if !e.records.Acquire(l) {
			t.Fatal("a place is not given back")
		}
	}
}
