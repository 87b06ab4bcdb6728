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

// lent is a connection of a thread as the server sees it: a net.Conn that one goroutine reads and
// writes. Its socket stays with the thread's epoll, which wakes whoever waits here: to lend a
// connection and to take it back costs no system call.
type lent struct {
	borrowed
	thread   *thread
	conn     *conn
	reading  side
	writing  side
	watchOut bool // the thread's epoll watches for room to send
}

// side is one direction of a lent connection. One goroutine at a time waits on it.
type side struct {
	happened chan struct{} // one element if something has come since the last look
	by       atomic.Int64  // Unix nanoseconds; 0: no limit
	timer    *time.Timer   // nil until somebody waited
}

// maxStays bounds the requests that the server may wait for before it gives a connection back.
const maxStays = 64

// lend has the server answer what head, which the thread keeps, begins. A connection whose requests
// are the server's time and again stays there for twice as many each time.
func (t *thread) lend(c *conn, head []byte, expired bool) {
	if !c.watched && !t.follow(c) {
		return
	}
	t.wheel.remove(c)
	t.loop.counts.handovers.Add(1)
	b := &lent{thread: t, conn: c, reading: side{happened: make(chan struct{}, 1)}, writing: side{happened: make(chan struct{}, 1)}}
	b.ending, b.head, b.expired = &t.ending, append([]byte(nil), head...), expired
	if t.state == serving {
		b.stays.Store(int32(min(1<<c.handovers, maxStays) - 1))
	}
	c.handovers = min(c.handovers+1, 16)
	c.in, c.more, c.begun = nil, false, false
	c.lent = b
	go b.serve()
}

// returned goes on with a connection that the server has let go of.
func (t *thread) returned(c *conn) {
	goesOn := c.lent.goesOn()
	c.watchOut = c.watchOut || c.lent.watchOut
	c.lent = nil
	switch {
	case !goesOn:
		t.end(c)
	case c.unread: // though the server may have had that
		t.turn(c)
	default:
		t.goOn(c)
	}
}

func (b *lent) serve() {
	_ = b.thread.loop.config.Server.ServeConn(b) // what a client did wrong is no news
	b.thread.inbox.post(b.conn)
}

// signal wakes whoever waits for what happened.
func (b *lent) signal(events uint32) {
	const ended = unix.EPOLLHUP | unix.EPOLLERR
	if events&(unix.EPOLLIN|unix.EPOLLRDHUP|ended) != 0 {
		b.reading.poke()
	}
	if events&(unix.EPOLLOUT|ended) != 0 {
		b.writing.poke()
	}
}

func (s *side) poke() {
	select {
	case s.happened <- struct{}{}:
	default:
	}
}

// fail has every use of b fail. It must be called before the thread lets the descriptor go.
func (b *lent) fail() {
	_ = b.Close()
	_ = unix.Shutdown(b.conn.fd, unix.SHUT_RDWR)
}

// Read implements net.Conn.
func (b *lent) Read(p []byte) (int, error) { return b.heads.read(p, b.receive) }

func (b *lent) receive(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for {
		if n, err := b.before(p); n > 0 || err != nil {
			return n, err
		}
		if b.reading.passed() {
			return 0, os.ErrDeadlineExceeded
		}
		n, err := receive(b.conn.fd, p)
		switch {
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
func (b *lent) Write(p []byte) (int, error) {
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
			b.writing.wait()
		default:
			return done, os.NewSyscallError("sendto", err)
		}
	}
	return done, nil
}

// passed reports whether the limit has passed.
func (s *side) passed() bool {
	by := s.by.Load()
	return by != 0 && time.Now().UnixNano() >= by
}

// wait waits until something has happened, if only that the limit is another, or the limit has passed.
func (s *side) wait() {
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

// limit changes the limit. Whoever waits looks again if less time is left than before.
func (s *side) limit(at time.Time) {
	by := int64(0)
	if !at.IsZero() {
		by = at.UnixNano()
	}
	if before := s.by.Swap(by); by != 0 && (before == 0 || by < before) {
		s.poke()
	}
}

// Close implements net.Conn. The descriptor is the thread's to close; the client learns of the end
// when the server has let go.
func (b *lent) Close() error {
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
func (b *lent) LocalAddr() net.Addr {
	if at, err := unix.Getsockname(b.conn.fd); err == nil {
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
func (b *lent) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(b.conn.remote) }

// SetDeadline implements net.Conn.
func (b *lent) SetDeadline(at time.Time) error {
	b.reading.limit(at)
	b.writing.limit(at)
	return nil
}

// SetReadDeadline implements net.Conn.
func (b *lent) SetReadDeadline(at time.Time) error {
	b.reading.limit(at)
	return nil
}

// SetWriteDeadline implements net.Conn.
func (b *lent) SetWriteDeadline(at time.Time) error {
	b.writing.limit(at)
	return nil
}
