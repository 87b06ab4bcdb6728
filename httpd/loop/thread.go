//go:build linux && (amd64 || arm64)

package loop

import (
	"fmt"
	"net"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// thread is one loop: it owns an epoll instance and the connections that it accepted. Other goroutines
// use only its inbox.
//
// Reads and writes are raw system calls, which the scheduler does not see: they never wait. Only the
// wait for events gives the processor up to other goroutines, and lets the collector stop the world.
type thread struct {
	loop     *Loop
	source   Source
	secure   *secure // nil: no TLS
	epoll    int
	listener int // -1 once it accepts no more
	inbox    inbox

	conns    []*conn // by descriptor
	open     int     // of conns
	wheel    timingWheel
	again    []*conn // have more to do, though no event says so
	turns    []*conn // what again was
	unused   []*conn // for connections to come
	events   [256]unix.EpollEvent
	now      time.Time
	busy     bool // the newest wait brought something
	state    shutdownPhase
	resumeAt time.Time // when accepting goes on after descriptors ran out; zero: it goes on

	sender
	fanout   fanout
	in       []byte // what a connection's turn reads into
	records  records
	request  PlainRequest
	reader   *fullReader
	date     dateLine
	address  unix.RawSockaddrAny // of the newest peer
	answered uint64              // not yet counted in Stats
}

// shutdownPhase is how far a shutdown has gone.
type shutdownPhase uint8

const (
	serving shutdownPhase = iota
	draining
	aborted
)

const (
	acceptsATurn = 64
)

func newThread(l *Loop, ln *net.TCPListener, over *secure) (t *thread, err error) {
	t = &thread{
		loop: l, source: l.config.Handler, secure: over, epoll: -1, listener: -1, reader: newFullReader(l.limits),
		in: make([]byte, roomFor(l.limits)), unused: make([]*conn, 0, acceptsATurn),
	}
	t.inbox.fd = -1
	t.sender.begin(t)
	t.fanout.turns = make([]*sessionConn, 0, turnsAtOnce)
	if over != nil {
		t.records.buffer = make([]byte, inBytes)
		t.in = make([]byte, l.limits.Head+l.limits.Body+maxRecord+inBytes)
	}
	if threaded, ok := t.source.(PerThread); ok {
		t.source = threaded.ForThread()
	}
	defer func() {
		if err != nil {
			t.close()
		}
	}()
	t.request.Scratch = make([]byte, 0, scratchBytes)
	if t.listener, err = listenerCopy(ln); err != nil {
		return t, err
	}
	if t.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return t, fmt.Errorf("make an epoll instance: %w", err)
	}
	if t.inbox.fd, err = unix.Eventfd(0, unix.EFD_NONBLOCK|unix.EFD_CLOEXEC); err != nil {
		return t, fmt.Errorf("make an event: %w", err)
	}
	if err = t.watch(t.inbox.fd, unix.EPOLLIN); err != nil {
		return t, err
	}
	return t, t.watch(t.listener, unix.EPOLLIN|unix.EPOLLEXCLUSIVE)
}

func (t *thread) watch(fd int, events uint32) error {
	if err := unix.EpollCtl(t.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: events, Fd: int32(fd)}); err != nil {
		return fmt.Errorf("watch a descriptor: %w", err)
	}
	return nil
}

// close lets everything go but connections.
func (t *thread) close() {
	for _, fd := range []int{t.listener, t.epoll} {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
	t.inbox.close()
}

// run serves until a shutdown asks it to end, and every connection has ended.
func (t *thread) run() error {
	defer t.close()
	t.setTime(time.Now())
	t.wheel.begin(t.now, min(t.loop.limits.Read, t.loop.limits.Write, t.loop.limits.Idle, 16*grace))
	expire := t.expire
	for {
		n, err := t.wait()
		if err != nil {
			t.abort()
			return err
		}
		t.setTime(time.Now())
		for i := range t.events[:n] {
			t.handle(&t.events[i])
		}
		t.repeat()
		t.wheel.advance(t.now, expire)
		t.resumeAccepting()
		t.loop.counts.answers.Add(t.answered)
		t.answered = 0
		if t.state == aborted {
			t.abort()
		}
		if t.state != serving && t.open == 0 {
			return nil
		}
	}
}

func (t *thread) setTime(now time.Time) {
	t.now = now
	t.request.Now = now
	t.date.set(now)
}

// wait waits for events, and returns their number.
//
// While there is work it waits in a way that the scheduler does not see, which would otherwise watch the thread,
// take its processor away and wake others for it at every turn: a tenth of the cost of a request. The
// collector gets the world stopped all the same: its signal ends the wait. A thread that had nothing to
// do for busyWait gives its processor up.
func (t *thread) wait() (n int, err error) {
	limit := t.limit()
	if t.busy && (limit < 0 || limit > busyWait) {
		n, err = t.poll(busyWait)
		t.busy = n > 0
	} else {
		n, err = unix.EpollWait(t.epoll, t.events[:], milliseconds(limit))
		t.busy = n > 0
	}
	if err == unix.EINTR {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("wait for events: %w", err)
	}
	return n, nil
}

// busyWait is how long a thread keeps its processor while it has nothing to do.
const busyWait = 10 * time.Millisecond

// poll waits in a system call that the scheduler does not know of.
func (t *thread) poll(limit time.Duration) (int, error) {
	n, _, err := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(t.epoll), uintptr(unsafe.Pointer(&t.events[0])), uintptr(len(t.events)), uintptr(milliseconds(limit)), 0, 0)
	if err != 0 {
		return 0, err
	}
	return int(n), nil
}

