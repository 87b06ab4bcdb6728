//go:build linux && (amd64 || arm64)

package loop

import (
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// handoffConn is a connection of a thread as the server sees it: a net.Conn that one goroutine reads and
// writes. Its socket stays with the thread's epoll, which wakes the goroutine that waits here: to hand a
// connection off and to take it back costs no system call.
type handoffConn struct {
	handoffState
	thread      *thread
	conn        *conn
	reading     direction
	writing     direction
	watchOut    bool        // the thread's epoll watches for room to send
	handshaking bool        // the server does not have it
	next        SessionFunc // of the session that the connection goes on with; nil: it speaks HTTP/1.1
}

func newHandoffConn(t *thread, c *conn) *handoffConn {
	return &handoffConn{thread: t, conn: c, reading: direction{happened: make(chan struct{}, 1)}, writing: direction{happened: make(chan struct{}, 1)}}
}

// expedite cuts waiting for the client short: the thread is about to end.
func (b *handoffConn) expedite() {
	if b.handshaking {
		_ = b.SetDeadline(time.Now().Add(grace))
		return
	}
	b.keepFor.Store(0)
	if b.heads.waiting.Load() {
		_ = b.SetReadDeadline(time.Now().Add(grace))
	}
	b.signal(unix.EPOLLIN)
}

// direction is one direction of a handoffConn. One goroutine at a time waits on it.
type direction struct {
	happened chan struct{} // one element if something has come since the last look
	by       atomic.Int64  // Unix nanoseconds; 0: no limit
	timer    *time.Timer   // nil until the first wait
}

// maxKeepFor bounds the requests that the server may wait for before it gives a connection back.
const maxKeepFor = 64

// handOff has the server answer what head, which the thread keeps, begins. Each handoff of a connection in a row
// doubles the number of requests that the server answers before it gives the connection back.
func (t *thread) handOff(c *conn, head []byte, expired bool) {
	if !c.watched && !t.follow(c) {
		return
	}
	t.wheel.remove(c)
	t.loop.counts.handovers.Add(1)
	b := newHandoffConn(t, c)
	b.ending, b.head, b.expired = &t.ending, append([]byte(nil), head...), expired
	if t.state == serving {
		b.keepFor.Store(int32(min(1<<c.handovers, maxKeepFor) - 1))
	}
	c.handovers = min(c.handovers+1, 16)
	c.in, c.more, c.begun = nil, false, false
	c.usage.Set(t.loop.config.Memory, c.remote.Addr(), c.bytes())
	c.handoff = b
	go b.serve()
}

// takeBack goes on with a connection that the server has let go of.
func (t *thread) takeBack(c *conn) {
	continues, handshaking, next := c.handoff.continues(), c.handoff.handshaking, c.handoff.next
	c.watchOut = c.watchOut || c.handoff.watchOut
	c.handoff = nil
	if c.tls != nil {
		c.tls.pending, c.unread = true, true
	}
	switch {
	case !continues, next != nil && !c.beginSession(t, next):
		t.end(c)
	case next != nil:
		c.session.send(t)
	case handshaking:
		c.tls.begin()
	case c.unread: // though the server may have had that
		t.turn(c)
	default:
		t.goOn(c)
	}
}

func (b *handoffConn) serve() {
	var conn net.Conn = b
	if b.conn.tls != nil {
		conn = handoffSecureConn{b, b.conn.tls}
	}
	_ = b.thread.loop.config.Server.ServeConn(conn) // the fault of a client is not logged
	b.may(0)
	b.thread.inbox.post(b.conn)
}

// handoffSecureConn keeps a TLS connection recognisable.
type handoffSecureConn struct {
	*handoffConn
	secureConn
}

// signal wakes the goroutine that waits for what happened.
func (b *handoffConn) signal(events uint32) {
	const ended = unix.EPOLLHUP | unix.EPOLLERR
	if events&(unix.EPOLLIN|unix.EPOLLRDHUP|ended) != 0 {
		b.reading.poke()
	}
	if events&(unix.EPOLLOUT|ended) != 0 {
		b.writing.poke()
	}
}

func (s *direction) poke() {
	select {
	case s.happened <- struct{}{}:
	default:
	}
}

// fail has every use of b fail. It must be called before the thread lets the descriptor go.
func (b *handoffConn) fail() {
	b.closed.Store(true)
	b.reading.poke()
	b.writing.poke()
	_ = unix.Shutdown(b.conn.fd, unix.SHUT_RDWR)
}

// Read implements net.Conn.
func (b *handoffConn) Read(p []byte) (int, error) { return b.heads.read(p, b.receive) }

func (b *handoffConn) receive(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		if n, err := b.readBuffered(p); n > 0 || err != nil {
			return n, err
		}
		if b.reading.passed() {
			return 0, os.ErrDeadlineExceeded
		}
		n, err := b.read(p)
		switch {
		case err == errWouldBlock && !b.mayRead():
			return b.refuse()
		case err == errWouldBlock:
			b.reading.wait()
		case n > 0:
			b.came += n
			return n, nil
		default:
			return n, err
		}
	}
}

// may reports whether there is memory for waiting with so many bytes.
func (b *handoffConn) may(bytes int) bool {
	return b.usage.Set(b.thread.loop.config.Memory, b.conn.remote.Addr(), bytes)
}

