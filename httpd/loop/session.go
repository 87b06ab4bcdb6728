package loop

import (
	"net/netip"
	"time"

	"github.com/valyala/fasthttp"
)

// Session is the server's side of one connection in a protocol other than HTTP/1.1, as HTTP/2, which client and
// server agreed on in the TLS handshake. It reads and writes no socket: the loop gives it what the client sent and
// sends what it appends. The loop calls its methods one at a time; none may block.
type Session interface {
	// Receive processes all of p, which belongs to the caller again once it returns.
	Receive(p []byte, now time.Time)

	// Append appends what is to be sent next to dst while its capacity has room, and returns it. If it appends
	// nothing, then nothing is to be sent before the next Receive, Expire, Drain or wake. The loop does not call
	// Receive or Append while the socket takes nothing: what a client may leave unread is bounded by one dst.
	Append(dst []byte, now time.Time) []byte

	// Bytes returns the memory of what has come in part, which is more the longer it waits.
	Bytes() int

	// Ended reports whether the connection ends as soon as what was appended is sent.
	Ended() bool

	// Deadline returns when Expire is to be called if nothing happens before; the zero Time: never.
	Deadline() time.Time
	Expire(now time.Time)

	// Drain is called once when the server shuts down: the session takes no new requests, and ends after those under way.
	Drain(now time.Time)

	// Close is called last, once, when the connection is closed.
	Close()
}

// SessionFunc makes the session of a new connection, or returns nil: the client has too many. Any goroutine may call
// wake, which has the loop call Append soon, or nothing once the session is closed.
type SessionFunc func(remote netip.AddrPort, source Source, wake func()) Session

// Stream is what follows the head of an answer until the server ends it, as events do. Whatever sends it calls its
// methods one at a time; none may block.
type Stream interface {
	// Append appends what is to be sent next to dst, which has room for it, and returns dst. If it appends nothing, then
	// nothing is to be sent before wake is called or Deadline has passed.
	Append(dst []byte, now time.Time) []byte

	// Deadline returns when Append is to be called if nothing happens before.
	Deadline() time.Time

	// Ended reports whether nothing follows what was appended.
	Ended() bool

	// Close is called last, once.
	Close()
}

// StreamFunc begins a Stream, or returns nil: there are too many. Any goroutine may call wake, which has Append called
// soon, or nothing once the stream is closed.
type StreamFunc func(wake func()) Stream

type streamKey struct{}

// SetStream has the stream that begin begins follow the answer to ctx, which has a status and headers alone.
func SetStream(ctx *fasthttp.RequestCtx, begin StreamFunc) { ctx.SetUserValue(streamKey{}, begin) }

// StreamOf returns what SetStream was called with, or nil.
func StreamOf(ctx *fasthttp.RequestCtx) StreamFunc {
	begin, _ := ctx.UserValue(streamKey{}).(StreamFunc)
	return begin
}

// beginStream returns how a connection of HTTP/1.1 goes on with a Stream behind the head of an answer.
func beginStream(begin StreamFunc) SessionFunc {
	return func(_ netip.AddrPort, _ Source, wake func()) Session {
		if s := begin(wake); s != nil {
			return &streamSession{Stream: s}
		}
		return nil
	}
}

// streamSession is a Stream as the rest of a connection of HTTP/1.1.
type streamSession struct {
	Stream
	received int
}

// maxReceived is how much the client of a stream may send. Nothing of it is read.
const maxReceived = 16 << 10

// Receive implements Session.
func (s *streamSession) Receive(p []byte, _ time.Time) { s.received += len(p) }

// Bytes implements Session: nothing has come in part, and a stream is as small as an idle connection.
func (s *streamSession) Bytes() int { return 0 }

// Ended implements Session.
func (s *streamSession) Ended() bool { return s.Stream.Ended() || s.received > maxReceived }

// Expire implements Session: Append does what is due.
func (s *streamSession) Expire(time.Time) {}

// Drain implements Session: the handler ends its streams in a shutdown.
func (s *streamSession) Drain(time.Time) {}
