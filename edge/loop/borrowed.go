package loop

import (
	"io"
	"net"
	"os"
	"sync/atomic"

	"github.com/valyala/fasthttp"
)

// borrowed is what a connection remembers while the server has it. The server reads first what the
// loop had read, then from the socket. When it would wait for a further request, with every answer
// sent, it is told that the connection has ended: so it lets go, and the loop has the connection back.
type borrowed struct {
	ending  *atomic.Bool // the next answer says that the connection ends
	head    []byte       // read before, not yet seen by the server
	expired bool         // no more of the request came in time: behind head comes a timeout
	stays   atomic.Int32 // further requests that the server may wait for
	idle    atomic.Bool  // the server has answered all it has read
	left    atomic.Bool  // the server was told of an end that is none
	closed  atomic.Bool
	heads   headReader
}

// before reads what does not come from the socket; nothing and no error mean that the socket is next.
func (b *borrowed) before(p []byte) (int, error) {
	switch {
	case len(b.head) > 0:
		n := copy(p, b.head)
		b.head = b.head[n:]
		return n, nil
	case b.closed.Load():
		return 0, net.ErrClosed
	case b.expired:
		return 0, os.ErrDeadlineExceeded
	case b.idle.Load() && b.stays.Load() <= 0:
		b.left.Store(true)
		return 0, io.EOF
	}
	return 0, nil
}

// enter follows the server through the states of a connection.
func (b *borrowed) enter(s fasthttp.ConnState) {
	b.heads.enter(s)
	switch s {
	case fasthttp.StateActive:
		if b.idle.Swap(false) {
			b.stays.Add(-1)
		}
	case fasthttp.StateIdle:
		b.idle.Store(true)
	}
}

// goesOn reports whether the server let go of a connection that has not ended.
func (b *borrowed) goesOn() bool { return b.left.Load() && !b.closed.Load() }

// ends reports whether the service that lent the connection is being shut down.
func (b *borrowed) ends() bool { return b.ending.Load() }

// bind has s tell every borrowed connection its state, and end those of a service that ends.
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
