package loop

import (
	"bytes"
	"net"
	"sync/atomic"

	"example.com/livery/httpd/guard"
	"github.com/valyala/fasthttp"
)

// headReader passes on to fasthttp what a connection reads. fasthttp takes LF for the end of a line and yet
// waits for CRLF CRLF, so that it would wait for the end of a head with other line ends until the read timeout. Here
// such a head ends in an error, which fasthttp answers 400 before it closes the connection. The zero value
// is at the start of a head. One goroutine uses it.
//
// A read never goes beyond the end of a head. So a read while the server waits for a request is at the start
// of one, and any other read behind a head is of a body, which may hold any bytes.
type headReader struct {
	head guard.Head
	idle bool   // the server has answered all that it read
	body bool   // the head has ended
	err  error  // what is wrong with the head
	rest []byte // read, and beyond what the server may see yet

	waiting atomic.Bool // for a head, or for the rest of one; other goroutines may look
}

// enter follows the server through the states of a connection.
func (h *headReader) enter(s fasthttp.ConnState) { h.idle = s == fasthttp.StateIdle }

// read reads what from reads, as far as the server may see it.
func (h *headReader) read(p []byte, from func([]byte) (int, error)) (n int, err error) {
	if h.err != nil {
		return 0, h.err
	}
	if n = copy(p, h.rest); n > 0 {
		h.rest = h.rest[n:]
	} else {
		h.waiting.Store(h.idle || !h.body)
		if n, err = from(p); n <= 0 {
			return n, err
		}
	}
	h.body = h.body && !h.idle
	if h.body {
		return n, err
	}
	end := 0
	if end, h.body, h.err = h.head.Scan(p[:n]); h.err != nil {
		p[end] = 0 // the server sees one byte of the fault: an error before the first byte of a head is not a request to it
		return end + 1, nil
	}
	h.waiting.Store(!h.body)
	if end < n {
		h.rest = append(bytes.Clone(p[end:n]), h.rest...)
	}
	return end, err
}

// GuardHeads returns the listener of a fasthttp server that answers 400 at once if a line of a request's head
// does not end in CRLF. The server's ConnState must call Observe. whole is called when the head of a request has come,
// with the connection that l accepted.
func GuardHeads(l net.Listener, whole func(net.Conn)) net.Listener {
	return headGuardListener{l, whole}
}

type headGuardListener struct {
	net.Listener
	whole func(net.Conn)
}

// Accept implements net.Listener.
func (l headGuardListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	g := &headGuardConn{Conn: c, whole: l.whole}
	if secure, ok := c.(secureConn); ok {
		return headGuardSecureConn{g, secure}, nil
	}
	return g, nil
}

// headGuardConn is a connection of a headGuardListener.
type headGuardConn struct {
	net.Conn
	whole func(net.Conn)
	heads headReader
}

// headGuardSecureConn keeps a TLS connection recognisable.
type headGuardSecureConn struct {
	*headGuardConn
	secureConn
}

// Read implements net.Conn.
func (c *headGuardConn) Read(p []byte) (int, error) {
	n, err := c.heads.read(p, c.Conn.Read)
	if c.heads.body {
		c.whole(c.Conn)
	}
	return n, err
}

// NetConn returns the connection beneath.
func (c *headGuardConn) NetConn() net.Conn { return c.Conn }

func (c *headGuardConn) enter(s fasthttp.ConnState) { c.heads.enter(s) }

// Observe gives a connection of this package the state that a fasthttp server has it in.
func Observe(c net.Conn, state fasthttp.ConnState) {
	if b, ok := c.(interface{ enter(fasthttp.ConnState) }); ok {
		b.enter(state)
	}
}
