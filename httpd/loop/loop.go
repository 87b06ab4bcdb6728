// Package loop serves connections of HTTP/1.1 and of sessions such as HTTP/2: on Linux from threads of its own on raw epoll,
// elsewhere and on listeners that are not plain TCP from goroutines.
//
// A plain request is read by the loop's scanner and answered by the Source of a Handler at once. Any other request is read by
// fasthttp once it has come as a whole, and answered by Handler.Serve on a goroutine. So the loop itself decides nothing about
// HTTP but what is plain: whatever it sends is byte for byte what a fasthttp.Server would have sent, Date apart.
package loop

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"example.com/livery/httpd/guard"
)

// Config configures a Loop. Handler and Limits must be set.
type Config struct {
	Handler  Handler
	Limits   Limits
	Threads  int            // on a listener; 0: GOMAXPROCS as the program set it less one, at least 1
	MaxConns int            // open connections on all listeners
	Clients  *guard.Limiter // bounds the connections of each client; nil: unbounded
	Memory   *guard.Memory  // bounds what connections keep while they wait for their clients; nil: unbounded
	Logger   *slog.Logger   // nil: nothing is logged
}

// Limits bound what a client takes, and for how long.
type Limits struct {
	Read  time.Duration // from the first byte of a request to its last, and from the beginning of a connection to that byte
	Write time.Duration // of an answer that the client does not take
	Idle  time.Duration // between two requests
	Head  int           // bytes
	Body  int           // bytes, which are read and dropped
}

// Stats counts what a Loop did since New. Connections is of now.
type Stats struct {
	Connections uint64 // open
	Answers     uint64 // of the Source
	Handovers   uint64 // requests for Handler.Serve
	Refused     uint64 // connections beyond MaxConns, Clients or Memory
	Expired     uint64 // connections that ended because the client was too slow or silent
}

// refusalsPart is the part of MaxConns, one in so many, that may be refused with an answer at one time: each takes a
// descriptor until its client has that. Further ones are closed without one.
const refusalsPart = 16

// enter counts a connection in, unless there are too many.
func (l *Loop) enter(a netip.Addr) bool {
	if l.counts.conns.Add(1) <= int64(l.config.MaxConns) && l.config.Clients.Enter(a) {
		return true
	}
	l.counts.conns.Add(-1)
	l.counts.refused.Add(1)
	return false
}

// leave counts a connection out.
func (l *Loop) leave(a netip.Addr) {
	l.config.Clients.Leave(a)
	l.counts.conns.Add(-1)
}

// grace is how long a connection that was used a moment ago is kept open in a shutdown: its client
// may have sent the next request already. That one's answer then says that the connection ends.
const grace = 250 * time.Millisecond

// Loop serves connections. It may be used concurrently.
type Loop struct {
	config   Config
	limits   *Limits // of config
	overload []byte  // what a connection without room is sent
	counts   counts
	log      *slog.Logger

	mu       sync.Mutex // guards services and stopped
	services map[service]struct{}
	stopped  bool
	working  sync.WaitGroup // one for each service
}

// counts are the figures behind Stats.
type counts struct {
	conns                                atomic.Int64
	refusing                             atomic.Int64 // connections under TLS
	answers, handovers, refused, expired atomic.Uint64
}

// refusalTime bounds how long a client that is refused may take for its answer; under TLS the handshake takes two round trips
// of a slow network.
const refusalTime = 3 * time.Second

// refuse answers a connection that there is no room for, unless it agrees on a protocol with sessions: those have no answer
// without a request. It closes the connection.
func (l *Loop) refuse(conn net.Conn, over *secure) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(refusalTime))
	if over == nil {
		_, _ = conn.Write(l.overload)
		return
	}
	c := tls.Server(conn, over.config)
	if c.Handshake() == nil && over.protocols[c.ConnectionState().NegotiatedProtocol] == nil {
		_, _ = c.Write(l.overload)
		_ = c.CloseWrite()
	}
}

// service is one listener being served.
type service interface {
	run() error // serves until drain or abort was called and everything has ended
	drain()     // has run accept nothing more, and end connections as soon as that loses no request
	abort()     // has run end connections now
}

// New returns a Loop that serves nothing yet.
func New(c Config) *Loop {
	l := &Loop{config: c, log: c.Logger, overload: guard.Overloaded.Bytes(), services: map[service]struct{}{}}
	l.limits = &l.config.Limits
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	return l
}

// Serve answers requests of ln until Shutdown, which makes it return nil. It may run on several
// listeners at once. On Linux, a *net.TCPListener is taken over: Serve closes it and accepts from its
// socket itself, in threads of which each keeps a processor of the scheduler's while it has work. So
// that other goroutines have as many as before, GOMAXPROCS is raised while any Loop of the process serves so, by the
// threads of the listener that has most.
func (l *Loop) Serve(ln net.Listener) error { return l.serve(ln, nil) }

// ServeTLS is Serve for clients that speak TLS: for those that agree on one of protocols in the handshake (ALPN) by its
// sessions, for all others in HTTP/1.1. c must not change while it is in use; what it calls must not block for long.
func (l *Loop) ServeTLS(ln net.Listener, c *tls.Config, protocols map[string]SessionFunc) error {
	return l.serve(ln, &secure{c, protocols})
}

// secure is what the connections of a listener under TLS have in common.
type secure struct {
	config    *tls.Config
	protocols map[string]SessionFunc // by their names in ALPN
}

func (l *Loop) serve(ln net.Listener, over *secure) error {
	s, err := l.begin(ln, over)
	if s == nil {
		return errors.Join(err, ln.Close())
	}
	defer l.end(s)
	if err := s.run(); err != nil {
		return fmt.Errorf("loop: serve: %w", err)
	}
	return nil
}

// begin makes the service of ln, or nothing if the Loop is shut down already.
func (l *Loop) begin(ln net.Listener, over *secure) (service, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopped {
		return nil, nil
	}
	s, err := l.newService(ln, over)
	if err != nil {
		return nil, fmt.Errorf("loop: serve: %w", err)
	}
	l.services[s] = struct{}{}
	l.working.Add(1)
	return s, nil
}

func (l *Loop) end(s service) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.services, s)
	l.working.Done()
}

// Shutdown closes the listeners, answers what was received, and returns when every connection has
// ended. When ctx is done first, it cuts those that are left and returns the error of ctx. The Loop is unusable then.
func (l *Loop) Shutdown(ctx context.Context) error {
	if l.each(service.drain) == 0 {
		return nil
	}
	ended := make(chan struct{})
	go func() {
		l.working.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
	}
	cut := l.counts.conns.Load()
	l.each(service.abort)
	if <-ended; cut == 0 {
		return nil
	}
	return fmt.Errorf("loop: shutdown: %w", ctx.Err())
}

// each stops new services and does f to those that run, whose number it returns.
func (l *Loop) each(f func(service)) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
	for s := range l.services {
		f(s)
	}
	return len(l.services)
}

// Stats returns the figures of now.
func (l *Loop) Stats() Stats {
	c := &l.counts
	return Stats{
		Connections: uint64(max(0, c.conns.Load())),
		Answers:     c.answers.Load(),
		Handovers:   c.handovers.Load(),
		Refused:     c.refused.Load(),
		Expired:     c.expired.Load(),
	}
}
