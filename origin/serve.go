package origin

import (
	"context"
	"errors"
	"net"

	"github.com/valyala/fasthttp"

	"example.com/livery/origin/httpserver"
)

// ServePublic answers the public API, and serves the console, on the listener until Shutdown, and then returns nil.
func (o *Origin) ServePublic(l net.Listener) error {
	return o.servers.Serve(l, o.config.Limits.Connections, o.servePublic())
}

// ServeFeed answers edges on the listener until Shutdown, and then returns nil.
func (o *Origin) ServeFeed(l net.Listener) error {
	if o.feed == nil {
		_ = l.Close()
		return errors.New("origin: the feed needs a token that edges carry")
	}
	return o.servers.Serve(l, o.config.Limits.FeedConnections, o.framed(func(ctx *fasthttp.RequestCtx) { o.followers.Follow(ctx, o.feed.Serve) }))
}

// ServeOperator answers the operator on the listener until Shutdown, and then returns nil. A client that
// can connect may do everything: the listener must be one that only the operator reaches.
func (o *Origin) ServeOperator(l net.Listener) error {
	return o.servers.Serve(l, o.config.Limits.OperatorConnections, o.framed(o.withBody(o.operator.Serve)))
}

// framed refuses ambiguous requests before the handler sees them, and makes a panic of the handler
// a failure of this one request.
func (o *Origin) framed(handler fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		defer func() {
			if p := recover(); p != nil {
				o.api.RefuseOn(ctx, httpserver.Panicked(p))
			}
		}()
		if what := o.config.framing(&ctx.Request.Header); what != "" {
			httpserver.Malformed(what).Write(ctx, httpserver.NewRequestID())
			return
		}
		handler(ctx)
	}
}

// withBody reads the body of a request before the handler sees it.
func (o *Origin) withBody(handler fasthttp.RequestHandler) fasthttp.RequestHandler {
	return func(ctx *fasthttp.RequestCtx) {
		body, err := httpserver.ReadBody(ctx, o.config.Limits.BodyBytes, nil) // the operator may send what there is memory for
		if err != nil {
			o.api.RefuseOn(ctx, err)
			return
		}
		ctx.Request.SetBodyRaw([]byte(body))
		handler(ctx)
	}
}

// Shutdown stops accepting, ends the feed's waits and the work in the background, lets requests in
// progress finish until ctx ends, and returns ctx's error if some did not. The store stays open.
func (o *Origin) Shutdown(ctx context.Context) error {
	err := o.servers.Shutdown(ctx, o.cancelFeed)
	o.cancel()
	err = errors.Join(err, o.derive.Close(ctx))
	o.background.Wait()
	return err
}
