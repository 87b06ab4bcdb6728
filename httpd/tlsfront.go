package httpd

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"time"

	"example.com/livery/httpd/h2"
	"example.com/livery/httpd/loop"
)

// ServeTLS answers requests of l under TLS until Shutdown, which makes it return nil: in HTTP/2 those
// of clients that choose it, if c.NextProtos offers "h2", else in HTTP/1.1. c must not change while
// it is in use; its session tickets serve every connection. It may run on several listeners at once.
func (s *Server) ServeTLS(l net.Listener, c *tls.Config) error {
	c = s.requests.Offer(c)
	if s.loop != nil && loop.ServesTLS(l) {
		return s.loop.ServeTLS(l, c, map[string]loop.SessionFunc{h2.Protocol: s.http2.Begin})
	}
	if !s.handshakes.begin() {
		return l.Close()
	}
	f := &tlsFront{server: s, config: c, inner: s.conns.limit(l, c), http1: newConnQueue(l.Addr())}
	served := make(chan error, 1)
	go func() { served <- s.serveHTTP1(f.http1) }()
	broken := f.accept()
	s.handshakes.working.Done()
	if broken != nil {
		_ = f.http1.Close()
	}
	return errors.Join(broken, <-served)
}

// handshakeTimeout bounds how long a client may take to shake hands.
const handshakeTimeout = 10 * time.Second

// tlsFront is a listener under TLS. After its handshake a connection goes on to the server of the protocol that was
// agreed on. It counts in the server's connLimiter from the first byte to the last.
type tlsFront struct {
	server *Server
	config *tls.Config
	inner  net.Listener
	http1  *connQueue
}

// accept lets connections in until Shutdown, which is not an error.
func (f *tlsFront) accept() error {
	for {
		c, err := f.inner.Accept()
		switch {
		case err == nil:
			f.server.handshakes.working.Go(func() { f.handshake(c.(*clientConn)) })
		case f.server.Draining():
			return nil
		default:
			return err
		}
	}
}

// handshake shakes hands and hands the connection over.
func (f *tlsFront) handshake(client *clientConn) {
	client.active.Store(true) // the servers of what follows end it themselves
	c := tls.Server(client, f.config)
	ctx, cancel := context.WithTimeout(f.server.handshakes.ctx, handshakeTimeout)
	defer cancel()
	if err := c.HandshakeContext(ctx); err != nil {
		f.server.config.Logger.Debug("a client did not shake hands", "client", client.RemoteAddr().String(), "error", err)
		_ = client.Close()
		return
	}
	loop.AckNow(client.Conn)
	switch {
	case c.ConnectionState().NegotiatedProtocol == h2.Protocol:
		f.server.http2Conns.Serve(c, f.server.http2)
		return
	case f.server.loop != nil:
		f.server.conns.handToLoop(client)
	default:
		client.active.Store(false)
	}
	f.http1.push(c)
}

// tlsHandshakes are the handshakes under way, over all listeners. It may be used concurrently.
type tlsHandshakes struct {
	ctx     context.Context // ends handshakes
	cancel  context.CancelFunc
	working sync.WaitGroup // one for each listener and each handshake

	mu    sync.Mutex // guards ended
	ended bool       // no listener may begin
}

func newTLSHandshakes() *tlsHandshakes {
	h := &tlsHandshakes{}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	return h
}

// begin counts a listener in, unless the server is being shut down.
func (h *tlsHandshakes) begin() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.ended {
		h.working.Add(1)
	}
	return !h.ended
}

// drain waits until the handshakes are done, for a moment. The listeners must be closing.
func (h *tlsHandshakes) drain() {
	h.mu.Lock()
	h.ended = true
	h.mu.Unlock()
	end := time.AfterFunc(drainGrace, h.cancel)
	defer end.Stop()
	h.working.Wait()
	h.cancel()
}

// connQueue is a listener whose connections another one has accepted. It may be used concurrently.
type connQueue struct {
	at     net.Addr
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newConnQueue(at net.Addr) *connQueue {
	return &connQueue{at: at, conns: make(chan net.Conn), closed: make(chan struct{})}
}

// push hands a connection to the next Accept, or closes it if the queue is closed.
func (q *connQueue) push(c net.Conn) {
	select {
	case q.conns <- c:
	case <-q.closed:
		_ = c.Close()
	}
}

// Accept implements net.Listener.
func (q *connQueue) Accept() (net.Conn, error) {
	select {
	case c := <-q.conns:
		return c, nil
	case <-q.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener. Closing it twice is harmless.
func (q *connQueue) Close() error {
	q.once.Do(func() { close(q.closed) })
	return nil
}

// Addr implements net.Listener.
func (q *connQueue) Addr() net.Addr { return q.at }
