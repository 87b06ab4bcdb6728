package loop

import (
	"net/netip"
	"time"
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
