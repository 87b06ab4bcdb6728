package edge

import (
	"context"

	"github.com/valyala/fasthttp"
)

// traceHeader is where a request says which trace it belongs to (W3C Trace Context).
const traceHeader = "Traceparent"

// traceKey is the key of a trace in a context.
type traceKey struct{}

// traced returns the context for what is asked upstream because of q. It carries the trace of q's request
// on, unchanged: an edge adds no span of its own. What is asked without a request has none.
func (e *Edge) traced(q *question) context.Context {
	if q.header == nil {
		return e.ctx
	}
	parents := q.header.PeekAll(traceHeader)
	if len(parents) != 1 || !isTraceparent(parents[0]) {
		return e.ctx
	}
	return context.WithValue(e.ctx, traceKey{}, string(parents[0]))
}

// traceOf returns the trace that ctx carries, or "".
func traceOf(ctx context.Context) string {
	parent, _ := ctx.Value(traceKey{}).(string)
	return parent
}

// traceShape is the one spelling that is passed on, that of version 00: x is a hexadecimal digit in lower
// case. Upstream judges what the digits mean.
const traceShape = "00-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx-xxxxxxxxxxxxxxxx-xx"

func isTraceparent(b []byte) bool {
	if len(b) != len(traceShape) {
		return false
	}
	for i, c := range b {
		digit := c >= '0' && c <= '9' || c >= 'a' && c <= 'f'
		if traceShape[i] == 'x' && !digit || traceShape[i] != 'x' && c != traceShape[i] {
			return false
		}
	}
	return true
}

// asking returns the question that a request is.
func (e *Edge) asking(h *fasthttp.RequestHeader) question {
	return question{now: e.now(), header: h, patience: e.config.upstreamWait()}
}
