package api

import (
	"cmp"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/api/listing"
	"example.com/livery/origin/auth"
	"example.com/livery/origin/httpserver"
	"example.com/livery/origin/share"
	"example.com/livery/origin/theming"
	"example.com/livery/storage"
)

// Serve answers one request of the public API.
func (h *Handler) Serve(ctx *fasthttp.RequestCtx) {
	started := time.Now()
	q := &request{id: httpserver.NewRequestID(), trace: httpserver.TraceID(&ctx.Request.Header)}
	a := h.handle(ctx, q).Compressed(copied(ctx.Request.Header.PeekAll(fasthttp.HeaderAcceptEncoding)))
	q.turn.End()
	_ = q.room.Resize(int64(len(a.Body))) // smaller than before, if it is not the answer that handle reserved for
	httpserver.ReleaseWhenWritten(ctx, q.room)
	ctx.RemoveUserValue(requestKey{}) // else the server holds the body, and what it became, while it writes the answer
	h.config.CORS.Share(&ctx.Request.Header, a).Write(ctx, q.id)
	h.config.Metrics.Observe(q.route.Method, q.route.Path, a.Status, started)
	h.config.Logger.LogAttrs(h.config.Context, slog.LevelDebug, "origin: request", slog.String("request", q.id), slog.String("trace", q.trace), slog.String("method", q.route.Method),
		slog.String("route", q.route.Path), slog.Int("status", a.Status), slog.Duration("took", time.Since(started)))
}

// handle answers a request. The order of its refusals is part of the API: size, framing, token, route, and then what
// routed does. The body is unread until routed knows that the caller may send one. A panic is a failure of this one
// request.
func (h *Handler) handle(ctx *fasthttp.RequestCtx, q *request) (a httpserver.Answer) {
	defer func() {
		if p := recover(); p != nil {
			a = h.refuse(q, httpserver.Panicked(p))
		}
	}()
	if httpserver.BodyLength(&ctx.Request.Header) > h.config.Limits.BodyBytes {
		return h.refuse(q, httpserver.ErrBodyTooLong)
	}
	uri := string(ctx.Request.Header.RequestURI())
	switch what := h.config.Framing(&ctx.Request.Header); {
	case what != "":
		return httpserver.Malformed(what)
	case uri == "*" && ctx.IsOptions():
		return httpserver.Answer{Status: fasthttp.StatusOK}
	case strings.HasPrefix(uri, "//"): // the server would take the first segment for a host
		return h.refuse(q, errNotFound)
	}
	if preflight, ok := h.config.CORS.Preflight(&ctx.Request.Header); ok {
		return preflight
	}
	var quota httpserver.Quota
	if needsToken(string(ctx.URI().PathOriginal())) {
		if err := h.authenticate(ctx, q); err != nil {
			h.config.Metrics.RefusedToken(auth.Reason(err))
			return h.refuse(q, err)
		}
		if quota = h.rate.Take(q.caller.Subject, h.config.Now()); !quota.Allowed {
			h.config.Metrics.RateLimited()
			return quota.Describe(httpserver.Overloaded(fasthttp.StatusTooManyRequests, httpserver.CauseRateLimit))
		}
	}
	ctx.SetUserValue(requestKey{}, q)
	h.router.Handler(ctx)
	return quota.Describe(q.answer)
}

// needsToken reports whether a request for the path is refused without a token, whether the path exists or not.
func needsToken(path string) bool {
	return path != openAPIPath && path != loginPath && (path == Path || strings.HasPrefix(path, Path+"/"))
}

// authenticate learns who the caller is from the Authorization header, or without one from the session of the console.
func (h *Handler) authenticate(ctx *fasthttp.RequestCtx, q *request) (err error) {
	authorization := copied(ctx.Request.Header.PeekAll(fasthttp.HeaderAuthorization))
	if len(authorization) == 0 && h.config.Session != nil {
		if token := h.config.Session(ctx); token != "" {
			authorization = []string{"Bearer " + token}
		}
	}
	q.caller, err = h.config.Keys.Verify(authorization)
	return err
}

// setAnswer leaves an answer for handle to return.
func setAnswer(ctx *fasthttp.RequestCtx, a httpserver.Answer) {
	ctx.UserValue(requestKey{}).(*request).answer = a
}

// routed returns the handler of a route.
func (h *Handler) routed(route Route) fasthttp.RequestHandler {
	describe := audited[route.Method+" "+route.Path]
	return func(ctx *fasthttp.RequestCtx) {
		q := ctx.UserValue(requestKey{}).(*request)
		q.fill(ctx, route)
		q.audit = describe
		if refuse := h.reserved(q); refuse != nil {
			refuse(ctx)
			return
		}
		var err error
		if route.read != nil {
			q.answer, err = h.read(q)
		} else {
			q.answer, err = h.write(ctx, q)
		}
		if err == nil {
			err = q.room.Resize(int64(len(q.answer.Body)))
		}
		if err != nil {
			q.answer = h.refuse(q, err)
		}
		if q.answer.Stream != nil {
			q.answer = h.admit(q, q.answer)
		}
		if route.read != nil {
			q.answer = q.answer.Validated(q.ifNoneMatch)
		}
	}
}

// refuse answers with an error, and logs what is a failure of the server.
func (h *Handler) refuse(q *request, err error) httpserver.Answer {
	a, failure := refusalOf(err)
	if errors.Is(err, share.ErrFull) {
		h.config.Metrics.ShareRefused()
	}
	if failure {
		h.config.Logger.Error("origin: a request failed", "request", q.id, "trace", q.trace, "method", q.route.Method, "route", q.route.Path, "error", err)
	}
	return a
}

