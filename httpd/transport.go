package httpd

import (
	"bufio"
	"io"
	"net"
	"net/netip"
	"time"

	"example.com/livery/httpd/loop"
	"github.com/valyala/fasthttp"
)

// sendStream sends the stream that follows the answer to ctx, if there is one, over HTTP/1.1: from the event loop if the
// connection is one of its threads, else from a goroutine. A client has so long to take a part of it.
func sendStream(ctx *fasthttp.RequestCtx, writeTimeout time.Duration) {
	begin := loop.StreamOf(ctx)
	if begin == nil || ctx.IsHead() {
		return
	}
	session := func(_ netip.AddrPort, _ loop.Source, wake func()) loop.Session {
		if s := begin(wake); s != nil {
			return &http1Session{Stream: s}
		}
		return nil
	}
	if loop.Continue(ctx, session) {
		return
	}
	conn := ctx.Conn()
	ctx.SetConnectionClose() // so that fasthttp does not read any more
	ctx.SetBodyStreamWriter(func(w *bufio.Writer) { sendParts(conn, w, begin, writeTimeout) })
}

// sendParts sends a stream until it or the connection ends.
func sendParts(conn net.Conn, w *bufio.Writer, begin loop.StreamFunc, writeTimeout time.Duration) {
	woken, gone := make(chan struct{}, 1), make(chan struct{})
	s := begin(func() {
		select {
		case woken <- struct{}{}:
		default:
		}
	})
	if s == nil {
		return
	}
	defer s.Close()
	_ = conn.SetReadDeadline(time.Time{})
	go func() { // ends with the connection
		_, _ = io.CopyN(io.Discard, conn, maxReceived)
		close(gone)
	}()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for part := make([]byte, 0, loop.MaxStreamBytes); ; {
		_ = conn.SetWriteDeadline(time.Now().Add(writeTimeout))
		_, _ = w.Write(s.Append(part, time.Now()))
		if w.Flush() != nil || s.Ended() {
			return
		}
		timer.Reset(time.Until(s.Deadline()))
		select {
		case <-woken:
		case <-timer.C:
		case <-gone:
			return
		}
	}
}

// http1Session is a stream as the rest of a connection of HTTP/1.1. It implements loop.Session.
type http1Session struct {
	loop.Stream
	received int
}

// maxReceived is how much the client of a stream may send. Nothing of it is read.
const maxReceived = 16 << 10

// Receive implements loop.Session.
func (s *http1Session) Receive(p []byte, _ time.Time) { s.received += len(p) }

// Bytes implements loop.Session: nothing has come in part, and a stream is as small as an idle connection.
func (s *http1Session) Bytes() int { return 0 }

// Ended implements loop.Session.
func (s *http1Session) Ended() bool { return s.Stream.Ended() || s.received > maxReceived }

// Expire implements loop.Session: Append does what is due.
func (s *http1Session) Expire(time.Time) {}

// Drain implements loop.Session.
func (s *http1Session) Drain(time.Time) {}
