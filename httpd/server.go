// Package listen has the servers of an edge that clients connect to: plain and under TLS, in HTTP/1.1 by an event
// loop with fasthttp behind it, in HTTP/2 by net/http. It bounds what clients may have open, and ends without losing
// a request.
package httpd

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"example.com/livery/httpd/guard"
	"example.com/livery/httpd/h2"
	"example.com/livery/httpd/loop"
	"github.com/valyala/fasthttp"
)

// Config configures a Server. All but Source must be set.
type Config struct {
	Handler          fasthttp.RequestHandler // answers every request that Source does not
	Source           loop.Source             // answers ahead of Handler; nil: no event loop
	MaxConns         int
	ConnsPerClient   int            // negative: no bound
	StreamsPerClient int            // requests of HTTP/2 under way; a twentieth of it bounds the connections. Negative: no bound
	StreamBytes      int64          // for requests of HTTP/2
	WaitingBytes     int64          // for connections that wait for their clients
	TrustedProxies   []netip.Prefix // peers that many clients come through: they have no bounds of their own
	WriteTimeout     time.Duration  // for one answer
	IdleTimeout      time.Duration  // between two requests of a connection
	Shed             func()         // called for each request of HTTP/2 that is refused
	Logger           *slog.Logger
}

// Server serves the clients of an edge. It may be used concurrently.
type Server struct {
	config     Config
	conns      *connLimiter
	handshakes *tlsHandshakes
	http1      *fasthttp.Server
	http2      *h2.Server // of those who choose HTTP/2
	http2Conns h2.Conns   // that the loop does not serve
	requests   *h2.Limiter
	memory     *guard.Memory // of connections that the loop serves
	loop       *loop.Loop    // nil: no fast path
}

// New returns a server, which runs until Shutdown.
func New(c Config) (s *Server, err error) {
	s = &Server{config: c, conns: newConnLimiter(c.MaxConns, c.Clients(), c.Logger), handshakes: newTLSHandshakes()}
	s.memory = guard.NewMemory(c.WaitingBytes, c.TrustedProxies)
	s.requests = h2.NewLimiter(c.StreamBytes, c.StreamsPerClient, c.TrustedProxies)
	s.http1 = s.newHTTP1Server()
	s.http2 = h2.New(h2.Config{
		Handler: s.handle, Requests: s.requests, Shed: c.Shed, HeadBytes: s.http1.ReadBufferSize, BodyBytes: s.http1.MaxRequestBodySize,
		ReadTimeout: s.http1.ReadTimeout, WriteTimeout: s.http1.WriteTimeout, IdleTimeout: s.http1.IdleTimeout,
	})
	if c.Source != nil {
		s.loop, err = loop.New(loop.Config{
			Source: c.Source, Server: s.http1, MaxConns: c.MaxConns, Clients: c.Clients(), Memory: s.memory, Overload: guard.Overloaded.Bytes(), Logger: c.Logger,
		})
	}
	return s, err
}

// Clients returns a new bound of the connections of one client; nil: there is none.
func (c *Config) Clients() *guard.Limiter {
	if c.ConnsPerClient < 0 {
		return nil
	}
	return guard.NewLimiter(c.ConnsPerClient, c.TrustedProxies)
}

// newHTTP1Server sets the limits of HTTP/1.1. The write buffer takes a file of the usual size with its head in one
// piece.
func (s *Server) newHTTP1Server() *fasthttp.Server {
	return withLimits(&fasthttp.Server{
		Handler: s.handleHTTP1, WriteBufferSize: 32 << 10, WriteTimeout: s.config.WriteTimeout, IdleTimeout: s.config.IdleTimeout, ConnState: s.conns.observe,
		ReduceMemoryUsage: s.config.Source != nil, // a request that waits keeps no buffers: the loop has read it
	})
}

