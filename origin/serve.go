package origin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime/debug"
	"time"

	"github.com/valyala/fasthttp"
)

// ServePublic answers the public API on the listener until Shutdown, and then returns nil.
func (o *Origin) ServePublic(l net.Listener) error {
	return o.serve(guard(l, o.config.Limits), o.servePublic)
}

// ServeFeed answers edges on the listener until Shutdown, and then returns nil.
func (o *Origin) ServeFeed(l net.Listener) error {
	if o.feed == nil {
		_ = l.Close()
		return errors.New("origin: the feed needs a token that edges carry")
	}
	return o.serve(guard(l, o.config.Limits), o.framed(func(ctx *fasthttp.RequestCtx) { o.followers.following(ctx, o.feed.Serve) }))
}

// ServeOperator answers the operator on the listener until Shutdown, and then returns nil. Whoever
// can connect may do everything: the listener must be one that only the operator reaches.
func (o *Origin) ServeOperator(l net.Listener) error {
	return o.serve(guard(l, o.config.Limits), o.framed(o.withBody(o.operator.Serve)))
}

// framed refuses ambiguous requests before the handler sees them, and makes a panic of the handler
// a failure of this one request.
func (o *Origin) framed(handler fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		defer func() {
			if p := recover(); p != nil {
				o.refuseOn(ctx, panicked(p))
			}
		}()
		if what := o.framing(&ctx.Request.Header); what != "" {
			o.write(ctx, newRequestID(), malformed(what))
			return
		}
		handler(ctx)
	}
}

// withBody reads the body of a request before the handler sees it.
func (o *Origin) withBody(handler fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		unbounded := func(int64) error { return nil } // the operator may send what there is memory for
		body, err := readBody(ctx, o.config.Limits.BodyBytes, unbounded)
		if err != nil {
			o.refuseOn(ctx, err)
			return
		}
		ctx.Request.SetBodyRaw([]byte(body))
		handler(ctx)
	}
}

// refuseOn answers a request of the feed or the operator with an error.
func (o *Origin) refuseOn(ctx *fasthttp.RequestCtx, err error) {
	q := &request{id: newRequestID(), trace: traceOf(&ctx.Request.Header), route: Route{Method: string(ctx.Method())}}
	o.write(ctx, q.id, o.refuse(q, err))
}

// panicked is the error of a handler that panicked, with where it did, for the log.
func panicked(p any) error { return fmt.Errorf("origin: panic: %v\n%s", p, debug.Stack()) }

// serving is a server and the listener it is, or will be, on.
type serving struct {
	server   *fasthttp.Server
	listener net.Listener
}

func (o *Origin) serve(l net.Listener, handler fasthttp.RequestHandler) error {
	s := serving{o.newServer(handler), l}
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return l.Close()
	}
	o.serving = append(o.serving, s)
	o.mu.Unlock()
	if err := s.server.Serve(l); err != nil {
		return fmt.Errorf("origin: serve on %s: %w", l.Addr(), err)
	}
	return nil
}

// stop ends the server. One that has not begun yet finds its listener closed.
func (s serving) stop(ctx context.Context) error {
	err := s.server.ShutdownWithContext(ctx)
	_ = s.listener.Close()
	return err
}

func (o *Origin) newServer(handler fasthttp.RequestHandler) *fasthttp.Server {
	limits := o.config.Limits
	return &fasthttp.Server{
		Handler:        closing(handler),
		ErrorHandler:   o.refuseUnread,
		HeaderReceived: withoutBody,
		Logger:         serverLog{o.log},

		ReadTimeout:    limits.ReadTimeout,
		WriteTimeout:   limits.WriteTimeout,
		IdleTimeout:    limits.IdleTimeout,
		ReadBufferSize: limits.HeaderBytes,
		// The listener admits fewer, and says so in the API's own shape.
		Concurrency: limits.Connections + 64,

		NoDefaultServerHeader: true,
		NoDefaultContentType:  true,
		SecureErrorLogMessage: true,
		CloseOnShutdown:       true,
	}
}

// Shutdown stops accepting, ends the feed's waits and the work in the background, lets requests in
// progress finish until ctx ends, and returns ctx's error where some did not. The store stays open.
func (o *Origin) Shutdown(ctx context.Context) error {
	o.mu.Lock()
	o.closed = true
	all := o.serving
	o.serving = nil
	o.mu.Unlock()
	o.cancelFeed()
	stopped := make(chan error, len(all))
	for _, s := range all {
		go func() { stopped <- s.stop(ctx) }()
	}
	var errs []error
	for range all {
		errs = append(errs, <-stopped)
	}
	o.cancel()
	errs = append(errs, o.derive.Close(ctx))
	o.keeping.Wait()
	return errors.Join(errs...)
}

// serverLog writes what the server itself has to say, which is about broken connections.
type serverLog struct{ log *slog.Logger }

// Printf logs one line; slog escapes what a stranger sent.
func (l serverLog) Printf(format string, args ...any) {
	l.log.Debug("origin: connection", "event", fmt.Sprintf(format, args...))
}

// refuseUnread answers a request that the server could not read.
func (o *Origin) refuseUnread(ctx *fasthttp.RequestCtx, err error) {
	a := unread(err)
	if c, ok := ctx.Conn().(*guardedConn); ok && a.status != fasthttp.StatusRequestTimeout {
		c.lingers.Store(true)
	}
	o.write(ctx, newRequestID(), a)
	o.metrics.observe("", "unread", a.status, time.Time{})
}

// write puts an answer on the wire.
func (o *Origin) write(ctx *fasthttp.RequestCtx, id string, a answer) {
	ctx.Response.Reset()
	header := &ctx.Response.Header
	ctx.SetStatusCode(a.status)
	header.Set("X-Request-Id", id)
	if a.body != nil {
		header.SetContentType(cmp.Or(a.contentType, "application/json"))
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Cache-Control", "no-store")
		ctx.Response.SetBodyRaw(a.body)
	}
	for _, h := range a.headers {
		header.Set(h.name, h.value)
	}
	if a.closes {
		ctx.SetConnectionClose()
		if c, ok := ctx.Conn().(*guardedConn); ok {
			c.lingers.Store(true)
		}
	}
}
