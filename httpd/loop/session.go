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

// MaxStreamBytes is the room that Stream.Append has.
const MaxStreamBytes = 1 << 10

type streamKey struct{}

// SetStream has the stream that begin begins follow the answer to ctx, which has a status and headers alone.
func SetStream(ctx *fasthttp.RequestCtx, begin StreamFunc) { ctx.SetUserValue(streamKey{}, begin) }

// StreamOf returns what SetStream was called with, or nil.
func StreamOf(ctx *fasthttp.RequestCtx) StreamFunc {
	begin, _ := ctx.UserValue(streamKey{}).(StreamFunc)
	return begin
}

// Continue has a connection of a thread go on with a session behind the head of the answer to ctx, which then has no
// length: it ends with the connection. It reports false if the connection is not one of a thread.
func Continue(ctx *fasthttp.RequestCtx, begin SessionFunc) bool {
	c, ok := ctx.Conn().(interface{ continueWith(begin SessionFunc) })
	if ok {
		c.continueWith(begin)
		ctx.Response.SkipBody = true
		ctx.Response.Header.SetContentLength(-2) // fasthttp: until the connection ends
	}
	return ok
}

// Field is what a loop does with a header of a name. The zero Field is that of a header which is ignored.
type Field = field

// Ignored reports whether no answer to a GET for a file depends on such a header.
func (f field) Ignored() bool { return f == fieldIgnored }

// FieldOf returns the Field of a header name.
func FieldOf(name []byte) Field { return fieldOf(name) }

// PlainRequest is a plain Request that a Session puts together. It is used again and again.
type PlainRequest struct{ plain plainRequest }

// NewPlainRequest returns a PlainRequest, which Reset must be called on.
func NewPlainRequest() *PlainRequest {
	return &PlainRequest{plainRequest{Request: Request{Scratch: make([]byte, 0, scratchBytes)}}}
}

// Reset begins the request of GET target to host, and reports whether it may be plain so far.
func (p *PlainRequest) Reset(remote netip.AddrPort, now time.Time, target, host []byte) bool {
	r := &p.plain
	r.Remote, r.Now = remote, now
	r.reset()
	if len(target) == 0 || target[0] != '/' {
		return false
	}
	path, end := targetEnd(target, 1)
	if end < len(target) || path > maxPath || end-path > maxQuery {
		return false
	}
	if r.Path = target[:path]; path < end {
		r.Query = target[path+1:]
	}
	return r.take(fieldHost, host)
}

// Add adds a header whose value has no space around it, and reports whether the request may still be plain.
func (p *PlainRequest) Add(f Field, value []byte) bool {
	return f == fieldIgnored || p.plain.take(f, value)
}

// Ask asks source for the answer. A panic, which is a bug of the source, leaves the request to the full server.
func (p *PlainRequest) Ask(source Source) (a Answer, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	return source.Ready(&p.plain.Request)
}
