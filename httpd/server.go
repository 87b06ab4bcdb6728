// Package httpd serves finished bytes over HTTP: plain and under TLS, in HTTP/1.1 and HTTP/2. A Handler answers the requests,
// at once on an event loop or later on a goroutine. The server bounds what clients may have open, and ends without losing a
// request. It knows nothing of what it serves.
package httpd

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"example.com/livery/httpd/guard"
	"example.com/livery/httpd/h2"
	"example.com/livery/httpd/loop"
	"github.com/valyala/fasthttp"
)

// What a Handler deals with.
type (
	Handler    = loop.Handler
	Source     = loop.Source
	PerThread  = loop.PerThread
	Request    = loop.Request
	Answer     = loop.Answer
	Stream     = loop.Stream
	StreamFunc = loop.StreamFunc
)

// SetStream has the stream that begin begins follow the response in ctx, which has a status and headers alone.
func SetStream(ctx *fasthttp.RequestCtx, begin StreamFunc) { loop.SetStream(ctx, begin) }

// AddrPortOf returns the address and port of a TCP peer; the zero AddrPort of any other.
func AddrPortOf(peer net.Addr) netip.AddrPort { return loop.AddrPortOf(peer) }

// Config configures a Server. Handler, MaxConns and the times must be set.
type Config struct {
	Handler          Handler
	MaxConns         int
	ConnsPerClient   int            // negative: no bound
	StreamsPerClient int            // requests of HTTP/2 under way; a twentieth of it bounds the connections. Negative: no bound
	StreamBytes      int64          // for requests of HTTP/2
	WaitingBytes     int64          // for connections that wait for their clients; 0: no bound
	TrustedProxies   []netip.Prefix // peers that many clients come through: they have no bounds of their own
	WriteTimeout     time.Duration  // for one answer
	IdleTimeout      time.Duration  // between two requests of a connection
	Shed             func()         // called for each request of HTTP/2 that is refused
	Logger           *slog.Logger   // nil: nothing is logged
}

// What a slow or hostile client can hold of one request, and for how long. No request has a body; one that does is read and
// its body dropped.
const (
	readTimeout = 10 * time.Second
	headBytes   = 16 << 10
	bodyBytes   = 16 << 10
)

// Server serves clients. It may be used concurrently.
type Server struct {
	loop     *loop.Loop
	http2    *h2.Server
	requests *h2.Limiter
	memory   *guard.Memory
	draining atomic.Bool
}

// New returns a server, which runs until Shutdown.
func New(c Config) *Server {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Server{requests: h2.NewLimiter(c.StreamBytes, c.StreamsPerClient, c.TrustedProxies)}
	if c.WaitingBytes > 0 {
		s.memory = guard.NewMemory(c.WaitingBytes, c.TrustedProxies)
	}
	limits := loop.Limits{Read: readTimeout, Write: c.WriteTimeout, Idle: c.IdleTimeout, Head: headBytes, Body: bodyBytes}
	s.http2 = h2.New(h2.Config{Handler: c.Handler, Limits: limits, Requests: s.requests, Shed: c.Shed, Logger: c.Logger})
	s.loop = loop.New(loop.Config{Handler: c.Handler, Limits: limits, MaxConns: c.MaxConns, Clients: c.Clients(), Memory: s.memory, Logger: c.Logger})
	return s
}

// Clients returns a new bound of the connections of one client; nil: there is none.
func (c *Config) Clients() *guard.Limiter {
	if c.ConnsPerClient < 0 {
		return nil
	}
	return guard.NewLimiter(c.ConnsPerClient, c.TrustedProxies)
}

// Serve answers requests of l until Shutdown, which makes it return nil. It may run on several
// listeners at once.
func (s *Server) Serve(l net.Listener) error { return s.loop.Serve(l) }

// ServeTLS answers requests of l under TLS until Shutdown, which makes it return nil: in HTTP/2 those
// of clients that choose it, if c.NextProtos offers "h2", else in HTTP/1.1. c must not change while
// it is in use; its session tickets serve every connection. It may run on several listeners at once.
func (s *Server) ServeTLS(l net.Listener, c *tls.Config) error {
	return s.loop.ServeTLS(l, s.requests.Offer(c), map[string]loop.SessionFunc{h2.Protocol: s.http2.Begin})
}

// Connections returns the number of open connections of clients.
func (s *Server) Connections() int { return int(s.loop.Stats().Connections) }

// WaitingBytes returns the memory of connections that wait for their clients.
func (s *Server) WaitingBytes() int64 { return s.memory.Bytes() }

// Draining reports whether Shutdown was called.
func (s *Server) Draining() bool { return s.draining.Load() }

// Shutdown closes the listeners and answers the requests that were sent before, until ctx is done. Then it closes the
// connections that are left, and returns the error of ctx.
func (s *Server) Shutdown(ctx context.Context) error {
	s.draining.Store(true)
	return s.loop.Shutdown(ctx)
}
