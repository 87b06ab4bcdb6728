package guard

import (
	"net/netip"
	"sync"
)

// Limiter bounds how many connections one client has at a time, so that one client does not take the places of all
// others. A client is an IPv4 address, or the 64 bits of an IPv6 address that name a network. It may be
// used concurrently; nil has no bound.
type Limiter struct {
	most   int
	exempt []netip.Prefix

	mu   sync.Mutex // guards open
	open map[netip.Addr]int
}

// NewLimiter returns a Limiter of at most that many connections a client. Addresses within exempt, proxies
// that many come through, are not counted.
func NewLimiter(most int, exempt []netip.Prefix) *Limiter {
	return &Limiter{most: most, exempt: exempt, open: map[netip.Addr]int{}}
}

// Enter counts a connection in, unless its client has too many. Leave must follow once if it got in.
func (l *Limiter) Enter(a netip.Addr) bool { return l.Add(a, 1) }

// Leave counts a connection of that address out.
func (l *Limiter) Leave(a netip.Addr) { l.Add(a, -1) }

// Add counts n more in, or less if n is negative, and reports whether it does: not if the client would have too many.
func (l *Limiter) Add(a netip.Addr, n int) bool {
	client, counted := l.client(a)
	if !counted {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch has := l.open[client] + n; {
	case n > 0 && has > l.most:
		return false
	case has > 0:
		l.open[client] = has
	default:
		delete(l.open, client)
	}
	return true
}

// client returns what connections of an address are counted under. A peer without an
// address, whose socket is not TCP, is not counted.
func (l *Limiter) client(a netip.Addr) (netip.Addr, bool) {
	if l == nil || !a.IsValid() {
		return a, false
	}
	a = a.Unmap().WithZone("")
	if InRanges(l.exempt, a) {
		return a, false
	}
	if a.Is6() {
		network, _ := a.Prefix(64) // which any IPv6 address has
		a = network.Addr()
	}
	return a, true
}
