package edge

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"example.com/livery/edge/clientlimit"
	"example.com/livery/edge/loop"
	"example.com/livery/edge/respond"
	"github.com/valyala/fasthttp"
)

// linger is how long a connection without a request is kept while the edge shuts down: what a client
// sent before it could know of the end is still answered.
const linger = 300 * time.Millisecond

// door is what the connections of clients come through. It bounds their number, together and of each
// client, and closes them
// without losing a request. It may be used concurrently.
type door struct {
	most    int
	clients *clientlimit.Limiter
	closing atomic.Bool
	until   atomic.Int64 // Unix nanoseconds: how long connections without a request are kept then

	mu        sync.Mutex // guards all below
	conns     map[*guest]struct{}
	lent      int // of conns, those that the fast path counts too
	listeners []*doorway
	emptied   chan struct{} // closed when the last connection has gone while closing
}

func newDoor(most int, clients *clientlimit.Limiter) *door {
	return &door{most: most, clients: clients, conns: map[*guest]struct{}{}, emptied: make(chan struct{})}
}

// doorway is one listener of a door. Closing it twice is harmless.
type doorway struct {
	net.Listener
	door   *door
	secure *tls.Config // of those who wait behind it; nil: no TLS
	close  func() error
}

// open returns l as a way through the door.
func (d *door) open(l net.Listener) net.Listener { return d.openTLS(l, nil) }

// openTLS is open if what comes is TLS. The connections are let in before they shake hands.
func (d *door) openTLS(l net.Listener, secure *tls.Config) net.Listener {
	way := &doorway{l, d, secure, sync.OnceValue(l.Close)}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.listeners = append(d.listeners, way)
	if d.closing.Load() {
		_ = way.close() // its Accept will say so
	}
	return way
}

// Close closes the listener, once.
func (w *doorway) Close() error { return w.close() }

// Accept waits for the next connection that there is room for; the others are told to come again.
func (w *doorway) Accept() (net.Conn, error) {
	for {
		c, err := w.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if g, ok := w.door.enter(c); ok {
			return g, nil
		}
		if w.secure != nil {
			c = tls.Server(c, w.secure)
		}
		go sendAway(c)
	}
}

// sendAway answers a connection that there is no room for.
func sendAway(c net.Conn) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Second))
	if secure, ok := c.(*tls.Conn); ok && (secure.Handshake() != nil || secure.ConnectionState().NegotiatedProtocol == protocolH2) {
		return // HTTP/2 has no answer without a request
	}
	_, _ = c.Write(respond.Overloaded.Bytes())
}

// enter counts a connection in, unless there are too many.
func (d *door) enter(c net.Conn) (*guest, bool) {
	g := &guest{Conn: c, door: d, peer: loop.AddressOf(c.RemoteAddr())}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.conns) >= d.most || !d.clients.Enter(g.peer) {
		return nil, false
	}
	d.conns[g] = struct{}{}
	return g, true
}

func (d *door) leave(g *guest) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, inside := d.conns[g]; !inside {
		return
	}
	delete(d.conns, g)
	d.clients.Leave(g.peer)
	if g.lent {
		d.lent--
	}
	if d.closing.Load() && len(d.conns) == 0 {
		close(d.emptied)
	}
}

// lend notes that the fast path has a connection, and counts it too.
func (d *door) lend(g *guest) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, inside := d.conns[g]; inside {
		g.lent = true
		d.lent++
	}
}

// count returns the number of open connections that the fast path does not have.
func (d *door) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.conns) - d.lent
}

// empty reports whether everybody has left.
func (d *door) empty() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.conns) == 0
}

// shut closes the listeners, lets what was asked for be answered and waits until every connection
// has gone, or ctx is done, whose error it returns then.
func (d *door) shut(ctx context.Context) error {
	d.until.Store(time.Now().Add(linger).UnixNano())
	d.mu.Lock()
	if d.closing.Swap(true) {
		d.mu.Unlock()
		return nil
	}
	var err error
	for _, l := range d.listeners {
		err = errors.Join(err, l.close())
	}
	if len(d.conns) == 0 {
		close(d.emptied)
	}
	for g := range d.conns {
		g.hurry()
	}
	d.mu.Unlock()
	select {
	case <-d.emptied:
		return err
	case <-ctx.Done():
		if !d.empty() {
			err = errors.Join(err, ctx.Err())
		}
		return err
	}
}

// guest is one connection of a client.
type guest struct {
	net.Conn
	door   *door
	peer   netip.Addr  // as it was when it came
	lent   bool        // the fast path counts it; the door's mu guards it
	active atomic.Bool // a request is being read or answered, or another server ends it
	heard  atomic.Bool // something has come since it was let in, or shook hands: fasthttp calls it active before
}

// Close closes the connection and makes room for another one.
func (g *guest) Close() error {
	g.door.leave(g)
	return g.Conn.Close()
}

// Read reads what the client sends.
func (g *guest) Read(p []byte) (int, error) {
	n, err := g.Conn.Read(p)
	if n > 0 && !g.heard.Load() {
		g.heard.Store(true)
	}
	return n, err
}

// SetReadDeadline bounds reading; while the edge shuts down waiting for a next request is cut short.
func (g *guest) SetReadDeadline(t time.Time) error {
	err := g.Conn.SetReadDeadline(t)
	if g.door.closing.Load() { // looked at after the deadline was set: one of the two sees the other
		g.hurry()
	}
	return err
}

// hurry cuts waiting for a next request short.
func (g *guest) hurry() {
	if !g.active.Load() || !g.heard.Load() {
		_ = g.Conn.SetReadDeadline(time.Unix(0, g.door.until.Load()))
	}
}

// watch keeps whether a connection is at work.
func (d *door) watch(c net.Conn, state fasthttp.ConnState) {
	loop.Observe(c, state)
	for above, ok := c.(interface{ NetConn() net.Conn }); ok; above, ok = c.(interface{ NetConn() net.Conn }) {
		c = above.NetConn()
	}
	if g, ok := c.(*guest); ok {
		g.active.Store(state == fasthttp.StateActive)
	}
}
