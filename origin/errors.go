package origin

import (
	"errors"
	"net"

	"github.com/valyala/fasthttp"

	"example.com/livery/httpguard"
	"example.com/livery/origin/auth"
	"example.com/livery/origin/theming"
	"example.com/livery/renderer/jsontree"
	"example.com/livery/storage"
)

// causeRateLimit is the cause of a refusal for the number of requests.
const causeRateLimit theming.Cause = "rateLimit"

// answer is what a request is answered with.
type answer struct {
	status  int
	body    []byte // nil means none
	headers []header
	closes  bool // the connection is closed afterwards

	contentType string // of the body; empty means JSON
}

// header is a header of an answer. Its value is never a caller's text.
type header struct{ name, value string }

// refusalOf turns any error into an answer. failure is true for what is no refusal but a fault of
// the server, whose text must not be shown.
func refusalOf(err error) (a answer, failure bool) {
	var refusal *theming.Error
	var lost unreadError
	switch {
	case errors.As(err, &refusal):
		return domainRefusal(refusal), refusal.Cause == theming.Internal
	case errors.Is(err, auth.ErrUnauthorized):
		return answer{status: fasthttp.StatusUnauthorized, headers: []header{{"WWW-Authenticate", "Bearer"}}}, false
	case errors.Is(err, auth.ErrForbidden):
		return refused(fasthttp.StatusForbidden, theming.Forbidden), false
	case errors.Is(err, errNotFound):
		return refused(fasthttp.StatusNotFound, theming.NotFound), false
	case errors.Is(err, errBodyBudget):
		return overloaded(fasthttp.StatusServiceUnavailable, theming.Internal), false
	case errors.As(err, &lost):
		a := unread(lost)
		a.closes = true
		return a, false
	case errors.Is(err, storage.ErrUncertain):
		// The change may take place yet: who asks again at once may not see it.
		a := overloaded(fasthttp.StatusServiceUnavailable, theming.Internal)
		a.headers = []header{{"Retry-After", "5"}}
		return a, true
	case errors.Is(err, storage.ErrUnavailable), errors.Is(err, storage.ErrNoSpace):
		return overloaded(fasthttp.StatusServiceUnavailable, theming.Internal), true
	}
	return refused(fasthttp.StatusInternalServerError, theming.Internal), true
}

// domainRefusal answers with the status of the refusal's cause.
func domainRefusal(e *theming.Error) answer {
	status := fasthttp.StatusInternalServerError
	switch e.Cause {
	case theming.Payload, theming.Validation:
		return refused(fasthttp.StatusBadRequest, e.Cause, e.Messages...)
	case theming.PlanLimit:
		status = fasthttp.StatusPaymentRequired
	case theming.Forbidden:
		status = fasthttp.StatusForbidden
	case theming.NotFound:
		status = fasthttp.StatusNotFound
	case theming.Conflict:
		status = fasthttp.StatusConflict
		if e.Precondition {
			status = fasthttp.StatusPreconditionFailed
		}
	}
	return refused(status, e.Cause)
}

// refused returns an answer with the API's error body.
func refused(status int, cause theming.Cause, messages ...string) answer {
	body := append([]byte(`{"status":"error","cause":`), '"')
	body = append(append(body, cause...), `","messages":[`...)
	for i, m := range messages {
		if i > 0 {
			body = append(body, ',')
		}
		body = jsontree.AppendString(body, m)
	}
	return answer{status: status, body: append(body, "]}"...)}
}

// overloaded refuses what may succeed a little later.
func overloaded(status int, cause theming.Cause) answer {
	a := refused(status, cause)
	a.headers = []header{{"Retry-After", "1"}}
	return a
}

// malformed refuses a request whose end is in doubt.
func malformed(what string) answer {
	a := refused(fasthttp.StatusBadRequest, theming.Payload, what)
	a.closes = true
	return a
}

// unread answers a request that the server could not read. Its errors quote what was sent, so none
// of their text is shown.
func unread(err error) answer {
	var small *fasthttp.ErrSmallBuffer
	var network net.Error
	switch {
	case errors.As(err, &small):
		return refused(fasthttp.StatusRequestHeaderFieldsTooLarge, theming.Payload, "the request line and headers are too large")
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		return refused(fasthttp.StatusRequestEntityTooLarge, theming.Payload, "the body is too large")
	case errors.Is(err, httpguard.ErrLineEnd):
		return refused(fasthttp.StatusBadRequest, theming.Payload, "the request line and every header line must end with CR LF")
	case errors.As(err, &network) && network.Timeout():
		return refused(fasthttp.StatusRequestTimeout, theming.Payload, "the request did not arrive in time")
	}
	return refused(fasthttp.StatusBadRequest, theming.Payload, "the request is not well-formed HTTP/1.1")
}

// errNotFound refuses what is missing, or is not for the caller to know of.
var errNotFound = errors.New("origin: not found")

// orNotFound makes a record that is missing a refusal.
func orNotFound(err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return errNotFound
	}
	return err
}

// payload and invalid refuse a request for all that is wrong with it; they are nil where nothing is.
func payload(messages ...string) error { return refuse(theming.Payload, messages) }
func invalid(messages ...string) error { return refuse(theming.Validation, messages) }

func refuse(cause theming.Cause, messages []string) error {
	if len(messages) == 0 {
		return nil
	}
	return &theming.Error{Cause: cause, Messages: messages}
}

// errConflict refuses a request that the state does not allow.
var errConflict error = &theming.Error{Cause: theming.Conflict}
