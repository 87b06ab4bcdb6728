// Package loop answers plain requests for finished files ahead of fasthttp: on Linux from threads of
// its own on raw epoll, elsewhere and on listeners that are not plain TCP from one goroutine a
// connection. What it does not know well, it never answers: such a request goes, with every byte that
// was read, to a fasthttp.Server, and the connection comes back once that has answered. So the loop
// decides nothing about HTTP but what is plain: whatever it answers is byte for byte what fasthttp
// would have answered, Date apart.
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

	"github.com/valyala/fasthttp"

	"example.com/livery/httpd/guard"
)

// Config configures a Loop. Source and Server must be set.
//
// The loop takes its limits from Server, so that a client sees the same from both servers: ReadTimeout
// (from the first byte of a head to its last), WriteTimeout (of an answer that the client does not
// take), IdleTimeout and ReadBufferSize (the longest head). A time that it does not set is a minute.
type Config struct {
	Source Source

	// Server answers what Source does not. New wraps its Handler and its ConnState, to see when a
	// connection is idle and to end it in a shutdown: they must be set before and not changed after.
	// Server must not name itself (NoDefaultServerHeader), must write the date itself, and its Handler
	// must not hijack connections.
	Server *fasthttp.Server

	Threads  int            // loops on a listener; 0: GOMAXPROCS as the program set it less one, at least 1
	MaxConns int            // open connections on all listeners, those in Server included; 0: 100,000
	Clients  *guard.Limiter // bounds the connections of each client; nil: unbounded
	Memory   *guard.Memory  // bounds what connections keep; nil: unbounded
	Overload []byte         // what a connection beyond MaxConns, Clients or Memory is sent, a whole answer; nil: nothing, it is closed
	Logger   *slog.Logger   // nil: nothing is logged
}

// Stats counts what a Loop did since New. Connections is of now.
type Stats struct {
	Connections uint64 // open, those in the server included
	Answers     uint64 // sent by the loop
	Handovers   uint64 // requests, or connections, that were left to the server
	Refused     uint64 // connections beyond MaxConns, Clients or Memory
	Expired     uint64 // connections that ended because the client was too slow or silent
}

// What a Config that says nothing gets.
const (
	defaultMaxConns = 100_000
	defaultTimeout  = time.Minute
	defaultHead     = 4 << 10 // fasthttp's own
)

// ErrMemory is the error of reading or writing on behalf of a client that waits with more memory than there is for it.
var ErrMemory = errors.New("loop: the client keeps too much memory")

// refusalsPart is the part of MaxConns, one in so many, that may be refused with an answer at one time: each takes a
// descriptor until its client has that. Further ones are closed without one.
const refusalsPart = 16

// enter counts a connection in, unless there are too many.
func (l *Loop) enter(a netip.Addr) bool {
	if l.counts.conns.Add(1) <= l.limits.conns && l.config.Clients.Enter(a) {
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
	config Config
	limits limits
	counts counts
	log    *slog.Logger

	mu       sync.Mutex // guards services and stopped
	services map[service]struct{}
	stopped  bool
	working  sync.WaitGroup // one for each service
}

// limits bound what a client takes, and for how long.
type limits struct {
	read, write, idle time.Duration
	head              int // bytes
	conns             int64
}

// counts are the figures behind Stats.
type counts struct {
	conns                                atomic.Int64
	refusing                             atomic.Int64 // connections under TLS
	answers, handovers, refused, expired atomic.Uint64
}

// service is one listener being served.
type service interface {
	run() error // serves until drain or abort was called and everything has ended
	drain()     // has run accept nothing more, and end connections as soon as that loses no request
	abort()     // has run end connections now
}

// New returns a Loop that serves nothing yet.
func New(c Config) (*Loop, error) {
	if c.Source == nil || c.Server == nil || c.Server.Handler == nil {
		return nil, errors.New("loop: a source and a server with a handler are needed")
	}
	l := &Loop{config: c, log: c.Logger, services: map[service]struct{}{}}
	if l.log == nil {
		l.log = slog.New(slog.DiscardHandler)
	}
	s := c.Server
	l.limits = limits{
		read:  orDefault(s.ReadTimeout, defaultTimeout),
		write: orDefault(s.WriteTimeout, defaultTimeout),
		idle:  orDefault(s.IdleTimeout, orDefault(s.ReadTimeout, defaultTimeout)),
		head:  orDefault(s.ReadBufferSize, defaultHead),
		conns: int64(orDefault(c.MaxConns, defaultMaxConns)),
	}
	bind(s)
	return l, nil
}

func orDefault[T ~int | ~int64](n, fallback T) T {
	if n <= 0 {
		return fallback
	}
	return n
}

// Serve answers requests of ln until Shutdown, which makes it return nil. It may run on several
// listeners at once. On Linux, a *net.TCPListener is taken over: Serve closes it and accepts from its
// socket itself, in threads of which each keeps a processor of the scheduler's while it has work. So
// that other goroutines have as many as before, GOMAXPROCS is raised while any Loop of the process serves so, by the
// threads of the listener that has most.
func (l *Loop) Serve(ln net.Listener) error { return l.serve(ln, nil) }

// ServeTLS is Serve for clients that speak TLS: for those that agree on one of protocols in the handshake (ALPN) by its
// sessions, for all others in HTTP/1.1. ServesTLS(ln) must hold. c must not change while it is in use; what it calls must
// not block for long.
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
// ended, those in the server included. When ctx is done first, it ends them and returns the error of
// ctx. The Loop is unusable then. It leaves the server as it is: it may serve listeners of its own.
func (l *Loop) Shutdown(ctx context.Context) error {
	ended := make(chan struct{})
	l.each(service.drain)
	go func() {
		l.working.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
	}
	l.each(service.abort)
	<-ended
	return fmt.Errorf("loop: shutdown: %w", ctx.Err())
}

// each stops new services and does f to those that run.
func (l *Loop) each(f func(service)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
	for s := range l.services {
		f(s)
	}
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

// ask asks a source. A panic, which is a bug of the source, leaves the request to the server.
func (l *Loop) ask(source Source, r *Request) (a Answer, ok bool) {
	defer func() {
		if reason := recover(); reason != nil {
			l.log.Error("a source ended in a panic", "path", string(r.Path), "reason", reason)
			ok = false
		}
	}()
	return source.Ready(r)
}
