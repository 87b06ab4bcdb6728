//go:build linux && (amd64 || arm64)

package loop

import (
	"io"
	"net/netip"
	"os"
	"syscall"
	"time"

	"example.com/livery/httpd/guard"
	"github.com/valyala/fasthttp"
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
	waited    bool // 100 (Continue) was sent for the next request
	usage     guard.Usage
	serving   *fasthttp.RequestCtx // the request that Handler.Serve answers, on a goroutine; nil: none
	handshake *handshake           // under way; nil: none
	tls       *tlsConn             // nil: none
	session   *sessionConn         // nil: it speaks HTTP/1.1
}

// What a turn may do before the turn of another connection.
const (
	answersATurn = 64
	bytesATurn   = 512 << 10
)

// busy reports whether a goroutine works for c: its thread notes what happens to the socket, and waits.
func (c *conn) busy() bool { return c.serving != nil || c.handshake != nil }

// waits reports whether c waits for a request, or for the rest of it.
func (c *conn) waits() bool { return !c.busy() && !c.blocked && !c.closing && !c.queued }

// shared reports whether the fanout has c: its thread notes what happens to it, and uses nothing else of it.
func (c *conn) shared() bool { return c.session != nil && c.session.shared }

// discard closes a connection that no thread owns any more.
func (c *conn) discard() {
	_ = unix.Close(c.fd)
	c.loop.leave(c.remote.Addr())
}

// discardHandshake closes a connection whose handshake outlives its thread. Any other connection was closed with it.
func (c *conn) discardHandshake() {
	if c.handshake != nil {
		c.discard()
	}
}

// handleEvents does what events ask for.
func (t *thread) handleEvents(c *conn, events uint32) {
	const ended = unix.EPOLLRDHUP | unix.EPOLLHUP | unix.EPOLLERR
	if events&(unix.EPOLLIN|ended) != 0 {
		c.unread = true
		c.halfOpen = c.halfOpen || events&ended != 0
	}
	switch {
	case c.handshake != nil:
		c.handshake.signal()
	case c.serving != nil:
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
		case n == 0: // an end in the middle
			t.answer(c, t.in[:received], io.EOF)
			return
		}
		received += n
	}
	t.answer(c, t.in[:received], nil)
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

// answer answers the requests that b, a part of t.in, begins with, and keeps the rest. end is why nothing will follow b, or nil.
func (t *thread) answer(c *conn, b []byte, end error) {
	t.request.Remote = c.remote
	rest, v := t.answerPlain(c, b)
	t.flush(c, nil)
	full := v == odd || end != nil && len(rest) > 0
	if full && !c.failed && !c.blocked && !c.closing {
		rest, full = t.answerFull(c, rest, end), false
	}
	c.begun = c.begun && len(rest) == len(b)
	c.keep(rest)
	c.more = c.more || full // blocked: looked at again when everything is sent
	t.goOn(c)
}

// answerFull has the handler answer the request that b begins with if it has come as a whole, and returns what is left of b.
// end is as in answer.
func (t *thread) answerFull(c *conn, b []byte, end error) (rest []byte) {
	ctx := newContext(c.remote)
	n, waits, err := t.reader.read(ctx, t.loop.limits, b, end)
	if waits && !c.waited {
		t.out = append(t.out, continueLine...)
		t.flush(c, nil)
		c.failed = c.failed || c.blocked // it takes no answers
	}
	c.waited = waits && err == errPartial
	switch {
	case err == errPartial:
		releaseContext(ctx)
		return b
	case err == io.EOF:
		c.closing = true
		releaseContext(ctx)
	case err != nil:
		refuse(ctx, err)
		t.respond(c, ctx)
	default:
		t.loop.counts.handovers.Add(1)
		c.serving = ctx
		go func() {
			t.loop.config.Handler.Serve(ctx)
			t.inbox.post(c)
		}()
		return b[n:]
	}
	return nil
}

// respond sends the response that ctx has.
func (t *thread) respond(c *conn, ctx *fasthttp.RequestCtx) {
	c.closing = ends(ctx) || t.state != serving && len(c.in) == 0 && !c.unread
	var body []byte
	if t.out, body = appendResponse(t.out, ctx, c.closing); len(body) <= copyBytes {
		t.out, body = append(t.out, body...), nil
	}
	t.flush(c, body)
	if begin := StreamOf(ctx); begin != nil && !ctx.IsHead() && !c.failed {
		c.in, c.closing = nil, false
		c.failed = !c.beginSession(t, beginStream(begin))
	}
	if !c.blocked { // else the body that is kept may be the context's
		releaseContext(ctx)
	}
}

// takeBack goes on with a connection for which a goroutine has done its work.
func (t *thread) takeBack(c *conn) {
	ctx := c.serving
	if ctx == nil {
		t.beginSecured(c)
		return
	}
	c.serving = nil
	t.respond(c, ctx)
	switch {
	case c.session != nil && !c.blocked && !c.failed:
		c.session.send(t)
	default:
		c.more = len(c.in) > 0 || c.session != nil
		t.goOn(c)
	}
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
		t.out = append(t.out[:0], t.loop.overload...)
		t.flush(c, nil)
	}
	t.loop.counts.refused.Add(1)
	t.end(c)
}

// answerPlain answers until the next request is not plain, the turn is over or the socket takes no
// more, and returns what it left. c.more says whether the turn or the socket were the reason.
func (t *thread) answerPlain(c *conn, b []byte) ([]byte, scanResult) {
	c.more = false
	for done, bytes := 0, 0; len(b) > 0 && !c.closing; done++ {
		if cap(t.out)-len(t.out) < outRoom {
			t.flush(c, nil)
		}
		if c.more = c.blocked || done == answersATurn || bytes > bytesATurn; c.more || c.failed {
			break
		}
		t.request.reset()
		n, v := t.request.scan(b, t.loop.limits.Head)
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
	a, ok := Ask(t.source, &t.request.Request, t.loop.log)
	if !ok {
		return -1
	}
	t.answered++
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
	if c.busy() { // nobody waits for the client
		t.wheel.remove(c)
		return
	}
	if !c.usage.Set(t.loop.config.Memory, c.remote.Addr(), c.bytes()) {
		t.shed(c)
		return
	}
	switch {
	case c.blocked:
		t.wheel.set(c, t.wheel.until(t.now, t.loop.limits.Write))
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
	return t.loop.limits.Read
}

// rest gives c the time of an idle connection; a new one has that of a head already.
func (t *thread) rest(c *conn) {
	switch {
	case t.state != serving:
		t.wheel.set(c, t.wheel.until(t.now, grace))
	case !c.begun:
		t.wheel.set(c, t.wheel.until(t.now, t.loop.limits.Idle))
	}
}

// expedite leaves c, which waits, the time of grace since it began to.
func (t *thread) expedite(c *conn) {
	given := t.loop.limits.Idle
	if c.begun {
		given = t.loop.limits.Read
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

// expire ends c, whose time is up. If a part of a request has come, the client is told why.
func (t *thread) expire(c *conn) {
	switch {
	case c.shared(): // gets a new deadline when the thread takes it back
		return
	case c.queued: // it did something just now
		t.wheel.set(c, t.wheel.until(t.now, t.loop.limits.Idle))
		return
	case c.blocked: // what was sent already need not be kept for it either
		_ = unix.SetsockoptLinger(c.fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
	case c.session != nil:
		c.session.expire(t)
		return
	case len(c.in) > 0:
		t.loop.counts.expired.Add(1)
		t.answer(c, t.in[:copy(t.in, c.in)], os.ErrDeadlineExceeded)
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
