// Package h2 is the server's side of HTTP/2 (RFC 9113), of requests for finished files: it reads frames and writes
// frames, in memory. A Loop carries them.
//
// A plain request is answered from a loop.Source at once, without allocating. Every other one is given to the same
// handler as under HTTP/1.1, on a goroutine of its own.
package h2

import (
	"log/slog"
	"net/netip"
	"time"

	"example.com/livery/httpd/loop"
)

// Protocol is the name of HTTP/2 in ALPN (RFC 9113 section 3.1).
const Protocol = "h2"

// Config configures a Server. All of it must be set.
type Config struct {
	Handler  loop.Handler
	Limits   loop.Limits // as in HTTP/1.1; Idle is of a connection without requests
	Requests *Limiter
	Shed     func() // called for each request that is refused because there are too many
	Logger   *slog.Logger
}

// The bounds of one connection.
const (
	maxStreams       = 100      // requests under way
	maxFrame         = 16 << 10 // bytes of a payload, either way: the least that RFC 9113 allows
	tableBytes       = 4 << 10  // of the client's compressed heads
	streamWindow     = 32 << 10 // of the body of one request
	connWindow       = 65535    // of the bodies of all: what a connection begins with
	maxFields        = 256      // in a head, each crumb of a cookie counted
	maxContinuations = 16       // frames of one head, behind the first
	headRoom         = 2        // times the longest head: up to there a refusal has the API's shape
	maxOrphans       = 100      // requests under way in the handler whose streams were reset
)

// Frames that ask for nothing, and streams that end in an error: one in controlEvery on the average, controlBurst at once.
const (
	controlEvery = 10 * time.Millisecond
	controlBurst = 1000
)

// grace is how long a connection is kept that was told to end: its client may have sent more already.
const grace = 250 * time.Millisecond

// Server makes the sessions of connections. It may be used concurrently.
type Server struct {
	config Config
	heads  *headCache
}

// New returns a server of HTTP/2.
func New(c Config) *Server { return &Server{config: c, heads: newHeadCache()} }

// Begin is a loop.SessionFunc: it returns the session of a new connection, or nil if the client has too many. source
// answers plain requests, the handler all others.
func (s *Server) Begin(remote netip.AddrPort, source loop.Source, wake func()) loop.Session {
	if !s.config.Requests.Conns.Enter(remote.Addr()) {
		return nil
	}
	return newConn(s, remote, source, wake)
}
