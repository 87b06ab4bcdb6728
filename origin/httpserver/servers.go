package httpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/valyala/fasthttp"
)

// ServerConfig bounds the connections and requests of servers.
type ServerConfig struct {
	Connections      int            // at one time
	ConnectionsPerIP int            // of an IPv4 address or an IPv6 network of 64 bits at one time; negative means no limit
	TrustedProxies   []netip.Prefix // are not counted by address
	BodyBytes        int            // of a request body
	HeaderBytes      int            // of the request line and header block
	ReadTimeout      time.Duration  // for a whole request
	WriteTimeout     time.Duration  // for a whole answer
	IdleTimeout      time.Duration  // between two requests of a connection
	Logger           *slog.Logger
	Unread           func(status int) // called after a request that could not be read was answered
}

// Servers are those that run under one configuration and end together. They may be used concurrently.
type Servers struct {
	config ServerConfig

	mu      sync.Mutex // guards running and closed
	running []runningServer
	closed  bool
}

// NewServers returns no servers yet.
func NewServers(c ServerConfig) *Servers { return &Servers{config: c} }

// runningServer is a server and the listener it is, or will be, on.
type runningServer struct {
	server   *fasthttp.Server
	listener net.Listener
}

// Serve answers requests on the listener until Shutdown, and then returns nil. It bounds the connections of the
// listener; handler reads a body with ReadBody.
func (s *Servers) Serve(l net.Listener, handler fasthttp.RequestHandler) error {
	l = guard(l, s.config)
	next := runningServer{s.newServer(handler), l}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return l.Close()
	}
	s.running = append(s.running, next)
	s.mu.Unlock()
	if err := next.server.Serve(l); err != nil {
		return fmt.Errorf("origin: serve on %s: %w", l.Addr(), err)
	}
	return nil
}

// Closed reports whether Shutdown was called.
func (s *Servers) Closed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Shutdown stops accepting, calls interrupt, which ends what requests wait for, lets them finish until ctx ends,
// and returns ctx's error if some did not.
func (s *Servers) Shutdown(ctx context.Context, interrupt func()) error {
	s.mu.Lock()
	s.closed = true
	all := s.running
	s.running = nil
	s.mu.Unlock()
	interrupt()
	stopped := make(chan error, len(all))
	for _, one := range all {
		go func() { stopped <- one.stop(ctx) }()
	}
	var errs []error
	for range all {
		errs = append(errs, <-stopped)
	}
	return errors.Join(errs...)
}

// stop ends the server. One that has not begun yet finds its listener closed.
func (s runningServer) stop(ctx context.Context) error {
	err := s.server.ShutdownWithContext(ctx)
	_ = s.listener.Close()
	return err
}

func (s *Servers) newServer(handler fasthttp.RequestHandler) *fasthttp.Server {
	c := s.config
	return &fasthttp.Server{
		Handler:        closing(handler),
		ErrorHandler:   s.refuseUnread,
		HeaderReceived: withoutBody,
		Logger:         serverLog{c.Logger},

		ReadTimeout:    c.ReadTimeout,
		WriteTimeout:   c.WriteTimeout,
		IdleTimeout:    c.IdleTimeout,
		ReadBufferSize: c.HeaderBytes,
		// The listener admits fewer, and says so in the API's own shape.
		Concurrency: c.Connections + 64,

		NoDefaultServerHeader: true,
		NoDefaultContentType:  true,
		SecureErrorLogMessage: true,
		CloseOnShutdown:       true,
	}
}

// refuseUnread answers a request that the server could not read.
func (s *Servers) refuseUnread(ctx *fasthttp.RequestCtx, err error) {
	a := Unread(err)
	if c, ok := ctx.Conn().(*guardedConn); ok && a.Status != fasthttp.StatusRequestTimeout {
		c.lingers.Store(true)
	}
	a.Write(ctx, NewRequestID())
	s.config.Unread(a.Status)
}

// serverLog writes what the server itself has to say, which is about broken connections.
type serverLog struct{ log *slog.Logger }

// Printf logs one line; slog escapes what a stranger sent.
func (l serverLog) Printf(format string, args ...any) {
	l.log.Debug("origin: connection", "event", fmt.Sprintf(format, args...))
}