// mayRead reports whether there is memory for waiting for more of a request, or for the next one.
func (b *handoffConn) mayRead() bool {
	if b.idle.Load() {
		return b.may(serverBytes)
	}
	return b.may(serverBytes + bufferBytes + copies*b.came)
}

// refuse ends reading, because the server has no memory for it: one that waits for a next request goes back to the thread.
func (b *handoffConn) refuse() (int, error) {
	if b.idle.Load() {
		b.left.Store(true)
		return 0, io.EOF
	}
	b.thread.loop.counts.refused.Add(1)
	return 0, ErrMemory
}

// read reads what the client sent, without waiting.
func (b *handoffConn) read(p []byte) (int, error) {
	if b.conn.tls != nil {
		return b.conn.tls.Read(p)
	}
	return b.receiveNow(p)
}

// receiveNow receives from the socket, and waits for that in a handshake only, which cannot be resumed.
func (b *handoffConn) receiveNow(p []byte) (int, error) {
	for {
		n, err := receive(b.conn.fd, p)
		switch {
		case err == unix.EAGAIN && !b.handshaking:
			return 0, errWouldBlock
		case err == unix.EAGAIN && b.closed.Load():
			return 0, net.ErrClosed
		case err == unix.EAGAIN && b.reading.passed():
			return 0, os.ErrDeadlineExceeded
		case err == unix.EAGAIN && !b.may(serverBytes):
			return 0, ErrMemory
		case err == unix.EAGAIN:
			b.reading.wait()
		case err == unix.EINTR:
		case err != 0:
			return 0, os.NewSyscallError("recvfrom", err)
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// Write implements net.Conn.
func (b *handoffConn) Write(p []byte) (int, error) {
	if b.conn.tls != nil {
		return b.conn.tls.Write(p)
	}
	return b.transmit(p)
}

// transmit sends p, and waits until the socket has taken it.
func (b *handoffConn) transmit(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		if b.closed.Load() {
			return done, net.ErrClosed
		}
		if b.writing.passed() {
			return done, os.ErrDeadlineExceeded
		}
		n, err := transmit(b.conn.fd, p[done:], unix.MSG_NOSIGNAL)
		done += n
		switch err {
		case 0, unix.EINTR:
		case unix.EAGAIN:
			b.watchOut = b.watchOut || b.thread.watchOut(b.conn.fd)
			if !b.may(serverBytes + bufferBytes) {
				return done, ErrMemory
			}
			b.writing.wait()
		default:
			return done, os.NewSyscallError("sendto", err)
		}
	}
	return done, nil
}

// passed reports whether the limit has passed.
func (s *direction) passed() bool {
	by := s.by.Load()
	return by != 0 && time.Now().UnixNano() >= by
}

// wait waits until something has happened, if only that the limit is another, or the limit has passed.
func (s *direction) wait() {
	by := s.by.Load()
	if by == 0 {
		<-s.happened
		return
	}
	left := time.Until(time.Unix(0, by))
	if s.timer == nil {
		s.timer = time.NewTimer(left)
	} else {
		s.timer.Reset(left)
	}
	select {
	case <-s.happened:
		s.timer.Stop()
	case <-s.timer.C:
	}
}

// limit changes the limit. A goroutine that waits looks again if less time is left than before.
func (s *direction) limit(at time.Time) {
	by := int64(0)
	if !at.IsZero() {
		by = at.UnixNano()
	}
	if before := s.by.Swap(by); by != 0 && (before == 0 || by < before) {
		s.poke()
	}
}

// continueWith has the thread begin a session once the server has answered.
func (b *handoffConn) continueWith(begin SessionFunc) { b.next = begin }

// Close implements net.Conn. The descriptor is the thread's to close; the client learns of the end
// when the server has let go.
func (b *handoffConn) Close() error {
	if b.next != nil {
		b.left.Store(true)
	}
	if b.left.Load() {
		return nil
	}
	if b.closed.Swap(true) {
		return net.ErrClosed
	}
	b.reading.poke()
	b.writing.poke()
	return nil
}

// LocalAddr implements net.Conn.
func (b *handoffConn) LocalAddr() net.Addr { return localAddress(b.conn.fd) }

func localAddress(fd int) net.Addr {
	if at, err := unix.Getsockname(fd); err == nil {
		switch at := at.(type) {
		case *unix.SockaddrInet4:
			return &net.TCPAddr{IP: at.Addr[:], Port: at.Port}
		case *unix.SockaddrInet6:
			return &net.TCPAddr{IP: at.Addr[:], Port: at.Port}
		}
	}
	return &net.TCPAddr{}
}

// RemoteAddr implements net.Conn.
func (b *handoffConn) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(b.conn.remote) }

// SetDeadline implements net.Conn.
func (b *handoffConn) SetDeadline(at time.Time) error {
	b.reading.limit(at)
	b.writing.limit(at)
	return nil
}

// SetReadDeadline implements net.Conn.
func (b *handoffConn) SetReadDeadline(at time.Time) error {
	b.reading.limit(b.untilHead(at))
	return nil
}

// SetWriteDeadline implements net.Conn.
func (b *handoffConn) SetWriteDeadline(at time.Time) error {
	b.writing.limit(at)
	return nil
}
