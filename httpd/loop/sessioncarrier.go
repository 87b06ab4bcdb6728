package loop

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// sessionCarrier carries the session of one connection, on the goroutine of its carrier, which reads, and on a second one.
type sessionCarrier struct {
	conn     net.Conn
	limit    time.Duration // for one write
	woken    chan struct{} // one element: the session has something to send
	draining atomic.Bool   // the session is to take no new requests

	mu      sync.Mutex // guards below, and session's methods
	session Session
	out     []byte
	timer   *time.Timer
	ended   bool
	drained bool // the session has heard of draining
}

// carrierBytes are read, and collected to be written, at a time.
const carrierBytes = 32 << 10

// carry serves the rest of the connection as a session.
func (c *carrier) carry(begin SessionFunc) {
	l := c.service.loop
	k := &sessionCarrier{conn: c.conn, limit: l.limits.Write, woken: make(chan struct{}, 1), out: make([]byte, 0, carrierBytes)}
	if k.session = begin(AddrPortOf(c.conn.RemoteAddr()), l.config.Handler, k.wake); k.session == nil {
		return
	}
	_ = c.conn.SetReadDeadline(time.Time{}) // the session has its own
	k.timer = time.AfterFunc(time.Hour, k.wake)
	if c.session.Store(k); c.service.draining.Load() {
		k.drain()
	}
	k.serve()
}

// serve serves the connection until it ends.
func (k *sessionCarrier) serve() {
	var sending sync.WaitGroup
	sending.Go(k.sendWhenWoken)
	k.read()
	k.end()
	sending.Wait()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.timer.Stop()
	k.session.Close()
}

// wake has what the session has to send sent soon.
func (k *sessionCarrier) wake() {
	select {
	case k.woken <- struct{}{}:
	default:
	}
}

// drain has the session take no new requests. It does not wait for a write under way.
func (k *sessionCarrier) drain() {
	k.draining.Store(true)
	k.wake()
}

// read gives the session what comes, until nothing more does.
func (k *sessionCarrier) read() {
	in := make([]byte, carrierBytes)
	k.wake() // what the server says first
	for {
		n, err := k.conn.Read(in)
		if n > 0 {
			k.mu.Lock()
			k.session.Receive(in[:n], time.Now())
			ended := k.flush()
			k.mu.Unlock()
			if ended {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// end has sendWhenWoken return.
func (k *sessionCarrier) end() {
	k.mu.Lock()
	k.ended = true
	k.mu.Unlock()
	k.wake()
}

// sendWhenWoken sends what the session has to send whenever it says so or its time is up, until the end.
func (k *sessionCarrier) sendWhenWoken() {
	for range k.woken {
		k.mu.Lock()
		now := time.Now()
		if k.draining.Load() && !k.drained {
			k.drained = true
			k.session.Drain(now)
		}
		if at := k.session.Deadline(); !at.IsZero() && !now.Before(at) && !k.ended {
			k.session.Expire(now)
		}
		ended := k.ended || k.flush()
		k.mu.Unlock()
		if ended {
			_ = k.conn.Close()
			return
		}
	}
}

// flush sends what the session has to send, and reports whether the connection ends. k.mu is locked.
func (k *sessionCarrier) flush() (ended bool) {
	now := time.Now()
	for {
		k.out = k.session.Append(k.out[:0], now)
		if len(k.out) == 0 {
			break
		}
		_ = k.conn.SetWriteDeadline(now.Add(k.limit))
		if _, err := k.conn.Write(k.out); err != nil {
			return true
		}
	}
	if k.session.Ended() {
		return true
	}
	if at := k.session.Deadline(); !at.IsZero() {
		k.timer.Reset(max(0, time.Until(at)) + time.Millisecond)
	}
	return false
}
