package origin

import (
	"errors"

	"example.com/livery/origin/httpserver"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/auth"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
)

// refusalOf turns any error into an answer. failure is true for what is no refusal but a fault of
// the server, whose text must not be shown.
func refusalOf(err error) (a httpserver.Answer, failure bool) {
	var refusal *theming.Error
	var lost httpserver.UnreadError
	switch {
	case errors.As(err, &refusal):
		return domainRefusal(refusal), refusal.Cause == theming.Internal
	case errors.Is(err, auth.ErrUnauthorized):
		return httpserver.Answer{Status: fasthttp.StatusUnauthorized, Headers: []httpserver.Header{{Name: "WWW-Authenticate", Value: "Bearer"}}}, false
	case errors.Is(err, auth.ErrForbidden):
		return httpserver.Refused(fasthttp.StatusForbidden, theming.Forbidden), false
	case errors.Is(err, errNotFound):
		return httpserver.Refused(fasthttp.StatusNotFound, theming.NotFound), false
	case errors.Is(err, httpserver.ErrBodyBudget):
		return httpserver.Overloaded(fasthttp.StatusServiceUnavailable, theming.Internal), false
	case errors.As(err, &lost):
		a := httpserver.Unread(lost)
		a.Closes = true
		return a, false
	case errors.Is(err, storage.ErrUncertain):
		// The change may take place yet: who asks again at once may not see it.
		a := httpserver.Overloaded(fasthttp.StatusServiceUnavailable, theming.Internal)
		a.Headers = []httpserver.Header{{Name: "Retry-After", Value: "5"}}
		return a, true
	case errors.Is(err, storage.ErrUnavailable), errors.Is(err, storage.ErrNoSpace):
		return httpserver.Overloaded(fasthttp.StatusServiceUnavailable, theming.Internal), true
	}
	return httpserver.Refused(fasthttp.StatusInternalServerError, theming.Internal), true
}

// domainRefusal answers with the status of the refusal's cause.
func domainRefusal(e *theming.Error) httpserver.Answer {
	status := fasthttp.StatusInternalServerError
	switch e.Cause {
	case theming.Payload, theming.Validation:
		return httpserver.Refused(fasthttp.StatusBadRequest, e.Cause, e.Messages...)
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
	return httpserver.Refused(status, e.Cause)
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
