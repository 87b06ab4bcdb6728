package loop

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// stream is a connection that a goroutine serves.
type stream struct {
	service *streams
	conn    net.Conn
	peer    netip.Addr // as it was when it came: a PROXY protocol header names another
	request plainRequest
	date    dateLine
	buffers *buffers
	begun   bool                          // the limit for the next head runs: since its first byte, or since the connection began
	closing bool                          // the newest answer said that the connection ends
	idle    atomic.Bool                   // waits for a request, or for the rest of its head
	handoff atomic.Pointer[handoffStream] // nil: the server has not got it
}

// buffers are what a stream reads into and writes from.
type buffers struct {
	in, out, scratch []byte
	buffered         int         // bytes of in
	both             [2][]byte   // what is written with one call
	pieces           net.Buffers // of both, those still to be written
}

var bufferPool = sync.Pool{New: func() any {
	return &buffers{out: make([]byte, 0, outBytes), scratch: make([]byte, 0, scratchBytes)}
}}

const (
	outBytes  = 64 << 10 // of answers are collected before they are written
	inBytes   = 32 << 10 // are read at a time
	copyBytes = 24 << 10 // is the longest body that is copied behind its head: BenchmarkWrite
)

func (c *stream) serve() {
	c.buffers = bufferPool.Get().(*buffers)
	defer bufferPool.Put(c.buffers)
	if need := max(inBytes, 2*c.service.loop.limits.head); len(c.buffers.in) < need {
		c.buffers.in = make([]byte, need)
	}
	c.buffers.buffered = 0
	c.request.Remote, c.request.Scratch = remoteOf(c.conn), c.buffers.scratch
	c.begin(true)
	for c.read() && c.answer() {
	}
}

// begin starts the limit of a head, if one is under way.
func (c *stream) begin(underWay bool) {
	c.begun = underWay
	if underWay {
		_ = c.conn.SetReadDeadline(time.Now().Add(c.service.loop.limits.read))
	}
}

func remoteOf(c net.Conn) netip.AddrPort {
	tcp, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	at := tcp.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}

// read waits for more of a request, and reports whether to go on.
func (c *stream) read() bool {
	b, l := c.buffers, c.service.loop
	c.service.rest(c)
	n, err := c.conn.Read(b.in[b.buffered:])
	c.idle.Store(false)
	if n > 0 && !c.begun {
		c.begin(true)
	}
	b.buffered += n
	switch {
	case n > 0:
		return true
	case errors.Is(err, os.ErrDeadlineExceeded):
		l.counts.expired.Add(1)
		return b.buffered > 0 && c.handOff(true)
	case err != nil && !errors.Is(err, io.EOF):
		return false
	}
	return b.buffered > 0 && c.handOff(false) // an end in the middle: the server says so
}

// answer answers the requests that the buffer holds, and reports whether to go on.
func (c *stream) answer() bool {
	b := c.buffers
	before := b.buffered
	rest := b.in[:b.buffered]
	c.request.Now = time.Now()
	c.date.set(c.request.Now)
	v := plain
	for v == plain && len(rest) > 0 && !c.closing {
		c.request.reset()
		var n int
		n, v = c.request.scan(rest, c.service.loop.limits.head)
		if v != plain {
			break
		}
		if !c.put(len(rest) == n) {
			v = odd
			break
		}
		rest = rest[n:]
		if len(b.out) > outBytes/2 && !c.flush(nil) {
			return false
		}
	}
	if !c.flush(nil) || c.closing {
		return false
	}
	b.buffered = copy(b.in, rest)
	if b.buffered != before {
		c.begin(b.buffered > 0)
	}
	return v != odd || c.handOff(false)
}

// put writes one answer, and reports whether there was one.
func (c *stream) put(last bool) bool {
	l := c.service.loop
	a, ok := l.ask(l.config.Source, &c.request.Request)
	if !ok {
		return false
	}
	c.closing = c.request.close || last && c.service.draining.Load()
	b := c.buffers
	b.out = appendHead(b.out, a.Head, &c.date, c.closing)
	l.counts.answers.Add(1)
	if len(a.Body) > copyBytes {
		return c.flush(a.Body) || c.fail()
	}
	b.out = append(b.out, a.Body...)
	return true
}

// fail ends the connection after what could not be written.
func (c *stream) fail() bool {
	c.closing = true
	c.buffers.out = c.buffers.out[:0]
	return true
}

// flush writes what is collected, and body behind it.
func (c *stream) flush(body []byte) bool {
	b := c.buffers
	if len(b.out) == 0 {
		return true
	}
	err := c.conn.SetWriteDeadline(time.Now().Add(c.service.loop.limits.write))
	switch {
	case err != nil:
	case len(body) == 0:
		_, err = c.conn.Write(b.out)
	default:
		b.both = [2][]byte{b.out, body}
		b.pieces = b.both[:]
		_, err = b.pieces.WriteTo(c.conn)
		b.both, b.pieces = [2][]byte{}, nil
	}
	b.out = b.out[:0]
	if errors.Is(err, os.ErrDeadlineExceeded) {
		c.service.loop.counts.expired.Add(1)
	}
	return err == nil
}

// handOff lets the server answer, and reports whether the connection goes on.
func (c *stream) handOff(expired bool) bool {
	l := c.service.loop
	l.counts.handovers.Add(1)
	handoff := &handoffStream{Conn: c.conn, handoffState: handoffState{ending: &c.service.draining, head: c.buffers.in[:c.buffers.buffered], expired: expired}}
	var conn net.Conn = handoff
	if secure, ok := c.conn.(secureConn); ok {
		conn = handoffSecureStream{handoff, secure}
	}
	c.handoff.Store(handoff)
	_ = l.config.Server.ServeConn(conn) // the fault of a client is not logged
	c.handoff.Store(nil)
	c.buffers.buffered = 0
	c.begun = false
	return handoff.continues()
}

// handoffStream is a stream as the server sees it.
type handoffStream struct {
	net.Conn
	handoffState
}

// Read implements net.Conn.
func (c *handoffStream) Read(p []byte) (int, error) { return c.heads.read(p, c.receive) }

func (c *handoffStream) receive(p []byte) (int, error) {
	if n, err := c.readBuffered(p); n > 0 || err != nil {
		return n, err
	}
	return c.Conn.Read(p)
}

// SetReadDeadline implements net.Conn.
func (c *handoffStream) SetReadDeadline(at time.Time) error {
	return c.Conn.SetReadDeadline(c.untilHead(at))
}

// Close implements net.Conn. It does nothing if the loop goes on with the connection.
func (c *handoffStream) Close() error {
	if c.left.Load() {
		return nil
	}
	c.closed.Store(true)
	return c.Conn.Close()
}

// secureConn is what fasthttp asks of a connection under TLS.
type secureConn interface {
	Handshake() error
	ConnectionState() tls.ConnectionState
}

// handoffSecureStream keeps a TLS connection recognisable.
type handoffSecureStream struct {
	*handoffStream
	secureConn
}