// withLimits sets what every server of an edge has in common: what a slow or hostile client can hold, and for how long.
// It returns server.
func withLimits(server *fasthttp.Server) *fasthttp.Server {
	server.ErrorHandler = answerError
	server.HeaderReceived = honourClose
	server.ReadBufferSize = 16 << 10
	server.ReadTimeout = 10 * time.Second
	server.MaxRequestBodySize = 16 << 10 // no request has a body; one that does is read and refused
	server.NoDefaultServerHeader = true
	server.NoDefaultContentType = true
	server.CloseOnShutdown = true
	server.Logger = silent{}
	return server
}

// answerError answers a request that fasthttp cannot read.
func answerError(ctx *fasthttp.RequestCtx, err error) {
	var small *fasthttp.ErrSmallBuffer
	var network net.Error
	p := guard.Malformed
	switch {
	case errors.Is(err, loop.ErrMemory):
		p = guard.Overloaded
	case errors.As(err, &small):
		p = guard.HeadTooLarge
	case errors.Is(err, fasthttp.ErrBodyTooLarge):
		p = guard.BodyTooLarge
	case errors.As(err, &network) && network.Timeout():
		p = guard.TooSlow
	}
	ctx.Response.Reset()
	p.Send(ctx)
}

// handle answers a request, and ends its connection while the server shuts down.
func (s *Server) handle(ctx *fasthttp.RequestCtx) {
	s.config.Handler(ctx)
	if s.Draining() {
		ctx.SetConnectionClose()
	}
}

// handleHTTP1 is handle, with the stream behind an answer that has one.
func (s *Server) handleHTTP1(ctx *fasthttp.RequestCtx) {
	s.handle(ctx)
	sendStream(ctx, s.config.WriteTimeout)
}

// honourClose has fasthttp close the connection of a request that says so. By itself fasthttp knows "close" only
// alone, in lower case and on the last Connection line.
func honourClose(h *fasthttp.RequestHeader) fasthttp.RequestConfig {
	if guard.Closes(h.RawHeaders()) {
		h.SetConnectionClose()
	}
	return fasthttp.RequestConfig{}
}

// silent drops fasthttp's lines about single connections: they quote what strangers sent.
type silent struct{}

func (silent) Printf(string, ...any) {}

// Serve answers requests of l until Shutdown, which makes it return nil. It may run on several
// listeners at once.
func (s *Server) Serve(l net.Listener) error {
	if s.loop == nil {
		l = s.conns.limit(l, nil)
	}
	return s.serveHTTP1(l)
}

// serveHTTP1 answers HTTP/1.1 on a listener, by the event loop if there is one.
func (s *Server) serveHTTP1(l net.Listener) error {
	if s.loop != nil {
		return s.loop.Serve(l)
	}
	return s.http1.Serve(loop.GuardHeads(l, requested))
}

// Connections returns the number of open connections of clients.
func (s *Server) Connections() int {
	n := s.conns.count()
	if s.loop != nil {
		n += int(s.loop.Stats().Connections)
	}
	return n
}

// WaitingBytes returns the memory of connections that wait for their clients.
func (s *Server) WaitingBytes() int64 { return s.memory.Bytes() }

// Draining reports whether Shutdown was called.
func (s *Server) Draining() bool { return s.conns.draining.Load() }

// Shutdown closes the listeners and answers the requests that were sent before, until ctx is done. The servers
// end together, but fasthttp last: it closes the connections that wait for a request.
func (s *Server) Shutdown(ctx context.Context) error {
	ended := make(chan error, 3)
	go func() { ended <- s.conns.Shutdown(ctx) }()
	s.handshakes.drain()
	go func() { ended <- s.http2Conns.Shutdown(ctx) }()
	go func() { ended <- s.shutdownLoop(ctx) }()
	err := errors.Join(<-ended, <-ended, <-ended)
	return errors.Join(err, s.http1.ShutdownWithContext(ctx))
}

func (s *Server) shutdownLoop(ctx context.Context) error {
	if s.loop == nil {
		return nil
	}
	return s.loop.Shutdown(ctx)
}
