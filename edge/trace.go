package edge

import (
	"context"

	"example.com/livery/edge/upstream"

	"github.com/valyala/fasthttp"
)

// traced returns the context for what is asked upstream because of q: it carries the trace of q's request on.
func (e *Edge) traced(q *question) context.Context {
	if q.header == nil {
		return e.ctx
	}
	return upstream.WithTrace(e.ctx, q.header.PeekAll(upstream.TraceHeader))
}

// asking returns the question that a request is.
func (e *Edge) asking(h *fasthttp.RequestHeader) question {
	return question{now: e.now(), header: h, patience: e.config.upstreamWait()}
}