// read answers a request that only reads. One that needs a turn waits for it between two snapshots, since a snapshot may hold
// a connection to the store.
func (h *Handler) read(q *request) (a httpserver.Answer, err error) {
	needsTurn := false
	answer := func(r storage.Reader, t target) (err error) {
		if needsTurn = q.turn == nil && q.isHeavy(t); needsTurn {
			return nil
		}
		a, err = q.route.read(h, r, q, t)
		if needsTurn = errors.Is(err, listing.ErrStale); needsTurn {
			return nil
		}
		return q.checkQuery(err)
	}
	t, err := h.view(q, storage.Reads{}, answer)
	if err == nil && needsTurn {
		if err = h.takeTurn(q, t); err == nil {
			_, err = h.view(q, storage.Reads{}, answer)
		}
	}
	if err == nil && q.finish != nil {
		a, err = q.finish()
	}
	return a, err
}

// write commits the change that a request asks for. Whether the caller may write is asked before the body is read and again
// in the transaction: the body is parsed while no other writer waits, and what is committed was allowed then.
func (h *Handler) write(ctx *fasthttp.RequestCtx, q *request) (a httpserver.Answer, err error) {
	t, err := h.view(q, storage.Reads{All: true}, nil)
	if errors.Is(err, errNotFound) && q.route.Method == fasthttp.MethodDelete && q.key != "" && t.environment.ID != "" {
		q.missing, q.change.depends, err = err, onPath, nil
	}
	if err != nil {
		return a, err
	}
	room := h.memory.For(q.sharer)
	defer room.Release()
	if q.body, err = httpserver.ReadBody(ctx, h.config.Limits.BodyBytes, room); err == nil && q.isHeavy(t) {
		err = h.takeTurn(q, t)
	}
	if err == nil && q.missing == nil {
		q.change, err = q.route.change(h, q)
		err = q.checkQuery(err)
	}
	if err = cmp.Or(err, q.keyFault); err != nil {
		return a, err
	}
	q.commits = true
	return h.commit(q, t)
}

// refusedFor returns the answer to an error that is a refusal.
func refusedFor(err error) httpserver.Answer {
	a, _ := refusalOf(err)
	return a
}

// isMissing reports whether err says that the store has no such record.
func isMissing(err error) bool { return errors.Is(err, storage.ErrNotFound) }

// readAttempts is how often a request reads if the store goes away in the midst of it. A store that is
// away before waits by itself for it to come back.
const readAttempts = 3

// view resolves what the path of a request names and runs fn, if there is one, on one snapshot, and again on a later one
// if the store went away in between. fn must be able to run again.
func (h *Handler) view(q *request, reads storage.Reads, fn func(storage.Reader, target) error) (t target, err error) {
	ctx := h.reading(q, t, reads)
	for range readAttempts {
		err = h.config.Store.View(ctx, func(r storage.Reader) (err error) {
			if t, err = resolve(r, q); err == nil && fn != nil {
				err = fn(r, t)
			}
			return err
		})
		if !errors.Is(err, storage.ErrUnavailable) {
			break
		}
	}
	if t.environment.TeamID != "" {
		h.teams.add(q, t)
	}
	if q.room == nil {
		q.sharer = share.Caller{Team: t.team, Subject: q.caller.Subject}
		q.room = h.memory.For(q.sharer)
	}
	return t, err
}

// refusalOf turns any error into an answer. failure is true for what is not a refusal but a fault of
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
	case errors.Is(err, share.ErrFull):
		return httpserver.Overloaded(fasthttp.StatusServiceUnavailable, theming.Internal), false
	case errors.As(err, &lost):
		a := httpserver.Unread(lost)
		a.Closes = true
		return a, false
	case errors.Is(err, storage.ErrUncertain):
		// The change may take place yet: a client that retries at once may not see it.
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
		if e.Reason == theming.IfMatchFailed {
			status = fasthttp.StatusPreconditionFailed
		}
	}
	a := httpserver.Refused(status, e.Cause, e.Messages...)
	if e.Reason != "" {
		a.Headers = []httpserver.Header{{Name: reasonHeader, Value: string(e.Reason)}}
	}
	if e.Variant != "" {
		a.Headers = append(a.Headers, httpserver.Header{Name: variantHeader, Value: e.Variant})
	}
	return a
}

// errNotFound refuses what is missing, or what the caller may not know of.
var errNotFound = errors.New("origin: not found")

// orNotFound makes a record that is missing a refusal.
func orNotFound(err error) error {
	if errors.Is(err, storage.ErrNotFound) {
		return errNotFound
	}
	return err
}

// payload and invalid refuse a request for all that is wrong with it; they are nil if nothing is.
func payload(messages ...string) error { return refuse(theming.Payload, messages) }
func invalid(messages ...string) error { return refuse(theming.Validation, messages) }

func refuse(cause theming.Cause, messages []string) error {
	if len(messages) == 0 {
		return nil
	}
	return &theming.Error{Cause: cause, Messages: messages}
}

// reasonHeader says which conflict a 409 or 412 is: the body has one cause for all of them.
const reasonHeader = "Livery-Reason"

// variantHeader names the Variant that is in the way of a batch, because a 409 has no messages.
const variantHeader = "Livery-Variant"

// RefuseOn answers a request of the feed or the operator with an error.
func (h *Handler) RefuseOn(ctx *fasthttp.RequestCtx, err error) {
	q := &request{id: httpserver.NewRequestID(), trace: httpserver.TraceID(&ctx.Request.Header), route: Route{Method: string(ctx.Method())}}
	h.refuse(q, err).Write(ctx, q.id)
}
