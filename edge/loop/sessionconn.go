//go:build linux && (amd64 || arm64)

package loop

// sessionConn is the session of a connection of a thread.
type sessionConn struct {
	Session
	conn    *conn // nil once it has ended
	woken   bool  // is in the thread's inbox, whose mu guards it
	drained bool
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

// send sends what the session has to send, until the turn is over or the socket takes no more.
func (s *sessionConn) send(t *thread) {
	c := s.conn
	c.more = false
	for bytes := 0; !c.more && !c.closing && !c.failed; {
		t.out = s.Append(t.out[:0], t.now)
		c.closing = s.Ended()
		n := len(t.out)
		if n == 0 {
			break
		}
		t.flush(c, nil)
		bytes += n
		c.more = c.blocked || bytes > bytesATurn
	}
	t.goOn(c)
}

// wake sends what the session has to send by now, unless it has ended or is to do so anyway.
func (s *sessionConn) wake(t *thread) {
	if c := s.conn; c != nil && !c.blocked && !c.queued {
		s.send(t)
	}
}

// wakeLater is wake in a turn of the session's own, after those of all others.
func (s *sessionConn) wakeLater(t *thread) {
	if c := s.conn; c != nil && !c.blocked && !c.queued {
		c.more = true // nothing need be read
		t.queue(c)
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
