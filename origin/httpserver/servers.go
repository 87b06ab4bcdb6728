package httpserver

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"example.com/livery/httpd/guard"
)

// ServerConfig bounds the connections and requests of servers.
type ServerConfig struct {
	ConnectionsPerIP int            // of an IPv4 address or an IPv6 network of 64 bits at one time; negative means no limit
	TrustedProxies   []netip.Prefix // are not counted by address
	BodyBytes        int            // of a request body
	HeaderBytes      int            // of the request line and header block
	ReadTimeout      time.Duration  // for a head, and for each 64 KiB of a body
	WriteTimeout     time.Duration  // for each 64 KiB of an answer
	IdleTimeout      time.Duration  // between two requests of a connection
	Logger           *slog.Logger
	Unread           func(status int) // called after a request that could not be read was answered
}

// Servers are those that run under one configuration and end together. They may be used concurrently.
type Servers struct {
	config    ServerConfig
	closed    atomic.Bool
	accepting sync.WaitGroup // one for each listener

	mu        sync.Mutex // guards listeners
	listeners []*guardedListener
}

// NewServers returns no servers yet.
func NewServers(c ServerConfig) *Servers { return &Servers{config: c} }

// Serve answers requests on the listener, which has at most so many connections, until Shutdown, and then returns nil.
// handler reads a body with ReadBody.
func (s *Servers) Serve(l net.Listener, connections int, handler fasthttp.RequestHandler) error {
	guarded := guardHeads(l, connections, s.config)
	s.mu.Lock()
	if s.Closed() {
		s.mu.Unlock()
		return l.Close()
	}
	s.listeners = append(s.listeners, guarded)
	s.accepting.Add(1)
	s.mu.Unlock()
	defer s.accepting.Done()
	if err := s.newServer(connections, handler).Serve(guarded); err != nil {
		return fmt.Errorf("origin: serve on %s: %w", l.Addr(), err)
	}
	return nil
}

// Closed reports whether Shutdown was called.
func (s *Servers) Closed() bool { return s.closed.Load() }

// drainGrace is how long a connection without a request is kept in a shutdown: a request that its client sent before it
// could know of the shutdown is still answered.
const drainGrace = 250 * time.Millisecond

// Shutdown stops accepting, calls interrupt, which ends what requests wait for, and lets requests in progress finish
// until ctx ends. It then cuts the connections of those that did not, and returns ctx's error.
func (s *Servers) Shutdown(ctx context.Context, interrupt func()) error {
	s.mu.Lock()
	s.closed.Store(true)
	all := s.listeners
	s.mu.Unlock()
	for _, l := range all {
		_ = l.Close()
	}
	s.accepting.Wait() // what they accepted last is among the open connections
	interrupt()
	for quiet := time.Now().Add(drainGrace); ; {
		var open []*guardedConn
		for _, l := range all {
			open = append(open, l.connectionsOpen()...)
		}
		if len(open) == 0 {
			return nil
		}
		if !time.Now().Before(quiet) {
			for _, c := range open {
				c.end()
			}
		}
		select {
		case <-ctx.Done():
			for _, c := range open {
				guard.Cut(c)
			}
			return fmt.Errorf("origin: %d connections were cut: %w", len(open), ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (s *Servers) newServer(connections int, handler fasthttp.RequestHandler) *fasthttp.Server {
	c := s.config
	return &fasthttp.Server{
		Handler:        s.closing(handler),
		ErrorHandler:   s.refuseUnread,
		HeaderReceived: withoutBody,
		Logger:         serverLog{c.Logger},

		ReadTimeout:    c.ReadTimeout,
		IdleTimeout:    c.IdleTimeout,
		ReadBufferSize: c.HeaderBytes,
		// The listener admits fewer, and says so in the API's own shape.
		Concurrency: connections + 64,

		NoDefaultServerHeader: true,
		NoDefaultContentType:  true,
		SecureErrorLogMessage: true,
	}
}

// refuseUnread answers a request that the server could not read.
func (s *Servers) refuseUnread(ctx *fasthttp.RequestCtx, err error) {
	a := Unread(err)
	if c, ok := ctx.Conn().(*guardedConn); ok && a.Status != fasthttp.StatusRequestTimeout && c.phase.Load() != ended {
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
