package httpserver

import (
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"example.com/livery/httpd/guard"
	"example.com/livery/origin/theming"
)

// refusalsPart is the part of a listener's connections, one in so many, that may be refused at one time: each takes a
// descriptor until its client has the answer. Further ones are closed without an answer.
const refusalsPart = 16

// guardHeads bounds the connections of a listener, in all and from one address. Those beyond are refused
// in the API's error shape: the server itself would answer in plain text.
func guardHeads(l net.Listener, connections int, limits ServerConfig) *guardedListener {
	return &guardedListener{
		Listener: guard.Patient(l, limits.Logger), connections: connections, limits: limits,
		perIP: map[netip.Addr]int{}, open: map[*guardedConn]struct{}{}, refusals: make(chan struct{}, max(1, connections/refusalsPart)),
	}
}

type guardedListener struct {
	net.Listener
	connections int // at one time
	limits      ServerConfig
	refusals    chan struct{} // one element for each connection that is being refused

	mu    sync.Mutex // guards perIP and open
	perIP map[netip.Addr]int
	open  map[*guardedConn]struct{}
}

// Accept returns the next connection that is within the bounds.
func (l *guardedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		ip := AddressOf(c.RemoteAddr())
		guarded := &guardedConn{Conn: c, drain: int64(l.limits.BodyBytes), readTimeout: l.limits.ReadTimeout, writeTimeout: l.limits.WriteTimeout}
		guarded.release = func() { l.release(guarded, ip) }
		refusal, admitted := l.admit(guarded, ip)
		if admitted {
			boundWriteBuffer(c)
			return guarded, nil
		}
		l.refuse(c, refusal)
	}
}

// writeBuffer is how many bytes of an answer the system buffers for a connection. It is bounded because the system takes
// more only when a third of the buffer is free: with the megabytes that it would allow by itself, a slow client would
// seem to take nothing for a long time.
const writeBuffer = 256 << 10

func boundWriteBuffer(c net.Conn) {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}
	if c, ok := c.(interface{ SetWriteBuffer(bytes int) error }); ok {
		_ = c.SetWriteBuffer(writeBuffer) // a hint
	}
}

// refuse answers a connection that no server will see, in the background.
func (l *guardedListener) refuse(c net.Conn, refusal Answer) {
	select {
	case l.refusals <- struct{}{}:
		go func() {
			turnAway(c, refusal)
			<-l.refusals
		}()
	default:
		_ = c.Close()
	}
}

// connectionsOpen returns the connections that are open now.
func (l *guardedListener) connectionsOpen() []*guardedConn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Keys(l.open))
}

// admit counts a connection in, or returns the answer that turns it away.
func (l *guardedListener) admit(c *guardedConn, ip netip.Addr) (refusal Answer, admitted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) >= l.connections {
		return Overloaded(fasthttp.StatusServiceUnavailable, theming.Internal), false
	}
	if most := l.limits.ConnectionsPerIP; most > 0 && ip.IsValid() && l.perIP[ip] >= most && !guard.InRanges(l.limits.TrustedProxies, ip) {
		return Overloaded(fasthttp.StatusTooManyRequests, CauseRateLimit), false
	}
	l.open[c] = struct{}{}
	l.perIP[ip]++
	return Answer{}, true
}

func (l *guardedListener) release(c *guardedConn, ip netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, c)
	if l.perIP[ip]--; l.perIP[ip] == 0 {
		delete(l.perIP, ip)
	}
}

// AddressOf returns the address of a peer, or the zero Addr for a socket without one. An IPv6 client has a
// whole network of 64 bits, which stands for it.
func AddressOf(peer net.Addr) netip.Addr { return networkOf(addressOf(peer)) }

// ClientOf returns the address of a request's client, which the proxies of those ranges name in X-Forwarded-For. Its
// network stands for an IPv6 client, and the zero Addr for one that is not known.
func ClientOf(ctx *fasthttp.RequestCtx, proxies []netip.Prefix) netip.Addr {
	forwarded := ctx.Request.Header.PeekAll(fasthttp.HeaderXForwardedFor)
	return networkOf(guard.ClientAddr(addressOf(ctx.RemoteAddr()), forwarded, proxies))
}

func addressOf(peer net.Addr) netip.Addr {
	tcp, ok := peer.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	return tcp.AddrPort().Addr().Unmap()
}

func networkOf(ip netip.Addr) netip.Addr {
	if ip.Is6() {
		if network, err := ip.WithZone("").Prefix(64); err == nil {
			return network.Addr()
		}
	}
	return ip
}

// turnAway writes an answer to a connection that no server will see.
func turnAway(c net.Conn, a Answer) {
	_ = c.SetDeadline(time.Now().Add(time.Second))
	head := fmt.Sprintf("HTTP/1.1 %d %s\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\nX-Request-Id: %s\r\n",
		a.Status, fasthttp.StatusMessage(a.Status), len(a.Body), NewRequestID())
	for _, h := range a.Headers {
		head += h.Name + ": " + h.Value + "\r\n"
	}
	_, _ = io.WriteString(c, head+"\r\n"+string(a.Body))
	drainBeforeClose(c, 64<<10)
	_ = c.Close()
}
