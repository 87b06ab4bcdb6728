package h2

import (
	"crypto/tls"
	"net/netip"
	"slices"
	"sync/atomic"

	"example.com/livery/httpd/guard"
	"example.com/livery/httpd/loop"
)

// Limiter bounds the requests under way, of each client over all its connections and of all clients together, and the
// connections of each. Beyond a bound a request is answered 503, and reset if too many of those are under way too. It
// may be used concurrently.
type Limiter struct {
	Conns *guard.Limiter // connections of each client

	most               int64 // requests, of all clients
	running            atomic.Int64
	requests, refusals *guard.Limiter
}

// requestBytes is what a request takes while the handler works or its client does not read the answer: a goroutine's
// stack, the head (TestFloodsAreBounded).
const requestBytes = 16 << 10

const (
	requestsAConn = 20 // of the requests that one client may have under way, so many make room for one connection
	refusalPart   = 4  // one part in so many of the requests may be refusals besides
)

// NewLimiter returns a limiter of requests in so many bytes, most of them of one client; most below 0: no bound of one
// client. Clients within exempt are not counted one by one.
func NewLimiter(bytes int64, most int, exempt []netip.Prefix) *Limiter {
	l := &Limiter{most: bytes / requestBytes}
	if most >= 0 {
		l.requests, l.refusals = guard.NewLimiter(most, exempt), guard.NewLimiter(max(1, most/refusalPart), exempt)
		l.Conns = guard.NewLimiter(max(1, most/requestsAConn), exempt)
	}
	return l
}

// admission is what became of a request.
type admission uint8

const (
	refused  admission = iota // an answer has no room either
	shed                      // it is to be answered 503, and counts among the refusals
	admitted                  // it is to be answered
)

// enter counts a request of a client in, unless it is refused. leave must follow once.
func (l *Limiter) enter(client netip.Addr) admission {
	n := l.running.Add(1)
	switch {
	case n <= l.most && l.requests.Enter(client):
		return admitted
	case n <= l.most+l.most/refusalPart && l.refusals.Enter(client):
		return shed
	}
	l.running.Add(-1)
	return refused
}

// leave counts a request out that came in as a.
func (l *Limiter) leave(a admission, client netip.Addr) {
	if a == refused {
		return
	}
	l.running.Add(-1)
	if a == admitted {
		l.requests.Leave(client)
	} else {
		l.refusals.Leave(client)
	}
}

// Offer returns c for a listener whose clients are offered HTTP/2 as long as they do not have too many connections
// of it. Further ones get HTTP/1.1, which takes less memory.
func (l *Limiter) Offer(c *tls.Config) *tls.Config {
	if l.Conns == nil || c.GetConfigForClient != nil || !slices.Contains(c.NextProtos, Protocol) {
		return c
	}
	bounded, without := c.Clone(), c.Clone()
	without.NextProtos = slices.DeleteFunc(slices.Clone(c.NextProtos), func(p string) bool { return p == Protocol })
	bounded.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		client := loop.AddressOf(hello.Conn.RemoteAddr())
		if !l.Conns.Enter(client) {
			return without, nil
		}
		l.Conns.Leave(client)
		return nil, nil
	}
	return bounded
}
