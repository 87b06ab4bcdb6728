package edge

import (
	"crypto/tls"
	"net/http"
	"net/netip"
	"slices"
	"sync/atomic"

	"example.com/livery/edge/clientlimit"
	"example.com/livery/edge/loop"
)

// h2Room bounds the requests of HTTP/2 under way, of each client over all its connections and of all clients
// together, and the connections of each. Beyond a bound a request is answered 503, and reset if too many of those are
// under way too. It may be used concurrently.
type h2Room struct {
	most               int64 // requests, of all clients
	running            atomic.Int64
	requests, refusals *clientlimit.Limiter
	conns              *clientlimit.Limiter
}

// h2RequestBytes is what a request of HTTP/2 takes while its client does not read the answer: two goroutines'
// stacks, net/http's buffers, the head (TestFloodsAreBounded).
const h2RequestBytes = 16 << 10

// standardStreams is how many requests of HTTP/2 one client has under way if nothing else is configured.
const standardStreams = 1000

const (
	requestsAConn = 20 // of the requests that one client may have under way, so many make room for one connection
	refusalPart   = 4  // one part in so many of the requests may be refusals besides
)

// newH2Room returns the room that requests in so many bytes have, most of them of one client; most below 0: no
// bound of one client.
func newH2Room(bytes int64, most int, exempt []netip.Prefix) *h2Room {
	r := &h2Room{most: bytes / h2RequestBytes}
	if most >= 0 {
		r.requests, r.refusals = clientlimit.New(most, exempt), clientlimit.New(max(1, most/refusalPart), exempt)
		r.conns = clientlimit.New(max(1, most/requestsAConn), exempt)
	}
	return r
}

// enter counts a request of a client in, until leave takes it out of in again. ok is false if it must be refused. enter
// panics with http.ErrAbortHandler, which resets the stream, if there is no room for a refusal either.
func (r *h2Room) enter(client netip.Addr) (in *clientlimit.Limiter, ok bool) {
	n := r.running.Add(1)
	switch {
	case n <= r.most && r.requests.Enter(client):
		return r.requests, true
	case n <= r.most+r.most/refusalPart && r.refusals.Enter(client):
		return r.refusals, false
	}
	r.running.Add(-1)
	panic(http.ErrAbortHandler)
}

// leave counts a request out.
func (r *h2Room) leave(in *clientlimit.Limiter, client netip.Addr) {
	r.running.Add(-1)
	in.Leave(client)
}

// offer returns c for a listener whose clients are offered HTTP/2 as long as they do not have too many connections
// of it. Further ones get HTTP/1.1, which takes less memory.
func (r *h2Room) offer(c *tls.Config) *tls.Config {
	if r.conns == nil || c.GetConfigForClient != nil || !slices.Contains(c.NextProtos, protocolH2) {
		return c
	}
	bounded, without := c.Clone(), c.Clone()
	without.NextProtos = slices.DeleteFunc(slices.Clone(c.NextProtos), func(p string) bool { return p == protocolH2 })
	bounded.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		client := loop.AddressOf(hello.Conn.RemoteAddr())
		if !r.conns.Enter(client) {
			return without, nil
		}
		r.conns.Leave(client)
		return nil, nil
	}
	return bounded
}
