package httpserver

import (
	"crypto/tls"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"example.com/livery/httpd/guard"
	"example.com/livery/origin/share"
)

// guardedConn is a connection that is counted until it is closed. Read returns the heads of requests and
// nothing else: what follows a head waits for ReadBody. While a request is open Read returns no next head, so
// that no byte of a body can ever be taken for a request.
type guardedConn struct {
	net.Conn
	readTimeout, writeTimeout time.Duration // for each step of a body or an answer

	answer  atomic.Pointer[share.Reservation] // of the answer that is being written
	release func()
	drain   int64 // bytes that are read and dropped at most before a lingering close
	lingers atomic.Bool
	once    sync.Once
	err     error // of the first Close

	phase atomic.Int32 // awaitsHead, inRequest or ended

	head     guard.Head
	buffered []byte // read beyond the last head
	open     bool   // a head was read whole, and its body was not
	fault    error  // why Read returns no more heads
}

// The phases of a connection. The server takes it from awaitsHead to inRequest and back; end takes it from awaitsHead to
// ended.
const (
	awaitsHead int32 = iota // no request, or a part of its head, has come
	inRequest               // from the end of a head to the end of its answer
	ended
)

// end ends the connection unless a request is in progress.
func (c *guardedConn) end() {
	if c.phase.CompareAndSwap(awaitsHead, ended) {
		_ = c.SetReadDeadline(time.Unix(1, 0)) // Read returns io.EOF
	}
}

// Read reads the head of a request, or a part of it. It returns guard.ErrLineEnd after what stands
// before a bare CR or LF, and io.EOF while a request is open.
func (c *guardedConn) Read(p []byte) (int, error) {
	c.releaseAnswer() // the server reads the next head once an answer is written
	switch {
	case c.open:
		return 0, io.EOF
	case c.fault != nil:
		return 0, c.fault
	}
	c.phase.CompareAndSwap(inRequest, awaitsHead)
	n, err := c.readBuffered(p)
	taken, whole, fault := c.head.Scan(p[:n])
	if whole && !c.phase.CompareAndSwap(awaitsHead, inRequest) || c.phase.Load() == ended {
		return 0, io.EOF
	}
	c.open, c.fault = whole, fault
	if taken < n {
		c.buffered = slices.Concat(p[taken:n], c.buffered)
		err = nil // the next read has it again
	}
	if taken == 0 && fault != nil {
		err = fault
	}
	return taken, err
}

// readBuffered reads what comes next, first what was read beyond the last head.
func (c *guardedConn) readBuffered(p []byte) (int, error) {
	if len(c.buffered) == 0 {
		return c.Conn.Read(p)
	}
	n := copy(p, c.buffered)
	if c.buffered = c.buffered[n:]; len(c.buffered) == 0 {
		c.buffered = nil
	}
	return n, nil
}

// Write sends p in steps, each of which the client must take within the write timeout: a slow client has the time that it
// needs, and one that takes nothing is cut off.
func (c *guardedConn) Write(p []byte) (n int, err error) {
	for part := range slices.Chunk(p, step) {
		if err := c.SetWriteDeadline(time.Now().Add(c.writeTimeout)); err != nil {
			return n, err
		}
		m, err := c.Conn.Write(part)
		if n += m; err != nil {
			return n, err
		}
	}
	return n, nil
}

// releaseAnswer gives back the memory of the last answer.
func (c *guardedConn) releaseAnswer() {
	if room := c.answer.Swap(nil); room != nil {
		room.Release()
	}
}

// Close ends the connection. One that lingers first lets the client read its answer: closing a
// socket with unread data resets it, and the answer would be lost with it.
func (c *guardedConn) Close() error {
	c.once.Do(func() {
		c.releaseAnswer()
		if c.lingers.Load() {
			drainBeforeClose(c.Conn, c.drain)
		}
		c.err = c.Conn.Close()
		c.release()
	})
	return c.err
}

// NetConn returns the connection that is guarded.
func (c *guardedConn) NetConn() net.Conn { return c.Conn }

// IsTLS reports whether the request came over TLS to this process.
func IsTLS(ctx *fasthttp.RequestCtx) bool {
	c, ok := ctx.Conn().(*guardedConn)
	if !ok {
		return false
	}
	_, ok = c.Conn.(*tls.Conn)
	return ok
}

// drainBeforeClose says that no more will be written, and drops what still comes for at most a second.
func drainBeforeClose(c net.Conn, maxBytes int64) {
	half, ok := c.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil {
		return
	}
	_ = c.SetReadDeadline(time.Now().Add(time.Second))
	_, _ = io.CopyN(io.Discard, c, maxBytes)
}