// limit is the longest wait; negative: without limit.
func (t *thread) limit() time.Duration {
	limit := t.wheel.wait(t.now)
	if !t.resumeAt.IsZero() && (limit < 0 || limit > acceptPause) {
		limit = acceptPause
	}
	if len(t.again) > 0 || t.fanout.pending {
		limit = 0
	}
	return limit
}

// milliseconds rounds up; negative means no limit.
func milliseconds(d time.Duration) int {
	if d < 0 {
		return -1
	}
	return int((d + time.Millisecond - 1) / time.Millisecond)
}

func (t *thread) handle(e *unix.EpollEvent) {
	switch fd := int(e.Fd); fd {
	case t.listener:
		t.accept()
	case t.inbox.fd:
		t.serveInbox()
	default:
		if fd < len(t.conns) && t.conns[fd] != nil {
			t.handleEvents(t.conns[fd], e.Events)
		}
	}
}

// serveInbox does what other goroutines asked for.
func (t *thread) serveInbox() {
	asked := t.inbox.take()
	for _, c := range asked.back {
		t.takeBack(c)
	}
	for _, s := range asked.sent {
		s.takeBack(t)
	}
	if len(asked.woken) > turnsAtOnce {
		t.fanout.share(t, asked.woken)
	} else {
		for _, s := range asked.woken {
			s.wake(t)
		}
	}
	asked.clear()
	if asked.phase > t.state {
		t.state = asked.phase
		t.drain()
	}
}

// turnsAtOnce bounds the turns before new events are looked for: requests wait for no more than these, though one change
// wakes thousands of sessions, which the fanout has then.
const turnsAtOnce = 128

// repeat gives another turn to those that had more to do than one turn allows, the first of them first.
func (t *thread) repeat() {
	n := min(len(t.again), turnsAtOnce)
	t.turns = append(t.turns[:0], t.again[:n]...)
	clear(t.again[copy(t.again, t.again[n:]):])
	t.again = t.again[:len(t.again)-n]
	for i, c := range t.turns {
		t.turns[i] = nil
		c.queued = false
		if t.conns[c.fd] == c && !c.busy() {
			t.turn(c)
		}
	}
	if t.fanout.pending {
		t.fanout.turn(t)
	}
}

// queue gives c another turn after those of all others.
func (t *thread) queue(c *conn) {
	if !c.queued {
		c.queued = true
		t.again = append(t.again, c)
	}
}

// drain accepts what has come already and no more, and expedites the end of connections without a whole request.
func (t *thread) drain() {
	if t.listener >= 0 {
		for t.accept() {
		}
		_ = unix.Close(t.listener)
		t.listener, t.resumeAt = -1, time.Time{}
	}
	for _, c := range t.conns {
		switch {
		case c == nil, c.shared():
		case c.handshake != nil:
			c.handshake.expedite()
		case c.session != nil:
			c.session.drain(t)
			c.session.wake(t)
		case c.waits():
			t.expedite(c)
		}
	}
}

// abort ends every connection now. A handshake fails, and its goroutine closes the connection.
func (t *thread) abort() {
	t.fanout.stop()
	t.inbox.end(func() {
		for _, c := range t.conns {
			if c != nil && c.handshake != nil {
				c.handshake.fail()
			}
		}
	})
	for _, c := range t.conns {
		if c != nil && c.handshake == nil {
			t.end(c)
		}
	}
	t.state, t.open = aborted, 0
}
