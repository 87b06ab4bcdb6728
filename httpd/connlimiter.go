package httpd

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"example.com/livery/httpd/guard"
	"example.com/livery/httpd/h2"
	"example.com/livery/httpd/loop"
	"github.com/valyala/fasthttp"
)

// drainGrace is how long a connection without a request is kept while the server shuts down: what a client
// sent before it could know of the end is still answered.
const drainGrace = 300 * time.Millisecond

// connLimiter bounds the number of connections, together and of each client, and closes them without losing
// a request. It may be used concurrently.
type connLimiter struct {
	most     int
	clients  *guard.Limiter
	log      *slog.Logger
	draining atomic.Bool
	until    atomic.Int64 // Unix nanoseconds: how long connections without a request are kept while draining

	mu        sync.Mutex // guards all below
	refusing  int        // connections that are being refused
	conns     map[*clientConn]struct{}
	inLoop    int // of conns, those that the fast path counts too
	listeners []*limitedListener
	drained   chan struct{} // closed when the last connection has gone while draining; setDrained closes it
}

func newConnLimiter(most int, clients *guard.Limiter, log *slog.Logger) *connLimiter {
	return &connLimiter{most: most, clients: clients, log: log, conns: map[*clientConn]struct{}{}, drained: make(chan struct{})}
}

// limitedListener is a listener whose connections a connLimiter counts. Closing it twice is harmless.
type limitedListener struct {
	net.Listener
	limiter *connLimiter
	secure  *tls.Config // of its connections; nil: no TLS
	close   func() error
}

// limit returns inner with its connections limited. secure is for what a refused client is told, if it speaks TLS: a
// connection counts before its handshake.
func (l *connLimiter) limit(inner net.Listener, secure *tls.Config) net.Listener {
	inner = guard.Patient(inner, l.log)
	limited := &limitedListener{inner, l, secure, sync.OnceValue(inner.Close)}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listeners = append(l.listeners, limited)
	if l.draining.Load() {
		_ = limited.close() // its Accept will say so
	}
	return limited
}

// Close closes the listener, once.
func (l *limitedListener) Close() error { return l.close() }

// Accept waits for the next connection that there is room for; the others are told to come again.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if counted, ok := l.limiter.enter(c); ok {
			return counted, nil
		}
		if !l.limiter.beginRefusal() {
			_ = c.Close()
			continue
		}
		if l.secure != nil {
			c = tls.Server(c, l.secure)
		}
		go func() {
			refuse(c)
			l.limiter.endRefusal()
		}()
	}
}

// refusalsPart is the part of the connections, one in so many, that may be refused with an answer at one time: each
// takes a descriptor until its client has that. Further ones are closed without one.
const refusalsPart = 16

// beginRefusal counts a refusal in, unless there are too many.
func (l *connLimiter) beginRefusal() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refusing >= max(1, l.most/refusalsPart) {
		return false
	}
	l.refusing++
	return true
}

func (l *connLimiter) endRefusal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refusing--
}

// refuse answers a connection beyond the limit.
func refuse(c net.Conn) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	if secure, ok := c.(*tls.Conn); ok && (secure.Handshake() != nil || secure.ConnectionState().NegotiatedProtocol == h2.Protocol) {
		return // HTTP/2 has no answer without a request
	}
	_, _ = c.Write(guard.Overloaded.Bytes())
}

// enter counts a connection in, unless there are too many.
func (l *connLimiter) enter(inner net.Conn) (*clientConn, bool) {
	c := &clientConn{Conn: inner, limiter: l, peer: loop.AddressOf(inner.RemoteAddr())}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.conns) >= l.most || !l.clients.Enter(c.peer) {
		return nil, false
	}
	l.conns[c] = struct{}{}
	return c, true
}

func (l *connLimiter) leave(c *clientConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, inside := l.conns[c]; !inside {
		return
	}
	delete(l.conns, c)
	l.clients.Leave(c.peer)
	if c.inLoop {
		l.inLoop--
	}
	l.setDrained()
}

// setDrained closes drained if there is a reason to and it is open. l.mu is locked: a connection that was accepted last
// may come after all others have gone.
func (l *connLimiter) setDrained() {
	if !l.draining.Load() || len(l.conns) > 0 {
		return
	}
	select {
	case <-l.drained:
	default:
		close(l.drained)
	}
}

// handToLoop notes that the fast path has a connection, and counts it too.
func (l *connLimiter) handToLoop(c *clientConn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, inside := l.conns[c]; inside {
		c.inLoop = true
		l.inLoop++
	}
}

// count returns the number of open connections that the fast path does not have.
func (l *connLimiter) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.conns) - l.inLoop
}

// Shutdown closes the listeners, lets what was asked for be answered and waits until every connection
// has gone. When ctx is done first, it closes the others and returns the error of ctx.
func (l *connLimiter) Shutdown(ctx context.Context) error {
	l.until.Store(time.Now().Add(drainGrace).UnixNano())
	l.mu.Lock()
	if l.draining.Swap(true) {
		l.mu.Unlock()
		return nil
	}
	var err error
	for _, listener := range l.listeners {
		err = errors.Join(err, listener.close())
	}
	l.setDrained()
	for c := range l.conns {
		c.expediteClose()
	}
	l.mu.Unlock()
	select {
	case <-l.drained:
		return err
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		guard.Cut(c.Conn)
	}
	if len(l.conns) > 0 {
		err = errors.Join(err, ctx.Err())
	}
	return err
}

// clientConn is one connection of a client.
type clientConn struct {
	net.Conn
	limiter *connLimiter
	peer    netip.Addr  // as it was when it came
	inLoop  bool        // the fast path counts it; the limiter's mu guards it
	active  atomic.Bool // the head of a request has come and its answer was not sent, or another server ends it
}

// Close closes the connection and makes room for another one.
func (c *clientConn) Close() error {
	c.limiter.leave(c)
	return c.Conn.Close()
}

// SetReadDeadline bounds reading; while the server shuts down waiting for a next request is cut short.
func (c *clientConn) SetReadDeadline(t time.Time) error {
	err := c.Conn.SetReadDeadline(t)
	if c.limiter.draining.Load() { // looked at after the deadline was set: one of the two sees the other
		c.expediteClose()
	}
	return err
}

// expediteClose cuts waiting for a next request short.
func (c *clientConn) expediteClose() {
	if !c.active.Load() {
		_ = c.Conn.SetReadDeadline(time.Unix(0, c.limiter.until.Load()))
	}
}

// observe notes that a connection waits for its next request.
func (l *connLimiter) observe(c net.Conn, state fasthttp.ConnState) {
	loop.Observe(c, state)
	if state == fasthttp.StateIdle {
		setActive(c, false)
	}
}

// requested notes that the head of a request has come.
func requested(c net.Conn) { setActive(c, true) }

func setActive(c net.Conn, active bool) {
	for above, ok := c.(interface{ NetConn() net.Conn }); ok; above, ok = c.(interface{ NetConn() net.Conn }) {
		c = above.NetConn()
	}
	if client, ok := c.(*clientConn); ok {
		client.active.Store(active)
	}
}
