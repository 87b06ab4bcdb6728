package upstream

import "context"

// TraceHeader is the field that says which trace a request belongs to (W3C Trace Context).
const TraceHeader = "Traceparent"

// traceKey is the key of a trace in a context.
type traceKey struct{}

// WithTrace returns ctx with the trace that the lines of a request's traceHeader name, unchanged: an edge adds no
// span of its own. Lines that do not name one trace are dropped.
func WithTrace(ctx context.Context, lines [][]byte) context.Context {
	if len(lines) != 1 || !isTraceparent(lines[0]) {
		return ctx
	}
	return context.WithValue(ctx, traceKey{}, string(lines[0]))
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
