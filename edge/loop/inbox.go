//go:build linux && (amd64 || arm64)

package loop

import (
	"sync"

	"golang.org/x/sys/unix"
)

// inbox is what others ask of a thread: to take a connection back that the server has let go of, and
// to end. It may be used concurrently.
type inbox struct {
	fd int // an eventfd; written where there is something to take

	mu    sync.Mutex // guards the rest, and the descriptors of connections that the server has against being closed
	back  []*conn
	spare []*conn // becomes back
	asked order
	full  bool // fd is written
	ended bool // nobody takes any more
}

// post gives c back. Where nobody takes it any more, its descriptor is closed.
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

// order asks the thread to end.
func (b *inbox) order(o order) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if o > b.asked && !b.ended {
		b.asked = o
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

// take returns what has come. The list is lent until the next call.
func (b *inbox) take() ([]*conn, order) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.full {
		b.full = false
		var count [8]byte
		_, _ = unix.Read(b.fd, count[:])
	}
	back := b.back
	b.back, b.spare = b.spare[:0], back
	return back, b.asked
}

// end has nobody take any more, and then does last before anything else is closed.
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
