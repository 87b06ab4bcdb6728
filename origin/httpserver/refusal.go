package httpserver

import (
	"errors"
	"fmt"
	"net"
	"runtime/debug"

	"github.com/valyala/fasthttp"

	"example.com/livery/httpd/guard"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
)

// Refused returns an answer with the API's error body.
func Refused(status int, cause theming.Cause, messages ...string) Answer {
	body := append([]byte(`{"status":"error","cause":`), '"')
	body = append(append(body, cause...), `","messages":[`...)
	for i, m := range messages {
		if i > 0 {
			body = append(body, ',')
		}
		body = jsontree.AppendString(body, m)
	}
	return Answer{Status: status, Body: append(body, "]}"...)}
}

// Overloaded refuses what may succeed a little later.
func Overloaded(status int, cause theming.Cause) Answer {
	a := Refused(status, cause)
	a.Headers = []Header{{"Retry-After", "1"}}
	return a
}

// Malformed refuses a request whose end is in doubt.
func Malformed(what string) Answer {
	a := Refused(fasthttp.StatusBadRequest, theming.Payload, what)
	a.Closes = true
	return a
}

// Unread answers a request that the server could not read. Its errors quote what was sent, so none
// of their text is shown.
func Unread(err error) Answer {
	var small *fasthttp.ErrSmallBuffer
	var network net.Error
	switch {
	case errors.As(err, &small):
		return Refused(fasthttp.StatusRequestHeaderFieldsTooLarge, theming.Payload, "the request line and headers are too large")
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		return Refused(fasthttp.StatusRequestEntityTooLarge, theming.Payload, "the body is too large")
	case errors.Is(err, guard.ErrLineEnd):
		return Refused(fasthttp.StatusBadRequest, theming.Payload, "the request line and every header line must end with CR LF")
	case errors.As(err, &network) && network.Timeout():
		return Refused(fasthttp.StatusRequestTimeout, theming.Payload, "the request did not arrive in time")
	}
	return Refused(fasthttp.StatusBadRequest, theming.Payload, "the request is not well-formed HTTP/1.1")
}

// Panicked is the error of a handler that panicked, with if it did, for the log.
func Panicked(p any) error { return fmt.Errorf("origin: panic: %v\n%s", p, debug.Stack()) }
