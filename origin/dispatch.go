package origin

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"example.com/livery/origin/httpserver"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/auth"
	"example.com/livery/storage"
)

// servePublic answers one request of the public listener.
func (o *Origin) servePublic(ctx *fasthttp.RequestCtx) {
	started := time.Now()
	q := &request{id: httpserver.NewRequestID(), trace: traceOf(&ctx.Request.Header)}
	a := o.handle(ctx, q)
	a.Write(ctx, q.id)
	o.metrics.Observe(q.route.Method, q.route.Path, a.Status, started)
	o.log.LogAttrs(o.ctx, slog.LevelDebug, "origin: request", slog.String("request", q.id), slog.String("trace", q.trace), slog.String("method", q.route.Method),
		slog.String("route", q.route.Path), slog.Int("status", a.Status), slog.Duration("took", time.Since(started)))
}

// handle answers a request. The order of its refusals is part of the API: size, framing, token, route, and then what
// routed does. The body is unread until routed knows that the caller may send one. A panic is a failure of this one
// request.
func (o *Origin) handle(ctx *fasthttp.RequestCtx, q *request) (a httpserver.Answer) {
	defer func() {
		if p := recover(); p != nil {
			a = o.refuse(q, panicked(p))
		}
	}()
	if err := httpserver.CheckLength(&ctx.Request.Header, o.config.Limits.BodyBytes); err != nil {
		return o.refuse(q, err)
	}
	uri := string(ctx.Request.Header.RequestURI())
	switch what := o.framing(&ctx.Request.Header); {
	case what != "":
		return httpserver.Malformed(what)
	case uri == "*" && ctx.IsOptions():
		return httpserver.Answer{Status: fasthttp.StatusOK}
	case strings.HasPrefix(uri, "//"): // the server would take the first segment for a host
		return o.refuse(q, errNotFound)
	}
	if needsToken(string(ctx.URI().PathOriginal())) {
		if err := o.authenticate(ctx, q); err != nil {
			o.metrics.RefusedToken(auth.Reason(err))
			return o.refuse(q, err)
		}
		if !o.rate.Allows(q.caller.Subject, o.now()) {
			o.metrics.RateLimited()
			return httpserver.Overloaded(fasthttp.StatusTooManyRequests, httpserver.CauseRateLimit)
		}
	}
	ctx.SetUserValue(requestKey{}, q)
	o.router.Handler(ctx)
	return q.answer
}

// needsToken reports whether a path is answered to nobody without a token, whether it exists or not.
func needsToken(path string) bool {
	return path != openAPIPath && path != loginPath && (path == apiPath || strings.HasPrefix(path, apiPath+"/"))
}

func (o *Origin) authenticate(ctx *fasthttp.RequestCtx, q *request) (err error) {
	q.caller, err = o.keys.Verify(copied(ctx.Request.Header.PeekAll(fasthttp.HeaderAuthorization)))
	return err
}

// answered leaves an answer for handle to return.
func answered(ctx *fasthttp.RequestCtx, a httpserver.Answer) {
	ctx.UserValue(requestKey{}).(*request).answer = a
}

// routed returns the handler of a route.
func (o *Origin) routed(route Route) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		q := ctx.UserValue(requestKey{}).(*request)
		q.fill(ctx, route)
		q.receive = func() (func(), error) { return o.receive(ctx, q) }
		a, err := o.run(q)
		if err != nil {
			a = o.refuse(q, err)
		}
		q.answer = a
	}
}

// refuse answers with an error, and logs what is a failure of the server.
func (o *Origin) refuse(q *request, err error) httpserver.Answer {
	a, failure := refusalOf(err)
	if failure {
		o.log.Error("origin: a request failed", "request", q.id, "trace", q.trace, "method", q.route.Method, "route", q.route.Path, "error", err)
	}
	return a
}

// run resolves what the request's path names, which also says whether the caller may, and then reads, or commits a
// change. Whether the caller may write is asked twice, before the body is read and again in the transaction: the body is
// parsed while no other writer waits, and what is committed was allowed then.
func (o *Origin) run(q *request) (a httpserver.Answer, err error) {
	var t target
	err = o.view(o.reading(q, t), func(r storage.Reader) (err error) {
		if t, err = resolve(r, q); err == nil && q.route.read != nil {
			a, err = q.route.read(o, r, q, t)
		}
		return err
	})
	if err != nil || q.route.read != nil {
		return a, err
	}
	if q.receive != nil {
		release, err := q.receive()
		if err != nil {
			return a, err
		}
		defer release()
	}
	c, err := q.route.change(o, q)
	if err != nil {
		return a, err
	}
	return o.commit(q, t, c)
}

// receive reads the body of a request whose caller may send it, within what bodies may take together, and
// returns what ends its part of that.
func (o *Origin) receive(ctx *fasthttp.RequestCtx, q *request) (end func(), err error) {
	room := o.bodies.Of(q.caller.Subject)
	var done func()
	if q.body, err = httpserver.ReadBody(ctx, o.config.Limits.BodyBytes, room.Grow); err == nil {
		done, err = o.bodies.Parse(o.ctx, q.body)
	}
	if errors.Is(err, httpserver.ErrBodyBudget) {
		o.metrics.BodyRefused()
	}
	if err != nil {
		room.Release()
		return nil, err
	}
	return func() {
		done()
		room.Release()
	}, nil
}

// refusedFor returns the answer to an error that is a refusal.
func refusedFor(err error) httpserver.Answer {
	a, _ := refusalOf(err)
	return a
}

// isMissing reports whether err says that the store has no such record.
func isMissing(err error) bool { return errors.Is(err, storage.ErrNotFound) }

// readAttempts is how often a request reads where the store goes away in the midst of it. A store that is
// away before waits by itself for it to come back.
const readAttempts = 3

// view runs fn on one snapshot, and again on a later one where the store went away in between. fn must be
// able to run again.
func (o *Origin) view(ctx context.Context, fn func(storage.Reader) error) (err error) {
	for range readAttempts {
		err = o.store.View(ctx, fn)
		if !errors.Is(err, storage.ErrUnavailable) {
			break
		}
	}
	return err
}
