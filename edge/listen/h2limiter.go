package listen

import (
	"crypto/tls"
	"net/http"
	"net/netip"
	"slices"
	"sync/atomic"

	"example.com/livery/edge/clientlimit"
	"example.com/livery/edge/loop"
)

// h2Limiter bounds the requests of HTTP/2 under way, of each client over all its connections and of all clients
// together, and the connections of each. Beyond a bound a request is answered 503, and reset if too many of those are
// under way too. It may be used concurrently.
type h2Limiter struct {
	most               int64 // requests, of all clients
	running            atomic.Int64
	requests, refusals *clientlimit.Limiter
	conns              *clientlimit.Limiter
}

// h2RequestBytes is what a request of HTTP/2 takes while its client does not read the answer: two goroutines'
// stacks, net/http's buffers, the head (TestFloodsAreBounded).
const h2RequestBytes = 16 << 10

const (
	requestsAConn = 20 // of the requests that one client may have under way, so many make room for one connection
	refusalPart   = 4  // one part in so many of the requests may be refusals besides
)

// newH2Limiter returns a limiter of requests in so many bytes, most of them of one client; most below 0: no
// bound of one client.
func newH2Limiter(bytes int64, most int, exempt []netip.Prefix) *h2Limiter {
	l := &h2Limiter{most: bytes / h2RequestBytes}
	if most >= 0 {
		l.requests, l.refusals = clientlimit.New(most, exempt), clientlimit.New(max(1, most/refusalPart), exempt)
		l.conns = clientlimit.New(max(1, most/requestsAConn), exempt)
	}
	return l
}

// enter counts a request of a client in, until leave takes it out of in again. ok is false if it must be refused. enter
// panics with http.ErrAbortHandler, which resets the stream, if there is no room for a refusal either.
func (l *h2Limiter) enter(client netip.Addr) (in *clientlimit.Limiter, ok bool) {
	n := l.running.Add(1)
	switch {
	case n <= l.most && l.requests.Enter(client):
		return l.requests, true
	case n <= l.most+l.most/refusalPart && l.refusals.Enter(client):
		return l.refusals, false
	}
	l.running.Add(-1)
	panic(http.ErrAbortHandler)
}

// leave counts a request out.
func (l *h2Limiter) leave(in *clientlimit.Limiter, client netip.Addr) {
	l.running.Add(-1)
	in.Leave(client)
}

// offer returns c for a listener whose clients are offered HTTP/2 as long as they do not have too many connections
// of it. Further ones get HTTP/1.1, which takes less memory.
func (l *h2Limiter) offer(c *tls.Config) *tls.Config {
	if l.conns == nil || c.GetConfigForClient != nil || !slices.Contains(c.NextProtos, protocolH2) {
		return c
	}
	bounded, without := c.Clone(), c.Clone()
	without.NextProtos = slices.DeleteFunc(slices.Clone(c.NextProtos), func(p string) bool { return p == protocolH2 })
	bounded.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		client := loop.AddressOf(hello.Conn.RemoteAddr())
		if !l.conns.Enter(client) {
			return without, nil
		}
		l.conns.Leave(client)
		return nil, nil
	}
	return bounded
}
