//go:build linux && (amd64 || arm64)

package loop

import (
	"sync"

	"golang.org/x/sys/unix"
)

// inbox is what other goroutines ask of a thread: to take a connection back that the server has let go of, to ask a session
// for what it has to send, and to end. It may be used concurrently.
type inbox struct {
	fd int // an eventfd; written if there is something to take

	mu    sync.Mutex // guards the rest, and the descriptors of connections that the server has against being closed
	back  []*conn
	spare []*conn // becomes back
	woken []*sessionConn
	done  []*sessionConn // becomes woken
	asked shutdownPhase
	full  bool // fd is written
	ended bool // the thread takes nothing any more
}

// post gives c back. If the thread has ended, its descriptor is closed.
func (b *inbox) post(c *conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		c.discard()
		return
	}
	b.back = append(b.back, c)
	b.wake()
}

// wakeSession has the thread ask a session for what it has to send.
func (b *inbox) wakeSession(s *sessionConn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !s.woken && !b.ended {
		s.woken = true
		b.woken = append(b.woken, s)
		b.wake()
	}
}

// shutDown asks the thread to enter a phase of its end.
func (b *inbox) shutDown(phase shutdownPhase) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if phase > b.asked && !b.ended {
		b.asked = phase
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

// take returns what has come. The lists are valid until the next call.
func (b *inbox) take() ([]*conn, []*sessionConn, shutdownPhase) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.full {
		b.full = false
		var count [8]byte
		_, _ = unix.Read(b.fd, count[:])
	}
	back := b.back
	b.back, b.spare = b.spare[:0], back
	woken := b.woken
	b.woken, b.done = b.done[:0], woken
	for _, s := range woken {
		s.woken = false
	}
	return back, woken, b.asked
}

// end refuses what comes later, and does last before anything else is closed.
func (b *inbox) end(last func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = true
	last()
	for _, c := range b.back {
		c.discard()
	}
	b.back = nil
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
