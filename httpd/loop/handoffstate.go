package loop

import (
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"

	"example.com/livery/httpd/guard"
	"github.com/valyala/fasthttp"
)

// handoffState is what a connection remembers while the server has it. The server reads first what the
// loop had read, then from the socket. When it would wait for a further request, with every answer
// sent, its read returns the end of the connection: so it lets go, and the loop has the connection back.
type handoffState struct {
	ending  *atomic.Bool // the next answer says that the connection ends
	head    []byte       // read before, not yet seen by the server
	expired bool         // no more of the request came in time: behind head comes a timeout
	keepFor atomic.Int32 // further requests that the server may wait for
	idle    atomic.Bool  // the server has answered all it has read
	left    atomic.Bool  // the server read an end, though the connection has not ended
	closed  atomic.Bool
	heads   headReader
	usage   guard.Usage
	came    int // bytes of the request under way
}

// What the server has for a connection that it waits for: a goroutine's stack, the request; and while it reads one or
// writes an answer, a buffer besides. Of what has come of a request it has a copy that grows.
const (
	serverBytes = 16 << 10
	bufferBytes = 32 << 10
	copies      = 2
)

// readBuffered reads what does not come from the socket; nothing and no error mean that the socket is next.
func (b *handoffState) readBuffered(p []byte) (int, error) {
	switch {
	case len(b.head) > 0:
		n := copy(p, b.head)
		if b.head = b.head[n:]; len(b.head) == 0 {
			b.head = nil
		}
		b.came += n
		return n, nil
	case b.closed.Load():
		return 0, net.ErrClosed
	case b.expired:
		return 0, os.ErrDeadlineExceeded
	case b.idle.Load() && b.keepFor.Load() <= 0:
		b.left.Store(true)
		return 0, io.EOF
	}
	return 0, nil
}

// enter follows the server through the states of a connection.
func (b *handoffState) enter(s fasthttp.ConnState) {
	b.heads.enter(s)
	switch s {
	case fasthttp.StateActive:
		if b.idle.Swap(false) {
			b.keepFor.Add(-1)
		}
	case fasthttp.StateIdle:
		b.came = 0
		b.idle.Store(true)
	}
}

// continues reports whether the server let go of a connection that has not ended.
func (b *handoffState) continues() bool { return b.left.Load() && !b.closed.Load() }

// ends reports whether the service that the connection is of is being shut down.
func (b *handoffState) ends() bool { return b.ending.Load() }

// untilHead returns the deadline in place of at for reading: while the service ends, a client has less time for a head.
func (b *handoffState) untilHead(at time.Time) time.Time {
	if soon := time.Now().Add(grace); b.ends() && b.heads.waiting.Load() && (at.IsZero() || soon.Before(at)) {
		return soon
	}
	return at
}

// bind makes s report its state to every connection that was handed off, and end those of a service that ends.
func bind(s *fasthttp.Server) {
	states, handler := s.ConnState, s.Handler
	s.ConnState = func(c net.Conn, state fasthttp.ConnState) {
		Observe(c, state)
		if states != nil {
			states(c, state)
		}
	}
	s.Handler = func(ctx *fasthttp.RequestCtx) {
		handler(ctx)
		if b, ok := ctx.Conn().(interface{ ends() bool }); ok && b.ends() {
			ctx.SetConnectionClose()
		}
	}
}
