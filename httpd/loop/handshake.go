//go:build linux && (amd64 || arm64)

package loop

import (
	"crypto/tls"
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"

	"example.com/livery/httpd/guard"
	"golang.org/x/sys/unix"
)

// handshake is a TLS handshake under way: crypto/tls makes it on a goroutine, as it takes the time of many requests and
// cannot be resumed. The goroutine uses the socket meanwhile, which stays with the thread's epoll: that wakes it.
type handshake struct {
	thread   *thread
	conn     *conn
	happened chan struct{} // one element if the socket has more, or takes more
	timer    *time.Timer   // cuts the handshake
	cut      atomic.Bool   // every use of the socket fails
	usage    guard.Usage   // the goroutine's own, as the rest
	watchOut bool          // epoll watches for room to send
	done     bool          // it succeeded
}

// errHandshakeMemory means that a client does not go on with a handshake, and there is no memory for waiting.
var errHandshakeMemory = errors.New("loop: no memory is left for the handshake")

// serverBytes is what a handshake takes that waits for its client.
const serverBytes = 16 << 10

// handshake begins the handshake with a new client.
func (t *thread) handshake(c *conn) {
	if !t.follow(c) {
		return
	}
	c.tls = &tlsConn{sender: &t.sender, conn: c}
	c.tls.Conn = tls.Server((*tlsSocket)(c.tls), t.secure.config)
	h := &handshake{thread: t, conn: c, happened: make(chan struct{}, 1)}
	h.timer = time.AfterFunc(handshakeTimeout, h.fail)
	c.handshake = h
	if t.state != serving {
		h.expedite()
	}
	go h.run()
}

// run makes the handshake and gives the connection back to its thread.
func (h *handshake) run() {
	if err := h.conn.tls.Handshake(); err != nil {
		h.thread.loop.log.Debug("a client did not finish the handshake", "client", h.conn.remote.String(), "error", err)
	} else {
		ackNow(h.conn.fd)
		h.done = true
	}
	h.timer.Stop()
	h.may(0)
	h.thread.inbox.post(h.conn)
}

// may reports whether there is memory for waiting with so many bytes.
func (h *handshake) may(bytes int) bool {
	return h.usage.Set(h.thread.loop.config.Memory, h.conn.remote.Addr(), bytes)
}

// signal wakes the goroutine.
func (h *handshake) signal() {
	select {
	case h.happened <- struct{}{}:
	default:
	}
}

// fail ends the handshake.
func (h *handshake) fail() {
	h.cut.Store(true)
	h.signal()
}

// expedite cuts waiting for the client short: the thread is about to end.
func (h *handshake) expedite() { h.timer.Reset(grace) }

// wait waits until something has happened to the socket, or returns why it does not.
func (h *handshake) wait() error {
	switch {
	case h.cut.Load():
		return os.ErrDeadlineExceeded
	case !h.may(serverBytes):
		return errHandshakeMemory
	}
	<-h.happened
	return nil
}

// read reads what the client sent.
func (h *handshake) read(p []byte) (int, error) {
	for {
		n, err := receive(h.conn.fd, p)
		switch {
		case passing(err):
			if err := h.wait(); err != nil {
				return 0, err
			}
		case err != 0:
			return 0, os.NewSyscallError("recvfrom", err)
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// write sends p.
func (h *handshake) write(p []byte) (done int, err error) {
	for done < len(p) {
		n, err := transmit(h.conn.fd, p[done:], unix.MSG_NOSIGNAL)
		done += n
		switch {
		case passing(err):
			h.watchOut = h.watchOut || h.thread.watchOut(h.conn.fd)
			if err := h.wait(); err != nil {
				return done, err
			}
		case err != 0:
			return done, os.NewSyscallError("sendto", err)
		}
	}
	return done, nil
}

// beginSecured goes on with c after its handshake, in the protocol that was agreed on.
func (t *thread) beginSecured(c *conn) {
	h := c.handshake
	c.handshake, c.watchOut = nil, c.watchOut || h.watchOut
	c.tls.pending, c.unread, c.begun = true, true, true
	t.wheel.set(c, t.wheel.until(t.now, t.loop.limits.Read))
	begin := t.secure.protocols[c.tls.ConnectionState().NegotiatedProtocol]
	if !h.done || begin != nil && !c.beginSession(t, begin) {
		t.end(c)
		return
	}
	t.turn(c)
}
