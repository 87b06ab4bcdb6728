//go:build linux && (amd64 || arm64)

package loop

import (
	"sync"

	"golang.org/x/sys/unix"
)

// inbox is what other goroutines ask of a thread. It may be used concurrently.
type inbox struct {
	fd int // an eventfd; written if there is something to take

	mu    sync.Mutex // guards the rest, and the descriptors of connections under a handshake against being closed
	asked errands
	spare errands // becomes asked
	full  bool    // fd is written
	ended bool    // the thread takes nothing any more
}

// errands are what a thread is asked to do.
type errands struct {
	back  []*conn        // to be taken back: a goroutine has done its work for them
	sent  []*sessionConn // to be taken back: the worker of the fanout has sent what they had to send
	woken []*sessionConn // to be asked for what they have to send
	phase shutdownPhase  // to be entered
}

// clear makes the lists empty.
func (e *errands) clear() {
	clear(e.back)
	clear(e.sent)
	clear(e.woken)
	e.back, e.sent, e.woken = e.back[:0], e.sent[:0], e.woken[:0]
}

// post gives c back. If the thread has ended, the descriptor of a connection under a handshake is closed.
func (b *inbox) post(c *conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		c.discardHandshake()
		return
	}
	b.asked.back = append(b.asked.back, c)
	b.wake()
}

// postSent gives sessions back.
func (b *inbox) postSent(all []*sessionConn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked.sent = append(b.asked.sent, all...)
	b.wake()
}

// wakeSession has the thread ask a session for what it has to send.
func (b *inbox) wakeSession(s *sessionConn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !s.woken && !b.ended {
		s.woken = true
		b.asked.woken = append(b.asked.woken, s)
		b.wake()
	}
}

// shutDown asks the thread to enter a phase of its end.
func (b *inbox) shutDown(phase shutdownPhase) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if phase > b.asked.phase && !b.ended {
		b.asked.phase = phase
		b.wake()
	}
}

func (b *inbox) wake() {
	if !b.full {
		b.full = true
		one := [8]byte{1}
		_, _ = unix.Write(b.fd, one[:]) // cannot be full: it counts to 1
	}
}

// take returns what has come. The caller must clear it before the next call.
func (b *inbox) take() *errands {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.full {
		b.full = false
		var count [8]byte
		_, _ = unix.Read(b.fd, count[:])
	}
	b.asked, b.spare = b.spare, b.asked
	b.asked.phase = b.spare.phase
	for _, s := range b.spare.woken {
		s.woken = false
	}
	return &b.spare
}

// end refuses what comes later, and does last before anything else is closed.
func (b *inbox) end(last func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	last()
	for _, c := range b.asked.back {
		c.discardHandshake()
	}
	b.asked.back = nil
}

// close lets the eventfd go.
func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	if b.fd >= 0 {
		_ = unix.Close(b.fd)
		b.fd = -1
	}
}
