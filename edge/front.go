package edge

import (
	"time"

	"example.com/livery/edge/records"
	"example.com/livery/edge/respond"
	"example.com/livery/httpd"
	"github.com/valyala/fasthttp"
)

// front is the door for the requests of clients: it implements httpd.Handler. Whichever way a request comes, it takes the one
// road of Edge.answer: at once with what is held, and if that does not do once more, with time to wait.
type front struct{ edge *Edge }

// Ready implements httpd.Handler. What is not held, may not be current or is refused is left to Serve. It allocates nothing, a
// signature apart.
func (f front) Ready(r *httpd.Request) (httpd.Answer, bool) {
	if f.edge.config.NoReady {
		return httpd.Answer{}, false
	}
	x := exchanges.Get().(*exchange)
	x.begin(r, f.edge.clock(r.Now))
	a, ok := f.edge.ready(x)
	x.end()
	exchanges.Put(x)
	return a, ok
}

// ready answers x, which must not wait, or reports false.
func (e *Edge) ready(x *exchange) (httpd.Answer, bool) {
	if e.answer(x) != nil {
		return httpd.Answer{}, false
	}
	e.metrics.answered(x.response.Status, x.outcome, len(x.response.Content))
	return httpd.Answer{Head: x.response.AppendHead(x.in.Scratch), Body: x.response.Content}, true
}

// Serve implements httpd.Handler.
func (f front) Serve(ctx *fasthttp.RequestCtx) {
	e := f.edge
	x := exchanges.Get().(*exchange)
	x.beginFull(ctx, records.Lookup{Now: e.now(), Header: &ctx.Request.Header, MaxWait: e.config.upstreamWait()})
	defer e.finish(x)
	p := checkHead(ctx)
	if p == nil {
		p = e.answer(x)
	}
	if p != nil {
		e.refuse(x, p)
	} else {
		x.response.WriteTo(&ctx.Response)
	}
	bytes := len(ctx.Response.Body())
	if ctx.IsHead() {
		bytes = 0
	}
	e.metrics.answered(ctx.Response.StatusCode(), x.outcome, bytes)
}

// finish turns a panic, which is a bug of this program, into an answer.
func (e *Edge) finish(x *exchange) {
	if reason := recover(); reason != nil {
		e.log.Error("a request ended in a panic", "path", string(x.in.Path), "reason", reason)
		x.ctx.Response.Reset()
		e.metrics.answered(respond.Internal.Send(x.ctx), x.outcome, 0)
	}
	e.records.Release(&x.Lookup)
	x.end()
	exchanges.Put(x)
}

// clock returns the time of a request that the event loop read at a time.
func (e *Edge) clock(read time.Time) time.Time {
	if e.config.Now != nil {
		return e.now()
	}
	return read
}
