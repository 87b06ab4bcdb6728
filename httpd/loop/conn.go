//go:build linux && (amd64 || arm64)

package loop

import (
	"net/netip"
	"syscall"
	"time"

	"example.com/livery/httpd/guard"
	"golang.org/x/sys/unix"
)

// conn is one connection of a thread.
type conn struct {
	wheelEntry
	fd     int
	remote netip.AddrPort
	loop   *Loop // counts it

	in       []byte // received and not answered
	more     bool   // in has not been looked at to its end
	unread   bool   // the socket may hold more than was received
	halfOpen bool   // the client has ended its side: receiving goes on to the end
	watched  bool   // by epoll
	watchOut bool   // by epoll for room to send as well
	queued   bool   // for another turn
	begun    bool   // the limit for the head under way runs

	blocked bool   // the socket takes no more for now; then the rest of what is to be sent:
	unsent  []byte // heads and small bodies, this connection's own
	sent    int    // of unsent
	body    []byte // behind unsent; the source's

	closing   bool // ends when everything is sent
	failed    bool // ends
	usage     guard.Usage
	handovers int // since the newest answer of the loop
	handoff   *handoffConn
	tls       *tlsConn     // nil: none
	session   *sessionConn // nil: it speaks HTTP/1.1
}

// What a turn may do before the turn of another connection.
const (
	answersATurn = 64
	bytesATurn   = 512 << 10
)

// waits reports whether c waits for a request, or for the rest of its head.
func (c *conn) waits() bool { return c.handoff == nil && !c.blocked && !c.closing && !c.queued }

// shared reports whether the fanout has c: its thread notes what happens to it, and uses nothing else of it.
func (c *conn) shared() bool { return c.session != nil && c.session.shared }

// discard closes a connection that no thread owns any more.
func (c *conn) discard() {
	_ = unix.Close(c.fd)
	c.loop.leave(c.remote.Addr())
}

// handleEvents does what events ask for.
func (t *thread) handleEvents(c *conn, events uint32) {
	const ended = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR
	if events&(unix.EPOLLIN|ended) != 0 {
		c.unread = true
		c.halfOpen = c.halfOpen || events&ended != 0
	}
	switch {
	case c.handoff != nil:
		c.handoff.signal(events)
	case c.shared():
		c.session.writable = c.session.writable || events&(unix.EPOLLOUT|unix.EPOLLHUP|unix.EPOLLERR) != 0
	case c.blocked:
		if events&(unix.EPOLLOUT|unix.EPOLLHUP|unix.EPOLLERR) != 0 {
			t.resume(c)
		}
	case c.unread && !c.queued:
		t.turn(c)
	}
}

// turn receives once, and answers what has come.
func (t *thread) turn(c *conn) {
	if c.session != nil {
		c.session.turn(t)
		return
	}
	received := copy(t.in, c.in)
	if !c.more {
		n, err := t.read(c, t.in[received:])
		switch {
		case passing(err):
			t.goOn(c)
			return
		case err != 0:
			t.end(c)
			return
		case n == 0 && received == 0:
			t.end(c)
			return
		case n == 0: // an end in the middle: the server says so
			t.handOff(c, t.in[:received], false)
			return
		}
		received += n
	}
	t.answer(c, t.in[:received])
}

// passing reports whether a socket that failed so may be tried again.
func passing(err syscall.Errno) bool { return err == unix.EAGAIN || err == unix.EINTR }

// read receives into p once, and notes whether the socket may hold more.
func (t *thread) read(c *conn, p []byte) (int, syscall.Errno) {
	if c.tls != nil {
		return c.tls.receive(p)
	}
	n, err := receive(c.fd, p)
	c.unread = err == unix.EINTR || err == 0 && (n == len(p) || c.halfOpen)
	return n, err
}

// answer answers the requests that b, a part of t.in, begins with, and keeps the rest.
func (t *thread) answer(c *conn, b []byte) {
	t.request.Remote = c.remote
	rest, v := t.answerSome(c, b)
	t.flush(c, nil)
	c.begun = c.begun && len(rest) == len(b)
	if v == odd && !c.failed && !c.blocked {
		t.handOff(c, rest, false)
		return
	}
	c.keep(rest)
	c.more = c.more || v == odd // blocked: looked at again when everything is sent
	t.goOn(c)
}

// keep keeps what has come of the next request, if that is anything.
func (c *conn) keep(rest []byte) {
	if c.in = append(c.in[:0], rest...); len(rest) == 0 {
		c.in = nil
	}
}

// bytes returns the memory that c keeps.
func (c *conn) bytes() int {
	n := cap(c.in) + cap(c.unsent)
	if c.tls != nil {
		n += c.tls.place.buffer
	}
	if c.session != nil {
		n += c.session.Bytes()
	}
	return n
}

// shed ends c, which keeps more than there is memory for.
func (t *thread) shed(c *conn) {
	if !c.blocked && c.session == nil {
		c.closing = true
		t.out = append(t.out[:0], t.loop.config.Overload...)
		t.flush(c, nil)
	}
	t.loop.counts.refused.Add(1)
	t.end(c)
}

