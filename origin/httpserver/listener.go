package httpserver

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"example.com/livery/httpguard"
	"example.com/livery/origin/theming"
)

// guard bounds the connections of a listener, in all and from one address. Those beyond are refused
// in the API's error shape: the server itself would answer in plain text.
func guard(l net.Listener, limits ServerConfig) net.Listener {
	return &guardedListener{Listener: l, limits: limits, perIP: map[netip.Addr]int{}}
}

type guardedListener struct {
	net.Listener
	limits ServerConfig

	mu    sync.Mutex // guards perIP and total
	perIP map[netip.Addr]int
	total int
}

// Accept returns the next connection that is within the bounds.
func (l *guardedListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		ip := AddressOf(c.RemoteAddr())
		refusal, admitted := l.admit(ip)
		if admitted {
			return &guardedConn{Conn: c, release: func() { l.release(ip) }, drain: int64(l.limits.BodyBytes)}, nil
		}
		go turnAway(c, refusal)
	}
}

// admit counts a connection in, or returns the answer that turns it away.
func (l *guardedListener) admit(ip netip.Addr) (refusal Answer, admitted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.total >= l.limits.Connections {
		return Overloaded(fasthttp.StatusServiceUnavailable, theming.Internal), false
	}
	if most := l.limits.ConnectionsPerIP; most > 0 && ip.IsValid() && l.perIP[ip] >= most && !httpguard.InRanges(l.limits.TrustedProxies, ip) {
		return Overloaded(fasthttp.StatusTooManyRequests, CauseRateLimit), false
	}
	l.total++
	l.perIP[ip]++
	return Answer{}, true
}

func (l *guardedListener) release(ip netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total--
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
	return networkOf(httpguard.ClientAddr(addressOf(ctx.RemoteAddr()), forwarded, proxies))
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
