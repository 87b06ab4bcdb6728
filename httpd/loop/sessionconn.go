//go:build linux && (amd64 || arm64)

package loop

import (
	"slices"
	"sync"
	"time"
)

// sessionConn is the session of a connection of a thread.
type sessionConn struct {
	Session
	conn    *conn // nil once it has ended
	woken   bool  // is in the thread's inbox, whose mu guards it
	drained bool

	shared   bool // the fanout has it; then what has happened meanwhile:
	again    bool // it was woken
	writable bool // the socket takes more, or has failed
}

// beginSession gives c a session, and reports whether there is one.
func (c *conn) beginSession(t *thread, begin SessionFunc) bool {
	s := &sessionConn{conn: c}
	s.Session = begin(c.remote, t.source, func() { t.inbox.wakeSession(s) })
	if s.Session == nil {
		return false
	}
	c.session = s
	t.wheel.remove(c)
	if t.state != serving {
		s.drain(t)
	}
	return true
}

// drain has the session end.
func (s *sessionConn) drain(t *thread) {
	if !s.drained {
		s.drained = true
		s.Drain(t.now)
	}
}

// turn gives the session what has come, and sends what it has to send.
func (s *sessionConn) turn(t *thread) {
	c := s.conn
	if !c.more {
		n, err := t.read(c, t.in)
		switch {
		case passing(err):
		case err != 0 || n == 0:
			t.end(c)
			return
		default:
			s.Receive(t.in[:n], t.now)
		}
	}
	s.send(t)
}

// send sends what the session has to send, and leaves its connection until something happens.
func (s *sessionConn) send(t *thread) {
	s.sendBy(&t.sender, t.now)
	t.goOn(s.conn)
}

// sendBy sends what the session has to send, until the turn is over or the socket takes no more.
func (s *sessionConn) sendBy(w *sender, now time.Time) {
	c := s.conn
	c.more = false
	for bytes := 0; !c.more && !c.closing && !c.failed; {
		w.out = s.Append(w.out[:0], now)
		c.closing = s.Ended()
		n := len(w.out)
		if n == 0 {
			break
		}
		w.flush(c, nil)
		bytes += n
		c.more = c.blocked || bytes > bytesATurn
	}
}

// ready reports whether the session may have a turn: not if it has ended, or has one to come anyway.
func (s *sessionConn) ready() bool { return s.conn != nil && !s.conn.blocked && !s.conn.queued }

// wake sends what the session has to send by now.
func (s *sessionConn) wake(t *thread) {
	switch {
	case s.shared:
		s.again = true
	case s.ready():
		s.send(t)
	}
}

// takeBack goes on with a session of the fanout, which has sent what it had to send.
func (s *sessionConn) takeBack(t *thread) {
	c, again, writable := s.conn, s.again, s.writable
	s.shared, s.again, s.writable = false, false, false
	if c.tls != nil {
		c.tls.sender = &t.sender
	}
	if t.state != serving && !s.drained {
		s.drain(t)
		again = true
	}
	if again && !c.failed && !c.closing && !c.blocked {
		s.send(t)
		return
	}
	t.goOn(c)
	if s.conn != nil && c.blocked && writable {
		t.resume(c)
	}
}

// rest gives the connection the time that its session asks for.
func (s *sessionConn) rest(t *thread) {
	if at := s.Deadline(); at.IsZero() {
		t.wheel.remove(s.conn)
	} else {
		t.wheel.set(s.conn, t.wheel.until(t.now, at.Sub(t.now)))
	}
}

// expire tells the session that its time is up.
func (s *sessionConn) expire(t *thread) {
	at := s.Deadline()
	due := !at.IsZero() && !at.After(t.now)
	if due {
		s.Expire(t.now)
	}
	s.send(t)
	if due && s.conn == nil && t.state == serving {
		t.loop.counts.expired.Add(1)
	}
}

// end closes the session.
func (s *sessionConn) end() {
	s.conn = nil
	s.Close()
}

// fanout is the sessions that one change has woken, if they are more than a turn serves. The thread and a worker, which is a
// goroutine that ends with the last of them, take some at a time and send what they have: so two processors send, and the
// thread serves requests between its turns. A session that the fanout has is used by nothing else: what happens to it is
// noted, and done when the thread has it back.
type fanout struct {
	turns   []*sessionConn // of the thread
	pending bool           // some may be waiting; the thread's own
	worker  sender
	working sync.WaitGroup

	mu      sync.Mutex // guards below
	waiting []*sessionConn
	running bool // the worker
}

// workerTurns is how many sessions the worker takes at a time.
const workerTurns = 16

// share has the sessions that may have a turn send what they have.
func (f *fanout) share(t *thread, woken []*sessionConn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting = slices.Grow(f.waiting, len(woken))
	for _, s := range woken {
		switch {
		case s.shared:
			s.again = true
		case s.ready():
			s.shared = true
			f.waiting = append(f.waiting, s)
		}
	}
	f.pending = len(f.waiting) > 0
	if f.pending && !f.running {
		f.running = true
		f.working.Go(func() { f.work(t) })
	}
}

// take returns some of the sessions that wait, in place of those of turns. f.mu is locked.
func (f *fanout) take(turns []*sessionConn) []*sessionConn {
	n := min(len(f.waiting), cap(turns))
	turns = append(turns[:0], f.waiting[:n]...)
	if f.waiting = f.waiting[n:]; len(f.waiting) == 0 {
		f.waiting = nil
	}
	return turns
}

// turn gives some sessions a turn on the thread.
func (f *fanout) turn(t *thread) {
	f.mu.Lock()
	f.turns = f.take(f.turns)
	f.pending = len(f.waiting) > 0
	f.mu.Unlock()
	for _, s := range f.turns {
		s.sendBy(&t.sender, t.now)
		s.takeBack(t)
	}
	clear(f.turns)
}

// work is the worker.
func (f *fanout) work(t *thread) {
	if f.worker.thread == nil {
		f.worker.begin(t)
	}
	for turns := make([]*sessionConn, 0, workerTurns); ; {
		f.mu.Lock()
		turns = f.take(turns)
		f.running = len(turns) > 0
		f.mu.Unlock()
		if len(turns) == 0 {
			return
		}
		now := time.Now()
		for _, s := range turns {
			if s.conn.tls != nil {
				s.conn.tls.sender = &f.worker
			}
			s.sendBy(&f.worker, now)
		}
		t.inbox.postSent(turns)
	}
}

// stop ends the worker after its turns under way. What waits is not sent.
func (f *fanout) stop() {
	f.mu.Lock()
	f.waiting = nil
	f.mu.Unlock()
	f.working.Wait()
}