// answerSome answers until the next request is not plain, the turn is over or the socket takes no
// more, and returns what it left. c.more says whether the turn or the socket were the reason.
func (t *thread) answerSome(c *conn, b []byte) ([]byte, scanResult) {
	c.more = false
	for done, bytes := 0, 0; len(b) > 0 && !c.closing; done++ {
		if cap(t.out)-len(t.out) < outRoom {
			t.flush(c, nil)
		}
		if c.more = c.blocked || done == answersATurn || bytes > bytesATurn; c.more || c.failed {
			break
		}
		t.request.reset()
		n, v := t.request.scan(b, t.loop.limits.head)
		if v != plain {
			return b, v
		}
		size := t.put(c, n == len(b))
		if size < 0 {
			return b, odd
		}
		bytes += size
		b = b[n:]
	}
	return b, plain
}

// outRoom is what one answer may need of t.out: a head, and a body that is copied.
const outRoom = scratchBytes + maxHeadExtra + copyBytes

// put writes one answer and returns its size, or -1: there is none. last says that nothing of a
// further request has been received: in a shutdown the connection then ends.
func (t *thread) put(c *conn, last bool) int {
	a, ok := t.loop.ask(t.source, &t.request.Request)
	if !ok {
		return -1
	}
	t.answered++
	c.handovers = 0
	c.closing = t.request.close || last && !c.unread && t.state != serving
	t.out = appendHead(t.out, a.Head, &t.date, c.closing)
	if len(a.Body) > copyBytes {
		t.flush(c, a.Body)
	} else {
		t.out = append(t.out, a.Body...)
	}
	return len(a.Head) + len(a.Body)
}

// goOn leaves c until something happens: it ends, waits, or has another turn.
func (t *thread) goOn(c *conn) {
	if c.failed || c.closing && !c.blocked {
		t.end(c)
		return
	}
	if !c.watched && !t.follow(c) {
		return
	}
	if !c.usage.Set(t.loop.config.Memory, c.remote.Addr(), c.bytes()) {
		t.shed(c)
		return
	}
	switch {
	case c.blocked:
		t.wheel.set(c, t.wheel.until(t.now, t.loop.limits.write))
		c.watchOut = c.watchOut || t.watchOut(c.fd)
	case c.more || c.unread:
		t.queue(c)
	case c.session != nil:
		c.session.rest(t)
	case len(c.in) == 0:
		t.rest(c)
	case !c.begun:
		c.begun = true
		t.wheel.set(c, t.wheel.until(t.now, t.headLimit()))
	}
}

// headLimit returns how long a client may take for the head of a request.
func (t *thread) headLimit() time.Duration {
	if t.state != serving {
		return grace
	}
	return t.loop.limits.read
}

// rest gives c the time of an idle connection; a new one has that of a head already.
func (t *thread) rest(c *conn) {
	switch {
	case t.state != serving:
		t.wheel.set(c, t.wheel.until(t.now, grace))
	case !c.begun:
		t.wheel.set(c, t.wheel.until(t.now, t.loop.limits.idle))
	}
}

// expedite leaves c, which waits, the time of grace since it began to.
func (t *thread) expedite(c *conn) {
	given := t.loop.limits.idle
	if c.begun {
		given = t.loop.limits.read
	}
	t.wheel.set(c, c.deadline-int64((given-grace)/t.wheel.tick))
}

// The events that a connection is watched for: each is reported once.
const (
	eventsIn  = unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLET
	eventsOut = eventsIn | unix.EPOLLOUT
)

// follow has epoll watch c, which says at once what has happened already.
func (t *thread) follow(c *conn) bool {
	if err := t.watch(c.fd, eventsIn); err != nil {
		t.loop.log.Warn("a connection cannot be watched", "error", err)
		t.end(c)
		return false
	}
	c.watched = true
	return true
}

// watchOut has epoll report when a socket takes more, from now on for good: one that was full once will
// be again. It may be called from any goroutine.
func (t *thread) watchOut(fd int) bool {
	return unix.EpollCtl(t.epoll, unix.EPOLL_CTL_MOD, fd, &unix.EpollEvent{Events: eventsOut, Fd: int32(fd)}) == nil
}

// expire ends c, whose time is up. If a part of a head has come, the server says why.
func (t *thread) expire(c *conn) {
	switch {
	case c.shared(): // gets a new deadline when the thread takes it back
		return
	case c.queued: // it did something just now
		t.wheel.set(c, t.wheel.until(t.now, t.loop.limits.idle))
		return
	case c.blocked: // what was sent already need not be kept for it either
		_ = unix.SetsockoptLinger(c.fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
	case c.session != nil:
		c.session.expire(t)
		return
	case len(c.in) > 0:
		t.loop.counts.expired.Add(1)
		t.handOff(c, c.in, true)
		return
	}
	if t.state == serving {
		t.loop.counts.expired.Add(1)
	}
	t.end(c)
}

// end closes c.
func (t *thread) end(c *conn) {
	if c.session != nil {
		c.session.end()
		c.session = nil
	}
	if c.tls != nil {
		c.tls.end()
		c.tls = nil
	}
	if c.closing { // else close loses what MSG_MORE keeps back, if the client has sent more than was read
		_ = unix.Shutdown(c.fd, unix.SHUT_WR)
	}
	t.wheel.remove(c)
	c.usage.Set(t.loop.config.Memory, c.remote.Addr(), 0)
	t.conns[c.fd] = nil
	t.open--
	c.discard()
	if len(t.unused) < cap(t.unused) && !c.queued {
		t.unused = append(t.unused, c)
	}
}
