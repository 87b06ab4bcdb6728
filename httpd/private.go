package httpd

import (
	"context"
	"errors"
	"log/slog"
	"net"

	"github.com/valyala/fasthttp"

	"example.com/livery/httpd/loop"
)

// Private serves clients that the operator trusts, in HTTP/1.1 and without an event loop. It ends as a Server does.
type Private struct {
	conns *connLimiter
	http1 *fasthttp.Server
}

// NewPrivate returns a server of at most so many connections, which runs until Shutdown. server has its handler and its
// timeouts; NewPrivate sets the rest.
func NewPrivate(server *fasthttp.Server, connections int, log *slog.Logger) *Private {
	s := &Private{conns: newConnLimiter(connections, nil, log), http1: withLimits(server)}
	server.ConnState = s.conns.observe
	handler := server.Handler
	server.Handler = func(ctx *fasthttp.RequestCtx) {
		handler(ctx)
		if s.conns.draining.Load() {
			ctx.SetConnectionClose()
		}
	}
	return s
}

// Serve answers requests of l until Shutdown, which makes it return nil.
func (s *Private) Serve(l net.Listener) error {
	return s.http1.Serve(loop.GuardHeads(s.conns.limit(l, nil), requested))
}

// Shutdown closes the listeners and answers the requests that were sent before, until ctx is done.
func (s *Private) Shutdown(ctx context.Context) error {
	err := s.conns.Shutdown(ctx)
	return errors.Join(err, s.http1.ShutdownWithContext(ctx))
}
