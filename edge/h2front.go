package edge

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"example.com/livery/edge/loop"
)

// ServeTLS answers requests of l under TLS until Shutdown, which makes it return nil: in HTTP/2 those
// of clients that choose it, if c.NextProtos offers "h2", else in HTTP/1.1. c must not change while
// it is in use; its session tickets serve every connection. It may run on several listeners at once.
func (e *Edge) ServeTLS(l net.Listener, c *tls.Config) error {
	if !e.shaking.begin() {
		return l.Close()
	}
	c = e.h2Room.offer(c)
	f := &front{edge: e, config: c, way: e.door.openTLS(l, c), plain: newQueue(l.Addr()), h2: newQueue(l.Addr())}
	served := make(chan error, 2)
	go func() { served <- e.servePlain(f.plain) }()
	go func() { served <- e.h2.Serve(f.h2) }()
	broken := f.accept()
	e.shaking.working.Done()
	if broken != nil {
		_, _ = f.plain.Close(), f.h2.Close()
	}
	ended := errors.Join(<-served, <-served)
	switch {
	case broken != nil:
		return fmt.Errorf("edge: serve: %w", broken)
	case errors.Is(ended, http.ErrServerClosed):
		return nil
	}
	return ended
}

// servePlain answers HTTP/1.1 on a listener, by the fast path if there is one.
func (e *Edge) servePlain(l net.Listener) error {
	if e.loop != nil {
		return e.loop.Serve(l)
	}
	return e.server.Serve(loop.GuardHeads(l))
}

// protocolH2 is the name of HTTP/2 in ALPN (RFC 9113 section 3.1).
const protocolH2 = "h2"

// handshakeTimeout bounds how long a client may take to shake hands.
const handshakeTimeout = 10 * time.Second

// front is a listener under TLS. Who has shaken hands goes on to the server of the protocol that was
// agreed on. It counts in the edge's door from the first byte to the last.
type front struct {
	edge      *Edge
	config    *tls.Config
	way       net.Listener
	plain, h2 *queue
}

// accept lets connections in until the door shuts, which is not an error.
func (f *front) accept() error {
	var pause time.Duration
	for {
		c, err := f.way.Accept()
		var passing interface{ Temporary() bool }
		switch {
		case err == nil:
			pause = 0
			f.edge.shaking.working.Go(func() { f.shake(c.(*guest)) })
			continue
		case f.edge.door.closing.Load():
			return nil
		case !errors.As(err, &passing) || !passing.Temporary():
			return err
		}
		pause = min(max(2*pause, 5*time.Millisecond), time.Second)
		f.edge.log.Warn("a connection cannot be accepted", "error", err, "pause", pause)
		time.Sleep(pause)
	}
}

// shake shakes hands and hands the connection over.
func (f *front) shake(g *guest) {
	g.active.Store(true) // the servers of what follows end it themselves
	c := tls.Server(g, f.config)
	ctx, cancel := context.WithTimeout(f.edge.shaking.ctx, handshakeTimeout)
	defer cancel()
	if err := c.HandshakeContext(ctx); err != nil {
		f.edge.log.Debug("a client did not shake hands", "client", g.RemoteAddr().String(), "error", err)
		_ = g.Close()
		return
	}
	loop.AckNow(g.Conn)
	switch {
	case c.ConnectionState().NegotiatedProtocol == protocolH2:
		f.edge.serveH2Conn(f.h2, c)
		return
	case f.edge.loop != nil:
		f.edge.door.lend(g)
	default:
		g.active.Store(false) // until the server says that a request has begun
		g.heard.Store(false)
	}
	f.plain.push(c)
}

// serveH2Conn hands a connection of HTTP/2 to net/http, unless its client has too many by now.
func (e *Edge) serveH2Conn(q *queue, c net.Conn) {
	client := loop.AddressOf(c.RemoteAddr())
	if !e.h2Room.conns.Enter(client) {
		_ = c.Close()
		return
	}
	q.push(newH2Guard(c, e.server.ReadBufferSize, func() { e.h2Room.conns.Leave(client) }))
}

// shaking is who shakes hands, over all listeners. It may be used concurrently.
type shaking struct {
	ctx     context.Context // ends handshakes
	cancel  context.CancelFunc
	working sync.WaitGroup // one for each listener and each handshake

	mu    sync.Mutex // guards ended
	ended bool       // no listener may begin
}

func newShaking() *shaking {
	s := &shaking{}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// begin counts a listener in, unless the edge is being shut down.
func (s *shaking) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.working.Add(1)
	}
	return !s.ended
}

// drain waits until whoever shakes hands is done, for a moment. The listeners must be closing.
func (s *shaking) drain() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	end := time.AfterFunc(linger, s.cancel)
	defer end.Stop()
	s.working.Wait()
	s.cancel()
}

// queue is a listener whose connections somebody else has accepted. It may be used concurrently.
type queue struct {
	at     net.Addr
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newQueue(at net.Addr) *queue {
	return &queue{at: at, conns: make(chan net.Conn), closed: make(chan struct{})}
}

// push hands a connection to whoever accepts next, or closes it if nobody will.
func (q *queue) push(c net.Conn) {
	select {
	case q.conns <- c:
	case <-q.closed:
		_ = c.Close()
	}
}

// Accept implements net.Listener.
func (q *queue) Accept() (net.Conn, error) {
	select {
	case c := <-q.conns:
		return c, nil
	case <-q.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener. Closing it twice is harmless.
func (q *queue) Close() error {
	q.once.Do(func() { close(q.closed) })
	return nil
}

// Addr implements net.Listener.
func (q *queue) Addr() net.Addr { return q.at }
